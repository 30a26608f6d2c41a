import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { KeyScope } from "../../contract/access.ts";
import type { RecordKind } from "../../contract/activity-words.ts";
import type { BodyLimit } from "../../contract/body-limit.ts";
import type { LimitedResource } from "../../contract/quota.ts";
import type { AppEnv } from "../core/ctx.ts";

// Each operation declares its rules in its definition, and middleware enforces them. There is no other list of operations.

export type AllowedCallers =
  /** No credential is required. */
  | "anyone"
  /** A signed-in person. No API key may, whatever its scopes. */
  | "person"
  /** A signed-in person, or an API key with this scope or all of these; any key for `[]`. */
  | KeyScope
  | readonly KeyScope[]
  /** The same, but the parameter `type` determines which of these scopes a key needs. */
  | { byType: readonly KeyScope[] };

type ReadRules = {
  access: AllowedCallers;
  /** Whether it counts towards the daily limit. Ending something, signing in and exporting do not. */
  daily: "limited" | "unlimited";
  /** Of a read: must not use a replica, because it has to know of every sign-out. Writes never use a replica. */
  primary?: true;
  /** Runs alone in its account's queue, because it may compute for a tenth of a second or more. */
  alone?: true;
};

export type WriteEffects = {
  /** The limits of a plan that it can reach. `history`: it only adds to a record's history, which has its own limit. */
  adds: readonly Exclude<LimitedResource, "requests_per_day">[] | "history";
  /** The kinds that it changes. Each change has an activity entry and sends webhooks, and the response has `Change-Id`. */
  changes: readonly RecordKind[];
};

type WriteRules = ReadRules &
  WriteEffects & {
    /** The largest body accepted; `streamed` if the code that reads it in chunks enforces a limit. */
    body: "none" | BodyLimit | "streamed";
    /** Its response contains no content, only the outcome for each record, so keys without read access get it too. */
    reports?: true;
  };

export type RulesForMethod<Method> = Method extends "get" ? ReadRules : WriteRules;

export type OperationRules = ReadRules & Partial<WriteRules>;

type RulesMiddleware = MiddlewareHandler<AppEnv> & { rules?: OperationRules };

export const isRead = (method: string) => method === "GET" || method === "HEAD";

/** Middleware that only carries the rules of an operation. */
export const withRules = (rules: OperationRules): MiddlewareHandler<AppEnv> =>
  Object.assign(((_, next) => next()) satisfies MiddlewareHandler<AppEnv>, { rules });

/** The rules of the operation that a request matches; undefined if none. Available to all middleware. */
export function operationRules(c: Context): OperationRules | undefined {
  for (const { handler } of matchedRoutes(c)) {
    const { rules } = handler as RulesMiddleware;
    if (rules) return rules;
  }
  return undefined;
}

const PREFIXES = new Map([
  ["documents", "docs:"],
  ["memories", "memory:"],
]);

function neededByType(both: readonly KeyScope[], types: readonly string[]): readonly KeyScope[] {
  const kinds = types.length === 0 ? ["documents"] : types;
  const prefix = kinds.every((kind) => kind === kinds[0]) && PREFIXES.get(kinds[0] ?? "");
  return prefix ? both.filter((access) => access.startsWith(prefix)) : both;
}

/** The scopes that a key needs, given the values of `type`; undefined if no key may, or there are no rules. */
export function neededScopes(
  access: AllowedCallers | undefined,
  types: readonly string[] = [],
): readonly KeyScope[] | undefined {
  if (access === undefined || access === "person") return undefined;
  if (access === "anyone") return [];
  if (typeof access === "object" && "byType" in access) return neededByType(access.byType, types);
  return [access].flat();
}
