export const ACCESSES = ["docs:read", "docs:write", "memory:read", "memory:write"] as const;

export type Access = (typeof ACCESSES)[number];

/** What only a key can have: the briefing as a text, for a program that begins conversations, and nothing else. */
export const BRIEFING = "briefing:read";

export const KEY_SCOPES = [...ACCESSES, BRIEFING] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

export const readingOf = <Scope extends KeyScope>(access: Scope): Scope =>
  access.replace(":write", ":read") as Scope;

/** Whether a key with these scopes may: who may read the records may read what is due of them. */
export const allows = (scopes: readonly KeyScope[], needed: KeyScope): boolean =>
  scopes.includes(needed) || (needed === BRIEFING && scopes.includes("memory:read"));
