export const ACCESS_SCOPES = ["docs:read", "docs:write", "memory:read", "memory:write"] as const;

export type Access = (typeof ACCESS_SCOPES)[number];

/** Only for API keys: allows reading the briefing as text, and nothing else. */
export const BRIEFING_SCOPE = "briefing:read";

export const KEY_SCOPES = [...ACCESS_SCOPES, BRIEFING_SCOPE] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

export const readAccessFor = <Scope extends KeyScope>(access: Scope): Scope =>
  access.replace(":write", ":read") as Scope;

/** Whether these scopes include the needed one. `memory:read` includes the briefing. */
export const grantsScope = (scopes: readonly KeyScope[], needed: KeyScope): boolean =>
  scopes.includes(needed) || (needed === BRIEFING_SCOPE && scopes.includes("memory:read"));
