import { env } from "cloudflare:workers";

// The databases, buckets and namespaces that were called since the last test, so that only those need to be emptied:
// asking each of them what it holds took as long as many tests.

type Methods = Record<string, (this: object, ...given: never[]) => unknown>;

/** Shared by all test files of an isolate, each of which has modules of its own. */
const shared = globalThis as { usedStores?: Set<object> };

/** Makes some methods of a class note the store that they were called on, or belong to. */
function watch(example: object, names: readonly string[], storeOf = (called: object) => called): void {
  const methods = Object.getPrototypeOf(example) as Methods;
  for (const name of names) {
    const method = methods[name];
    if (!method) throw new Error(`This version of the runtime has no ${name} there`);
    methods[name] = function (...given) {
      shared.usedStores?.add(storeOf(this));
      return method.apply(this, given);
    };
  }
}

/** Begins to note what is called. */
export function watchStores(): void {
  if (shared.usedStores) return;
  shared.usedStores = new Set();
  const databases = new WeakMap<object, object>();
  const session = env.DB.withSession();
  const prototype = Object.getPrototypeOf(env.DB) as D1Database;
  const { withSession } = prototype;
  prototype.withSession = function (...how) {
    const opened = withSession.apply(this, how);
    databases.set(opened, this);
    return opened;
  };
  watch(env.DB, ["prepare", "batch", "exec", "withSession"]);
  // A session may be older than the test. D1 has one of its own for what is called without any.
  watch(session, ["prepare", "batch"], (called) => databases.get(called) ?? called);
  watch(env.OAUTH_KV, ["put", "delete"]);
  if (env.FILES) watch(env.FILES, ["put", "createMultipartUpload"]);
}

/** Whether one of these was called since the last call of `forgetUse`. */
export const wereUsed = (...stores: readonly (object | undefined)[]): boolean =>
  stores.some((store) => store !== undefined && shared.usedStores?.has(store));

export const forgetUse = (): void => shared.usedStores?.clear();
