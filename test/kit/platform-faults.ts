import { env } from "cloudflare:workers";
import { type Course, MESSAGES, withFaults } from "./d1-faults.ts";

// Everything that the service asks of the platform, as it fails on a bad day: each call is drawn by what it asks.

export type Part = "database" | "kv" | "object" | "limit" | "outside";

/** Draws the outcome of a call: `name` is its statements or its method. */
export type Draw = (part: Part, name: string) => Course;

type Failing = Exclude<Course, "well">;
type Call = { part: Part; name: string; carryOut: () => unknown };

/** Shared by all test files of an isolate, each of which has modules of its own. */
const shared = globalThis as { platformDraw?: Draw; platformFails?: true };

const KV: Partial<Record<Failing, string>> = {
  queued: "KV PUT failed: 429 Too Many Requests",
  before: "KV GET failed: 503 Service Unavailable",
};

/** The exceptions of a stub, with the properties that Cloudflare documents. */
const ofObject = (course: Failing) =>
  course === "queued"
    ? Object.assign(new Error("Durable Object is overloaded. Too many requests queued."), {
        overloaded: true,
      })
    : Object.assign(new Error("Network connection lost."), { retryable: true });

function errorOf(part: Part, course: Failing): Error {
  if (course === "late") return new Error(MESSAGES.late[0]);
  if (part === "object") return ofObject(course);
  return new Error((part === "kv" && KV[course]) || "Network connection lost.");
}

async function drawn({ part, name, carryOut }: Call): Promise<unknown> {
  const course = shared.platformDraw?.(part, name) ?? "well";
  if (course === "well") return carryOut();
  if (course === "after") await carryOut();
  throw errorOf(part, course);
}

type Methods = Record<string, (...given: unknown[]) => unknown>;

function installOn(owner: object, part: Part, names: string[]): void {
  const methods = Object.getPrototypeOf(owner) as Methods;
  for (const name of names) {
    const method = methods[name] as Methods[string];
    methods[name] = function (this: object, ...given: unknown[]) {
      return drawn({ part, name, carryOut: () => method.apply(this, given) });
    };
  }
}

const failing = (stub: object) =>
  new Proxy(stub, {
    get: (_, name) => {
      const value: unknown = Reflect.get(stub, name);
      if (typeof value !== "function") return value;
      const carryOut = (given: unknown[]) => Reflect.apply(value, stub, given);
      return (...given: unknown[]) =>
        drawn({ part: "object", name: String(name), carryOut: () => carryOut(given) });
    },
  });

function install(): void {
  if (shared.platformFails) return;
  shared.platformFails = true;
  installOn(env.OAUTH_KV, "kv", ["get", "getWithMetadata", "put", "delete", "list"]);
  installOn(env.USER_LIMIT, "limit", ["limit"]);
  const namespaces = Object.getPrototypeOf(env.RATE_LIMITER) as Methods;
  for (const name of ["get", "getByName"]) {
    const method = namespaces[name] as Methods[string];
    namespaces[name] = function (this: object, ...given: unknown[]) {
      const stub = method.apply(this, given) as object;
      return shared.platformDraw ? failing(stub) : stub;
    };
  }
}

const outbound = {
  fetch: (input: RequestInfo, init?: RequestInit) =>
    drawn({ part: "outside", name: "fetch", carryOut: () => fetch(input, init) }),
};

/** Runs something while the calls to all parts of the platform go as they are drawn. */
export async function withPlatformFaults<Result>(draw: Draw, run: () => Promise<Result>): Promise<Result> {
  install();
  shared.platformDraw = draw;
  Object.assign(env, { OUTBOUND: outbound });
  return withFaults((texts) => draw("database", texts.join("; ")), run).finally(() => {
    delete shared.platformDraw;
    Reflect.deleteProperty(env, "OUTBOUND");
  });
}

/** The calls to one part go so, one after the other, and then well. */
export function onPart(part: Part, courses: Course[], names = /./): Draw {
  const left = [...courses];
  return (of, name) => (of === part && names.test(name) ? (left.shift() ?? "well") : "well");
}
