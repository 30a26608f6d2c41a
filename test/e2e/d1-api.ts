import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { json } from "node:stream/consumers";
import type { KvEntry } from "../../scripts/common/kv.ts";

// Cloudflare's side of D1 and KV: their HTTP APIs and limits, in memory.
// https://developers.cloudflare.com/api/resources/d1/ and https://developers.cloudflare.com/d1/platform/limits/
// https://developers.cloudflare.com/api/resources/kv/

export const ACCOUNT = "0123456789abcdef0123456789abcdef";
export const TOKEN = "a-token";
const DATABASE = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const NAMESPACE = "fedcba9876543210fedcba9876543210";
const MAX_LISTED = 2;
const MAX_BOUND = 100;
const MAX_VALUE = 2_000_000;
const MAX_SQL = 100_000;

type Query = { sql: string; params?: string[] };
type Body = Query | { batch: Query[] };

/** A D1 database behind an HTTP API. */
export type D1Api = {
  /** For CLOUDFLARE_API_BASE_URL. */
  url: string;
  database: DatabaseSync;
  /** The entries of the KV namespace. */
  entries: Map<string, KvEntry>;
  /** The largest answer so far, in bytes. */
  largest: () => number;
  /** Called before each query that writes, with how many came before it; a number is the status that is answered instead. */
  onWrite: (handler: (number: number) => number | undefined) => void;
  close: () => Promise<void>;
};

/** A database as `wrangler d1 migrations apply` leaves it, after some of the migrations or all of them. */
export function migrated(names: string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)");
  for (const name of names) {
    database.exec(readFileSync(`migrations/${name}`, "utf8"));
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
  }
  return database;
}

export const MIGRATIONS = readdirSync("migrations").sort();

function run(database: DatabaseSync, { sql, params = [] }: Query) {
  if (sql.length > MAX_SQL) throw new Error("statement too long");
  if (params.length > MAX_BOUND) throw new Error("too many SQL variables");
  if (params.some((value) => typeof value !== "string")) throw new Error("params must be strings");
  if (params.some((value) => Buffer.byteLength(value) > MAX_VALUE)) throw new Error("string or blob too big");
  return { success: true, meta: {}, results: database.prepare(sql).all(...params) };
}

/** Runs the statements of a request in one transaction. */
function runAll(database: DatabaseSync, queries: Query[]) {
  database.exec("BEGIN");
  try {
    const result = queries.map((query) => run(database, query));
    database.exec("COMMIT");
    return { status: 200, body: { success: true, errors: [], messages: [], result } };
  } catch (problem) {
    database.exec("ROLLBACK");
    const errors = [{ code: 7500, message: (problem as Error).message }];
    return { status: 400, body: { success: false, errors, messages: [], result: [] } };
  }
}

const answered = (result: unknown, more = {}) => ({ status: 200, body: { success: true, result, ...more } });

/** What KV answers, or undefined for other paths; its pages are small, so that there are several. */
async function runKv(entries: Map<string, KvEntry>, request: IncomingMessage) {
  const root = `/accounts/${ACCOUNT}/storage/kv/namespaces`;
  if (request.url?.startsWith(`${root}?`))
    return answered([{ id: NAMESPACE, title: "commonplace-oauth-kv" }]);
  if (!request.url?.startsWith(`${root}/${NAMESPACE}/`)) return undefined;
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname.endsWith("/keys")) {
    const start = Number(searchParams.get("cursor") ?? 0);
    const all = [...entries.values()].map(({ key: name, value: _, ...more }) => ({ name, ...more }));
    const cursor = start + MAX_LISTED < all.length ? String(start + MAX_LISTED) : "";
    return answered(all.slice(start, start + MAX_LISTED), { result_info: { cursor } });
  }
  if (pathname.endsWith("/bulk/get")) {
    const { keys } = (await json(request)) as { keys: string[] };
    return answered({
      values: Object.fromEntries(keys.map((key) => [key, entries.get(key)?.value ?? null])),
    });
  }
  for (const entry of (await json(request)) as KvEntry[]) entries.set(entry.key, entry);
  return answered({ successful_key_count: entries.size, unsuccessful_keys: [] });
}

const refused = (status: number, message: string) => ({
  status,
  body: { success: false, errors: [{ code: status, message }], result: null },
});

const isWrite = ({ sql }: Query) => /^(INSERT|UPDATE|DELETE)/.test(sql);

/** Starts the API with one empty database. */
export async function startD1Api(migrations = MIGRATIONS): Promise<D1Api> {
  const database = migrated(migrations);
  const entries = new Map<string, KvEntry>();
  let largest = 0;
  let writes = 0;
  let handler: (number: number) => number | undefined = () => undefined;

  const answerQuery = async (request: IncomingMessage) => {
    const body = (await json(request)) as Body;
    const queries = "batch" in body ? body.batch : [body];
    const status = queries.some(isWrite) ? handler(writes++) : undefined;
    return status === undefined ? runAll(database, queries) : refused(status, "Try again");
  };
  const answer = async (request: IncomingMessage) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return refused(403, "Authentication error");
    const root = `/accounts/${ACCOUNT}/d1/database`;
    if (request.url === `${root}?name=commonplace`)
      return { status: 200, body: { success: true, result: [{ uuid: DATABASE, name: "commonplace" }] } };
    if (request.url === `${root}/${DATABASE}/query`) return answerQuery(request);
    return (await runKv(entries, request)) ?? refused(404, `No route for ${request.url}`);
  };
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request);
    const text = JSON.stringify(body);
    largest = Math.max(largest, text.length);
    response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "0" }).end(text);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    database,
    entries,
    largest: () => largest,
    onWrite: (next) => {
      handler = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      database.close();
    },
  };
}
