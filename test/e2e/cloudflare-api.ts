import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import type { KvEntry } from "../../scripts/common/kv.ts";
import { listen } from "./loopback.ts";

// Cloudflare's side of a deployment, in memory: the parts of its HTTP API that the commands and wrangler use, with D1's
// limits. https://developers.cloudflare.com/api/ and https://developers.cloudflare.com/d1/platform/limits/

const ACCOUNT = "0123456789abcdef0123456789abcdef";
const TOKEN = "a-token";
/** So few that there are several pages. */
const MAX_LISTED = 2;
const MAX_BOUND = 100;
const MAX_VALUE = 2_000_000;
const MAX_SQL = 100_000;

export const MIGRATIONS = readdirSync("migrations").sort();

/** A database as `wrangler d1 migrations apply` leaves it, after some of the migrations or all of them. */
function migrated(names: string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)");
  for (const name of names) {
    database.exec(readFileSync(`migrations/${name}`, "utf8"));
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
  }
  return database;
}

type Binding = { type: string; name?: string; text?: string };
type Preview = { name: string; env: Record<string, Binding> };

/** Everything in the account. */
export type Account = {
  databases: Map<string, { name: string; place: object; database: DatabaseSync }>;
  namespaces: Map<string, string>;
  /** The entries of the KV namespaces. */
  entries: Map<string, KvEntry>;
  /** The keys in each R2 bucket; undefined while R2 is not switched on. */
  buckets: Map<string, Set<string>> | undefined;
  /** The bindings of the deployed Worker by name. */
  worker: Map<string, Binding> | undefined;
  /** The files of the deployed Worker. */
  files: string[];
  previews: Map<string, Preview>;
};

/** A request that is refused before it is carried out, by a status or as one of a stranger, or whose answer is lost. */
type Fault = "refuse" | "lose" | number | undefined;
/** Decides that by the method with the path, and the body. */
type OnRequest = (request: string, body: string) => Fault;

export type CloudflareApi = Account & {
  /** What the commands read from the environment. */
  environment: Record<string, string>;
  /** What has been requested: method and path. */
  requests: string[];
  /** The largest answer so far, in bytes. */
  largest: () => number;
  onRequest: (handler: OnRequest) => void;
  addDatabase: (name: string, migrations: string[]) => DatabaseSync;
  databaseOf: (name: string) => DatabaseSync;
  close: () => Promise<void>;
};

type Asked = { method: string; path: string; query: URLSearchParams; body: string };
type Answer = { status: number; body: unknown };

const answered = (result: unknown, result_info = {}): Answer => ({
  status: 200,
  body: { success: true, errors: [], messages: [], result, result_info },
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
  if (sql.length > MAX_SQL) throw new Error("statement too long");
  if (params.length > MAX_BOUND) throw new Error("too many SQL variables");
  if (params.some((value) => typeof value !== "string")) throw new Error("params must be strings");
  if (params.some((value) => Buffer.byteLength(value) > MAX_VALUE)) throw new Error("string or blob too big");
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

function answerEntries({ entries }: Account, { path, query: asked, body }: Asked): Answer {
  if (path.endsWith("/keys")) {
    const start = Number(asked.get("cursor") ?? 0);
    const all = [...entries.values()].map(({ key: name, value: _, ...more }) => ({ name, ...more }));
    const cursor = start + MAX_LISTED < all.length ? String(start + MAX_LISTED) : "";
    return answered(all.slice(start, start + MAX_LISTED), { cursor });
  }
  if (path.endsWith("/bulk/get")) {
    const { keys } = JSON.parse(body) as { keys: string[] };
    return answered({
      values: Object.fromEntries(keys.map((key) => [key, entries.get(key)?.value ?? null])),
    });
  }
  for (const entry of JSON.parse(body) as KvEntry[]) entries.set(entry.key, entry);
  return answered({ successful_key_count: entries.size, unsuccessful_keys: [] });
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
  [/^\/storage\/kv\/namespaces\/\w+\/(keys|bulk)/, answerEntries],
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

/** Starts the API of an empty account, or of one with a deployment whose database has these migrations. */
export async function startCloudflareApi(migrations?: string[]): Promise<CloudflareApi> {
  const account: Account = {
    ...{ databases: new Map(), namespaces: new Map(), entries: new Map(), buckets: new Map() },
    ...{ worker: undefined, files: [], previews: new Map() },
  };
  const addDatabase = (name: string, names: string[]) => {
    const database = migrated(names);
    account.databases.set(randomUUID(), { name, place: {}, database });
    return database;
  };
  if (migrations) {
    addDatabase("commonplace", migrations);
    account.namespaces.set("fedcba9876543210fedcba9876543210", "commonplace-oauth-kv");
  }
  const requests: string[] = [];
  let largest = 0;
  let handler: OnRequest = () => undefined;
  const answering = createServer(async (request, response) => {
    const asked = await readRequest(request);
    const line = `${asked.method} ${asked.path}`;
    requests.push(line);
    const fault = handler(line, asked.body);
    const isKnown =
      request.headers.authorization === `Bearer ${TOKEN}` || asked.path.includes("assets/upload");
    const answer = () => {
      if (typeof fault === "number") return refused(fault, fault, "Try again");
      return isKnown && fault !== "refuse"
        ? answerAll(account, asked)
        : refused(403, 10000, "Authentication error");
    };
    const { status, body } = answer();
    if (fault === "lose") return response.destroy();
    const sent = JSON.stringify(body);
    largest = Math.max(largest, sent.length);
    response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "0" }).end(sent);
  });
  const server = await listen(answering);
  return Object.assign(account, {
    environment: {
      CLOUDFLARE_API_BASE_URL: server.url,
      ...{ CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_ACCOUNT_ID: ACCOUNT },
    },
    requests,
    largest: () => largest,
    onRequest: (next: OnRequest) => {
      handler = next;
    },
    addDatabase,
    databaseOf: (name: string) => {
      const found = [...account.databases.values()].find((one) => one.name === name);
      if (!found) throw new Error(`There is no database ${name}`);
      return found.database;
    },
    close: async () => {
      await server.close();
      for (const { database } of account.databases.values()) database.close();
    },
  });
}
