import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { KeyScope } from "../../contract/access.ts";
import type { BodyLimit } from "../../contract/body-limit.ts";
import type { Kind } from "../../contract/ledger-words.ts";
import type { Limited } from "../../contract/quota.ts";
import type { AppEnv } from "../core/ctx.ts";

// What an operation states in its definition is what happens: there is no other list of operations.

export type Callers =
  /** Everybody, without a credential. */
  | "anyone"
  /** Who is signed in. No API key may, whatever its scopes. */
  | "person"
  /** They, and a key with this scope or all of these; any key with `[]`. */
  | KeyScope
  | readonly KeyScope[]
  /** The same, where the parameter `type` says which of them are needed. */
  | { byType: readonly KeyScope[] };

type ReadRules = {
  access: Callers;
  /** Whether it counts against the day: not what ends something, signs people in, or takes everything out. */
  daily: "limited" | "unlimited";
  /** Of a read: no replica answers it, because it must know of every sign-out. Writes never ask a replica. */
  primary?: true;
  /** Nothing else of the account runs meanwhile, because it may compute for a tenth of a second and more. */
  alone?: true;
};

export type Effects = {
  /** Which limits of a plan it can reach. `history`: it only adds to that of a record, which has a limit of its own. */
  adds: readonly Exclude<Limited, "requests_per_day">[] | "history";
  /** What it changes, with an entry in the ledger: webhooks hear of it, and the answer has `Change-Id`. */
  changes: readonly Kind[];
};

type WriteRules = ReadRules &
  Effects & {
    /** The largest body that is accepted; `streamed` when whatever reads it in pieces limits it. */
    body: "none" | BodyLimit | "streamed";
    /** Its answer shows no record, only what became of each, so that a key that may not read gets it too. */
    reports?: true;
  };

export type RulesOf<Method> = Method extends "get" ? ReadRules : WriteRules;

export type Rules = ReadRules & Partial<WriteRules>;

type Stating = MiddlewareHandler<AppEnv> & { rules?: Rules };

/** The middleware that marks an operation's handlers with its rules. It does nothing else. */
export const stating = (rules: Rules): MiddlewareHandler<AppEnv> =>
  Object.assign(((_, next) => next()) satisfies MiddlewareHandler<AppEnv>, { rules });

/** The rules of the operation that will answer a request; undefined when none will. All middleware may ask. */
export function rulesOf(c: Context): Rules | undefined {
  for (const { handler } of matchedRoutes(c)) {
    const { rules } = handler as Stating;
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

/** The scopes that a key needs, given the values of `type`; undefined when no key may, or nothing is stated. */
export function neededScopes(
  access: Callers | undefined,
  types: readonly string[] = [],
): readonly KeyScope[] | undefined {
  if (access === undefined || access === "person") return undefined;
  if (access === "anyone") return [];
  if (typeof access === "object" && "byType" in access) return neededByType(access.byType, types);
  return [access].flat();
}
