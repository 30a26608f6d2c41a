import type { Env } from "../../src/env.ts";
import service, { McpSession as Session } from "../../src/index.ts";
import { type Meter, meterDatabase } from "./meter.ts";

export * from "../../src/index.ts";

// The service itself, with everything counted that it asks of Durable Objects, D1 and KV. An answer of a session comes
// as a stream and is worked out in an object with bindings of its own, so the count is asked for after the answer:
// GET /cost tells what has been used since it was last asked. It knows nothing of the service but src/index.ts, so that
// another commit can be counted with the same file.

/** What was used: requests to Durable Objects and writes to their storage, rows of D1, calls of D1 and KV. */
export type Usage = Meter & { objects: number; stored: number; kv: number };

const NOTHING: Usage = { rowsRead: 0, rowsWritten: 0, calls: 0, objects: 0, stored: 0, kv: 0 };
const used = { ...NOTHING };
/** Statements of objects: they know how many rows they wrote when they have been read to their end. */
const cursors: SqlStorageCursor<never>[] = [];

/** The same thing, with each call of a method counted. What is no method, and `then` of a stub, is left alone. */
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

/** A namespace whose stubs count: each call of a method and each fetch is billed as a request. */
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

/** An object's storage whose writes count: one for each key, alarm and row. */
function countWrites(storage: DurableObjectStorage): DurableObjectStorage {
  const write = (name: string) => {
    if (WRITES.includes(name)) used.stored++;
  };
  const exec = (...statement: Parameters<SqlStorage["exec"]>) => {
    const cursor = storage.sql.exec(...statement);
    cursors.push(cursor as unknown as SqlStorageCursor<never>);
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
    Object.assign(used, NOTHING);
    return answer;
  },
} satisfies ExportedHandler<Env>;
