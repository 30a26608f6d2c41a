import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { ACCOUNT, TOKEN } from "./d1-api.ts";

// Cloudflare's side of a deployment, in memory: the parts of its HTTP API that `npm run deploy`, `npm run preview` and
// wrangler use. https://developers.cloudflare.com/api/

type Binding = { type: string; name?: string; text?: string };
type Preview = { name: string; env: Record<string, Binding> };

/** Everything in the account. */
export type Account = {
  databases: Map<string, { name: string; place: object; database: DatabaseSync }>;
  namespaces: Map<string, string>;
  /** The keys in each R2 bucket; undefined while R2 is not switched on. */
  buckets: Map<string, Set<string>> | undefined;
  /** The bindings of the deployed Worker by name. */
  worker: Map<string, Binding> | undefined;
  /** The files of the deployed Worker. */
  files: string[];
  previews: Map<string, Preview>;
};

export type CloudflareApi = Account & {
  /** For CLOUDFLARE_API_BASE_URL. */
  url: string;
  /** What has been requested: method and path. */
  requests: string[];
  /** Decides whether a request is refused before it is carried out, or its answer lost afterwards. */
  onRequest: (handler: (request: string) => "refuse" | "lose" | undefined) => void;
  close: () => Promise<void>;
};

type Asked = { method: string; path: string; query: URLSearchParams; body: string };
type Answer = { status: number; body: unknown };

const answered = (result: unknown): Answer => ({
  status: 200,
  body: { success: true, errors: [], messages: [], result },
});
const refused = (status: number, code: number, message: string): Answer => ({
  status,
  body: { success: false, errors: [{ code, message }], messages: [], result: null },
});
const missing = (code = 10007) => refused(404, code, "Not found");

const BOOKMARK = "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683";
const SUBDOMAIN = "ada";

type Query = { sql: string; params?: string[] };

/** Runs one statement with its parameters, or, without any, all those in a text. */
function run(database: DatabaseSync, { sql, params = [] }: Query) {
  if (params.some((value) => typeof value !== "string")) throw new Error("params must be strings");
  const isScript = params.length === 0 && !/^\s*(SELECT|WITH|DELETE|UPDATE)/i.test(sql);
  const results = isScript ? database.exec(sql) : database.prepare(sql).all(...params);
  return { success: true, meta: { duration: 1 }, results: results ?? [] };
}

/** Runs the statements of a request in one transaction, as D1 does. */
function query(database: DatabaseSync, body: Query | { batch: Query[] }): Answer {
  database.exec("BEGIN");
  try {
    const queries = "batch" in body ? body.batch : [body];
    const results = queries.map((one) => run(database, one));
    database.exec("COMMIT");
    return answered(results);
  } catch (problem) {
    database.exec("ROLLBACK");
    return refused(400, 7500, (problem as Error).message);
  }
}

function answerDatabases({ databases }: Account, { method, path, query: asked, body }: Asked): Answer {
  const [, id = "", more = ""] = path.split("/").slice(2);
  if (id === "" && method === "GET") {
    const named = [...databases].filter(([, { name }]) => name.includes(asked.get("name") ?? ""));
    return answered(named.map(([uuid, { name }]) => ({ uuid, name })));
  }
  if (id === "") {
    const { name, ...place } = JSON.parse(body);
    if ([...databases.values()].some((one) => one.name === name))
      return refused(400, 7502, "A database with that name already exists");
    const uuid = randomUUID();
    databases.set(uuid, { name, place, database: new DatabaseSync(":memory:") });
    return answered({ uuid, name });
  }
  const found = databases.get(id);
  if (!found) return missing(7404);
  if (method === "DELETE") return answered(databases.delete(id) && null);
  if (more === "query") return query(found.database, JSON.parse(body));
  if (more === "time_travel") return answered({ bookmark: BOOKMARK });
  const file_size = Number(found.database.prepare("PRAGMA page_count").get()?.page_count) * 4096;
  return answered({ uuid: id, name: found.name, file_size, running_in_region: "WEUR" });
}

function answerNamespaces({ namespaces }: Account, { method, path, body }: Asked): Answer {
  const id = path.split("/")[4] ?? "";
  if (method === "GET") return answered([...namespaces].map(([id, title]) => ({ id, title })));
  if (method === "DELETE") return namespaces.delete(id) ? answered(null) : missing(10013);
  const { title } = JSON.parse(body);
  if ([...namespaces.values()].includes(title)) return refused(400, 10014, "This namespace already exists");
  const made = randomUUID().replaceAll("-", "");
  namespaces.set(made, title);
  return answered({ id: made, title });
}

/** https://developers.cloudflare.com/api/resources/r2/subresources/buckets/ */
function answerBuckets({ buckets }: Account, { method, path, body }: Asked): Answer {
  if (!buckets) return refused(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
  const [name = "", , ...key] = path.split("/").slice(3);
  if (method === "POST") {
    const { name: made } = JSON.parse(body);
    if (buckets.has(made)) return refused(409, 10004, "The bucket you tried to create already exists");
    buckets.set(made, new Set());
    return answered({ name: made });
  }
  const keys = buckets.get(name);
  if (!keys) return refused(404, 10006, "The specified bucket does not exist.");
  if (key.length > 0) {
    keys.delete(decodeURIComponent(key.join("/")));
    return answered({});
  }
  if (path.endsWith("/objects")) return answered([...keys].map((one) => ({ key: one })));
  if (method === "GET") return answered({ name });
  if (keys.size > 0) return refused(409, 10008, "The bucket you tried to delete is not empty");
  buckets.delete(name);
  return answered({});
}

/** The `metadata` part of a multipart upload. */
function metadataOf(body: string) {
  const start = body.indexOf("{", body.indexOf('name="metadata"'));
  return JSON.parse(body.slice(start, body.indexOf("\r\n--", start)));
}

/** Uploads a Worker. Like Cloudflare, it keeps the secrets of the last version. */
function answerUpload(account: Account, { body }: Asked): Answer {
  const { bindings } = metadataOf(body) as { bindings: (Binding & { name: string })[] };
  const secrets = [...(account.worker ?? [])].filter(([, { type }]) => type === "secret_text");
  account.files = [...body.matchAll(/filename="([^"]+)"/g)].map(([, name = ""]) => name);
  account.worker = new Map([...secrets, ...bindings.map((one) => [one.name, one] as const)]);
  return answered({ id: "commonplace", etag: "etag", startup_time_ms: 1, deployment_id: randomUUID() });
}

function answerPreviews({ previews }: Account, { method, path, body }: Asked): Answer {
  const [, , , , name = "", , deployment] = path.split("/").slice(1);
  if (name === "") {
    const made = JSON.parse(body) as { name: string };
    previews.set(made.name, { name: made.name, env: {} });
    return answered(described(made.name));
  }
  const found = previews.get(name);
  if (!found) return missing(10025);
  if (method === "DELETE") return answered(previews.delete(name) && null);
  if (method === "PATCH" || (method === "GET" && !path.includes("/deployments")))
    return answered(described(name));
  if (method === "POST") {
    const { env } = metadataOf(body) as { env: Preview["env"] };
    const kept = Object.entries(env).map(([key, value]) => [
      key,
      value.type === "inherit" ? found.env[key] : value,
    ]);
    found.env = Object.fromEntries(kept);
    return answered({ id: randomUUID(), urls: [], env: found.env });
  }
  const none = deployment === "latest" && Object.keys(found.env).length === 0;
  return none ? missing(10222) : answered({ id: randomUUID(), env: found.env });
}

const described = (name: string) => ({
  id: name,
  name,
  slug: name,
  urls: [`https://${name}-commonplace.${SUBDOMAIN}.workers.dev`],
});

const ROUTES: [RegExp, (account: Account, asked: Asked) => Answer][] = [
  [/^\/d1\/database/, answerDatabases],
  [/^\/storage\/kv\/namespaces/, answerNamespaces],
  [/^\/r2\/buckets/, answerBuckets],
  [/^\/workers\/subdomain$/, () => answered({ subdomain: SUBDOMAIN })],
  [
    /^\/workers\/workers\/commonplace$/,
    () => answered({ name: "commonplace", subdomain: { enabled: true, previews_enabled: true } }),
  ],
  [/^\/workers\/workers\/commonplace\/previews/, answerPreviews],
  [
    /^\/workers\/scripts\/commonplace\/secrets$/,
    ({ worker }) => {
      if (!worker) return missing();
      return answered(
        [...worker].filter(([, { type }]) => type === "secret_text").map(([name]) => ({ name })),
      );
    },
  ],
  [
    /^\/workers\/scripts\/commonplace\/settings$/,
    ({ worker }) =>
      worker
        ? answered({ bindings: [...worker].map(([name, binding]) => ({ ...binding, name })) })
        : missing(10007),
  ],
  [/^\/workers\/scripts\/commonplace\/deployments$/, () => answered({ deployments: [] })],
  [/^\/workers\/scripts\/commonplace\/assets-upload-session$/, () => answered({ jwt: "done", buckets: [] })],
  [
    /^\/workers\/services\/commonplace$/,
    ({ worker }) =>
      worker
        ? answered({ default_environment: { script: { last_deployed_from: "wrangler" } } })
        : missing(10090),
  ],
  [/^\/workers\/scripts\/commonplace(\/versions)?$/, answerUpload],
];

function answerAll(account: Account, asked: Asked): Answer {
  const route = ROUTES.find(([pattern]) => pattern.test(asked.path));
  if (route) return route[1](account, asked);
  return asked.method === "GET" ? answered([]) : answered({});
}

async function readRequest(request: IncomingMessage): Promise<Asked> {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  const path = pathname.replace(`/accounts/${ACCOUNT}`, "");
  return { method: request.method ?? "", path, query: searchParams, body: await text(request) };
}

/** Starts the API of an empty account. */
export async function startCloudflareApi(): Promise<CloudflareApi> {
  const account: Account = {
    databases: new Map(),
    namespaces: new Map(),
    buckets: new Map(),
    worker: undefined,
    files: [],
    previews: new Map(),
  };
  const requests: string[] = [];
  let handler: (request: string) => "refuse" | "lose" | undefined = () => undefined;
  const server = createServer(async (request, response) => {
    const asked = await readRequest(request);
    const line = `${asked.method} ${asked.path}`;
    requests.push(line);
    const fault = handler(line);
    const isKnown =
      request.headers.authorization === `Bearer ${TOKEN}` || asked.path.includes("assets/upload");
    const allowed = isKnown && fault !== "refuse";
    const { status, body } = allowed
      ? answerAll(account, asked)
      : refused(403, 10000, "Authentication error");
    if (fault === "lose") return response.destroy();
    response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "0" });
    response.end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(account, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    onRequest: (next: typeof handler) => {
      handler = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      for (const { database } of account.databases.values()) database.close();
    },
  });
}
