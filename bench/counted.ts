import type { Env } from "../src/env.ts";
import service, { McpSession as Session } from "../src/index.ts";
import { type Meter, meterDatabase } from "../test/kit/meter.ts";

export * from "../src/index.ts";

// The service, with its usage of Durable Objects, D1 and KV counted. GET /cost returns the usage since it was last read. This
// file imports only src/index.ts of the service, so that it can also count other commits.

/** Requests to Durable Objects (`objects`) and writes to their storage (`stored`), KV calls, D1 rows and calls. */
export type Usage = Meter & { objects: number; stored: number; kv: number };

const NOTHING: Usage = { rowsRead: 0, rowsWritten: 0, calls: 0, objects: 0, stored: 0, kv: 0 };
const used = { ...NOTHING };
/** A cursor knows the number of written rows only after it has been read to the end. */
const cursors: SqlStorageCursor<never>[] = [];

/** A proxy that reports each method call, except `then` of a stub. */
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

/** A namespace whose stubs count method calls and fetches, which are billed as requests. */
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

/** A Durable Object's storage that counts writes: one per key, alarm and row. */
function countWrites(storage: DurableObjectStorage): DurableObjectStorage {
  const write = (name: string) => {
    if (WRITES.includes(name)) used.stored++;
  };
  const exec = (...statement: Parameters<SqlStorage["exec"]>) => {
    const cursor = storage.sql.exec(...statement);
    // Miniflare stores the name of each object; Cloudflare does not.
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
    // Reset in place, because requests in progress still count in it.
    Object.assign(used, NOTHING);
    return answer;
  },
} satisfies ExportedHandler<Env>;
