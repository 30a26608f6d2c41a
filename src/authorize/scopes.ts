import { ACCESSES, type Access } from "../core/access.ts";

// What a client may be allowed, as a person reads it. Plain values in, plain values out.

const TEXTS: Record<Access, string> = {
  "docs:read": "Read and search your documents",
  "docs:write": "Create, change and delete documents",
  "memory:read": "Read your commitments, decisions and other records",
  "memory:write": "Add, change and close records",
};

export type Choice = { scope: Access; text: string; chosen: boolean };

/** Every permission, with those chosen that the client asks for; all of them when it names none that we know. */
export function choicesFor(requested: readonly string[]): Choice[] {
  const known = ACCESSES.filter((scope) => requested.includes(scope));
  const chosen = known.length > 0 ? known : ACCESSES;
  return ACCESSES.map((scope) => ({ scope, text: TEXTS[scope], chosen: chosen.includes(scope) }));
}

/**
 * What is granted: what the person ticked, and to be let in again later where the client asked for it. Nothing when
 * nothing that exists was ticked.
 */
export function grantedScopes(ticked: readonly string[], requested: readonly string[]): string[] {
  const chosen = ACCESSES.filter((scope) => ticked.includes(scope));
  if (chosen.length === 0) return [];
  return requested.includes("offline_access") ? [...chosen, "offline_access"] : chosen;
}

const MAX_NAME = 80;

/** A name that a stranger chose, without characters that hide or turn the text around it. */
export const shownName = (name: string): string => {
  const visible = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim();
  return visible.length > MAX_NAME ? `${visible.slice(0, MAX_NAME).toWellFormed()}…` : visible;
};

/** Where the browser may be sent after the form, as a policy names it: an origin, or the scheme of an app. */
export function formTarget(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === "null" ? protocol : origin;
}
