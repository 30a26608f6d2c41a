// What a caller may be allowed to do: the scopes of API keys and of MCP clients.

export const ACCESSES = ["docs:read", "docs:write", "memory:read", "memory:write"] as const;

/** What a caller must be allowed to do. */
export type Access = (typeof ACCESSES)[number];

/** The access that reads what this one writes. */
export const readingOf = (access: Access): Access => access.replace(":write", ":read") as Access;
