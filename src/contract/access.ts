export const ACCESSES = ["docs:read", "docs:write", "memory:read", "memory:write"] as const;

export type Access = (typeof ACCESSES)[number];

export const readingOf = (access: Access): Access => access.replace(":write", ":read") as Access;
