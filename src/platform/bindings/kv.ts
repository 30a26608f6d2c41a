import type { Env } from "../../env.ts";
import { callWithRetries, type Fault, messageMatches, type RepeatEffect } from "../core/faults.ts";
import { createRecentMap } from "../core/recent-map.ts";

// Every KV call may be repeated, because it writes the same value to the same key. A key can be written once a second.

const FAULTS: readonly (Fault & { words: RegExp })[] = [
  { name: "KV daily limit", kind: "spent", words: /limit exceeded for the day/i },
  { name: "KV", kind: "lost", words: /KV \w+ failed: (?:429|5\d\d)|network connection lost|internal error/i },
  { name: "KV time limit", kind: "late", words: /exceeded the time limit of this service/ },
];

const faultOf = (problem: unknown) => FAULTS.find(({ words }) => messageMatches(problem, words));

const EFFECTS: Record<string, RepeatEffect> = {
  get: "none",
  getWithMetadata: "none",
  list: "none",
  put: "once",
  delete: "once",
};

type Method = (...args: unknown[]) => Promise<unknown>;

/** The value of an access token does not change until it is deleted, so it is cached. KV itself may lag by a minute. */
const TOKEN = "token:";
const CACHED_MS = 30_000;
const MAX_TOKENS = 1000;
const tokens = createRecentMap<string, { value: unknown; read_at: number }>(MAX_TOKENS);

/** Caches tokens that were just read. A change in this isolate takes effect immediately. */
const withTokenCache =
  (name: string, method: Method): Method =>
  async (key, ...args) => {
    if (typeof key !== "string" || !key.startsWith(TOKEN)) return method(key, ...args);
    const last = tokens.get(key);
    if (name === "get" && last && Date.now() - last.read_at < CACHED_MS) return last.value;
    tokens.forget(key);
    const value = await method(key, ...args);
    if (name === "get" && value !== null) tokens.set(key, { value, read_at: Date.now() });
    return value;
  };

const withRetries = (kv: KVNamespace): KVNamespace =>
  new Proxy(kv, {
    get: (_, name) => {
      const value: unknown = Reflect.get(kv, name);
      const effect = EFFECTS[String(name)];
      if (typeof value !== "function") return value;
      if (!effect) return value.bind(kv);
      const call = { what: "The store of connections", effectOf: () => effect, faultOf };
      return withTokenCache(String(name), (...args) => callWithRetries(call, () => value.apply(kv, args)));
    },
  });

export const withRetryingKv = (env: Env): Env => ({ ...env, OAUTH_KV: withRetries(env.OAUTH_KV) });
