import type { Env } from "../../src/env.ts";
import service, { McpSession as Session } from "../../src/index.ts";
import { type Meter, meterDatabase } from "./meter.ts";

export * from "../../src/index.ts";

// The service, counting its use of Durable Objects, D1 and KV. A session answers with a stream from an object with its
// own bindings, so the count is read after the answer: GET /cost returns the usage since it was last read. It imports
// only src/index.ts of the service, so that other commits can be counted with the same file.

/** Usage: requests to Durable Objects and writes to their storage, rows of D1, calls of D1 and KV, and how many databases were asked. */
export type Usage = Meter & { databases: number; objects: number; stored: number; kv: number };

const NOTHING = { objects: 0, stored: 0, kv: 0 };
const used = { ...NOTHING };
/** The use of each database, by its binding. */
const databases = new Map<string, Meter>();

function meterOfDatabase(name: string): Meter {
  const meter = databases.get(name) ?? { rowsRead: 0, rowsWritten: 0, calls: 0 };
  databases.set(name, meter);
  return meter;
}

/** The use of all databases, and how many of them were asked. */
function ofDatabases(): Meter & { databases: number } {
  const asked = [...databases.values()].filter(({ calls }) => calls > 0);
  const sum = (name: keyof Meter) => asked.reduce((all, meter) => all + meter[name], 0);
  return {
    databases: asked.length,
    rowsRead: sum("rowsRead"),
    rowsWritten: sum("rowsWritten"),
    calls: sum("calls"),
  };
}
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

function meterBinding(name: string, binding: unknown): unknown {
  if (typeof binding !== "object" || binding === null) return binding;
  if ("withSession" in binding) return meterDatabase(binding as D1Database, meterOfDatabase(name));
  if ("idFromName" in binding) return countRequests(binding);
  if ("getWithMetadata" in binding) return counted(binding, () => void used.kv++);
  return binding;
}

const meterOf = <Bindings extends Env>(env: Bindings): Bindings =>
  Object.fromEntries(
    Object.entries(env).map(([name, binding]) => [name, meterBinding(name, binding)]),
  ) as Bindings;

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
    const answer = Response.json({ ...ofDatabases(), ...used, stored: used.stored + rows });
    Object.assign(used, NOTHING);
    // A context that is still open goes on counting with the same meter.
    for (const meter of databases.values()) Object.assign(meter, { rowsRead: 0, rowsWritten: 0, calls: 0 });
    return answer;
  },
} satisfies ExportedHandler<Env>;
