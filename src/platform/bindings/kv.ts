import type { Env } from "../../env.ts";
import { type Effect, type Fault, says, throughFaults } from "../core/faults.ts";

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

const steady = (kv: KVNamespace): KVNamespace =>
  new Proxy(kv, {
    get: (_, name) => {
      const value: unknown = Reflect.get(kv, name);
      const effect = EFFECTS[String(name)];
      if (typeof value !== "function") return value;
      if (!effect) return value.bind(kv);
      const course = { what: "The store of connections", effectOf: () => effect, faultOf };
      return (...given: unknown[]) => throughFaults(course, () => value.apply(kv, given));
    },
  });

export const withSteadyKv = (env: Env): Env => ({ ...env, OAUTH_KV: steady(env.OAUTH_KV) });
