import type { Env } from "../src/env.ts";
import service, { McpSession as Session } from "../src/index.ts";
import { type Meter, meterDatabase } from "../test/kit/meter.ts";

export * from "../src/index.ts";

// The service, counting its use of Durable Objects, D1 and KV. A session answers with a stream from an object with its
// own bindings, so the count is read after the answer: GET /cost returns the usage since it was last read. It imports
// only src/index.ts of the service, so that other commits can be counted with the same file.

/** Requests to Durable Objects and writes to their storage, calls of KV, rows and calls of D1. */
export type Usage = Meter & { objects: number; stored: number; kv: number };

const NOTHING: Usage = { rowsRead: 0, rowsWritten: 0, calls: 0, objects: 0, stored: 0, kv: 0 };
const used = { ...NOTHING };
/** Cursors of Durable Objects, which know how many rows they wrote once they have been read to the end. */
const cursors: SqlStorageCursor<never>[] = [];

/** A proxy that counts each method call, except `then` of a stub. */
function counted<Target extends object>(target: Target, count: (name: string) => void): Target {
  return new Proxy(target, {
    get: (_, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function" || typeof name === "symbol" || name === "then") return value;
      return (...args: unknown[]) => {
        count(name);
        return (target as unknown as Record<string, (...args: unknown[]) => unknown>)[name]?.(...args);
      };
    },
  });
}

const STUBS = ["get", "getByName"];

/** A namespace whose stubs count: each method call and each fetch is billed as a request. */
function countRequests<Namespace extends object>(namespace: Namespace): Namespace {
  return new Proxy(namespace, {
    get: (_, name) => {
      const method = Reflect.get(namespace, name) as (...args: unknown[]) => object;
      return (...args: unknown[]) => {
        const result = method.apply(namespace, args);
        const isStub = STUBS.includes(String(name));
        return isStub ? counted(result, () => void used.objects++) : result;
      };
    },
  });
}

const WRITES = ["put", "delete", "setAlarm"];

/** An object's storage that counts its writes: one per key, alarm and row. */
function countWrites(storage: DurableObjectStorage): DurableObjectStorage {
  const write = (name: string) => {
    if (WRITES.includes(name)) used.stored++;
  };
  const exec = (...statement: Parameters<SqlStorage["exec"]>) => {
    const cursor = storage.sql.exec(...statement);
    // Miniflare stores the name of each object that it wakes; Cloudflare does not.
    if (!statement[0].includes("__miniflare_")) cursors.push(cursor as unknown as SqlStorageCursor<never>);
    return cursor;
  };
  const parts = {
    kv: counted(storage.kv, write),
    sql: new Proxy(storage.sql, { get: (sql, name) => (name === "exec" ? exec : Reflect.get(sql, name)) }),
  };
  const all = counted(storage, write);
  return new Proxy(storage, {
    get: (_, name) => (name in parts ? parts[name as keyof typeof parts] : Reflect.get(all, name)),
  });
}

function meterBinding(binding: unknown): unknown {
  if (typeof binding !== "object" || binding === null) return binding;
  if ("withSession" in binding) return meterDatabase(binding as D1Database, used);
  if ("idFromName" in binding) return countRequests(binding);
  if ("getWithMetadata" in binding) return counted(binding, () => void used.kv++);
  return binding;
}

const meterOf = <Bindings extends Env>(env: Bindings): Bindings =>
  Object.fromEntries(Object.entries(env).map(([name, binding]) => [name, meterBinding(binding)])) as Bindings;

export class McpSession extends Session {
  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    Object.defineProperty(state, "storage", { value: countWrites(state.storage) });
    super(state, meterOf(env));
  }
}

export default {
  fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/cost") return service.fetch(request, meterOf(env), context);
    const rows = cursors.splice(0).reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
    const answer = Response.json({ ...used, stored: used.stored + rows });
    // A context that is still open goes on counting with the same meter.
    Object.assign(used, NOTHING);
    return answer;
  },
} satisfies ExportedHandler<Env>;
