export const ACCESSES = ["docs:read", "docs:write", "memory:read", "memory:write"] as const;

export type Access = (typeof ACCESSES)[number];

/** Only for API keys: allows reading the briefing as text, and nothing else. */
export const BRIEFING = "briefing:read";

export const KEY_SCOPES = [...ACCESSES, BRIEFING] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

export const readingOf = <Scope extends KeyScope>(access: Scope): Scope =>
  access.replace(":write", ":read") as Scope;

/** Whether these scopes include the needed one. `memory:read` includes the briefing. */
export const allows = (scopes: readonly KeyScope[], needed: KeyScope): boolean =>
  scopes.includes(needed) || (needed === BRIEFING && scopes.includes("memory:read"));
