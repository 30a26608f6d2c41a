import type { Env } from "../../env.ts";
import { type Effect, type Fault, says, throughFaults } from "../core/faults.ts";
import { remembering } from "../core/recent.ts";

// Whatever is asked of KV may be asked twice: a key gets the same value again. A key can be written once a second.

const FAULTS: readonly (Fault & { words: RegExp })[] = [
  { name: "KV daily limit", kind: "spent", words: /limit exceeded for the day/i },
  { name: "KV", kind: "lost", words: /KV \w+ failed: (?:429|5\d\d)|network connection lost|internal error/i },
  { name: "KV time limit", kind: "late", words: /exceeded the time limit of this service/ },
];

const faultOf = (problem: unknown) => FAULTS.find(({ words }) => says(problem, words));

const EFFECTS: Record<string, Effect> = {
  ...{ get: "none", getWithMetadata: "none", list: "none" },
  ...{ put: "once", delete: "once" },
};

type Method = (...given: unknown[]) => Promise<unknown>;

/** What is said of an access token is true as long as it lives. KV itself is up to a minute late elsewhere. */
const TOKEN = "token:";
const BELIEVED_MS = 30_000;
const MAX_TOKENS = 1000;
const tokens = remembering<string, { value: unknown; read_at: number }>(MAX_TOKENS);

/** A method that does not ask again for a token that it has just read. A change made here is known at once. */
const remembered =
  (name: string, method: Method): Method =>
  async (key, ...given) => {
    if (typeof key !== "string" || !key.startsWith(TOKEN)) return method(key, ...given);
    const last = tokens.get(key);
    if (name === "get" && last && Date.now() - last.read_at < BELIEVED_MS) return last.value;
    tokens.forget(key);
    const value = await method(key, ...given);
    if (name === "get" && value !== null) tokens.set(key, { value, read_at: Date.now() });
    return value;
  };

const steady = (kv: KVNamespace): KVNamespace =>
  new Proxy(kv, {
    get: (_, name) => {
      const value: unknown = Reflect.get(kv, name);
      const effect = EFFECTS[String(name)];
      if (typeof value !== "function") return value;
      if (!effect) return value.bind(kv);
      const course = { what: "The store of connections", effectOf: () => effect, faultOf };
      return remembered(String(name), (...given) => throughFaults(course, () => value.apply(kv, given)));
    },
  });

export const withSteadyKv = (env: Env): Env => ({ ...env, OAUTH_KV: steady(env.OAUTH_KV) });
