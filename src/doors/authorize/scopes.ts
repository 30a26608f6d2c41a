import { ACCESS_SCOPES, type Access } from "../../contract/access.ts";

const TEXTS: Record<Access, string> = {
  "docs:read": "Read and search your documents",
  "docs:write": "Create, change and delete documents",
  "memory:read": "Read your commitments, decisions and other records",
  "memory:write": "Add, change and close records",
};

export type ScopeChoice = { scope: Access; text: string; chosen: boolean };

/** All permissions, with those preselected that the client requests, or all if it requests none that exist. */
export function scopeChoices(requested: readonly string[]): ScopeChoice[] {
  const known = ACCESS_SCOPES.filter((scope) => requested.includes(scope));
  const chosen = known.length > 0 ? known : ACCESS_SCOPES;
  return ACCESS_SCOPES.map((scope) => ({ scope, text: TEXTS[scope], chosen: chosen.includes(scope) }));
}

/** The permissions chosen, plus `offline_access` if the client requested it. Empty if none that exists was chosen. */
export function grantedScopes(ticked: readonly string[], requested: readonly string[]): string[] {
  const chosen = ACCESS_SCOPES.filter((scope) => ticked.includes(scope));
  if (chosen.length === 0) return [];
  return requested.includes("offline_access") ? [...chosen, "offline_access"] : chosen;
}

/** A Content-Security-Policy source for the form's redirect: an origin, or an app's scheme. */
export function formTarget(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === "null" ? protocol : origin;
}
