// The scopes of API keys and MCP clients.

export const ACCESSES = ["docs:read", "docs:write", "memory:read", "memory:write"] as const;

/** A permission that a caller needs. */
export type Access = (typeof ACCESSES)[number];

/** The read scope that corresponds to a write scope. */
export const readingOf = (access: Access): Access => access.replace(":write", ":read") as Access;
