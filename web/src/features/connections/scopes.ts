import type { ApiKey } from "../../api/api-keys.ts";

type Scope = ApiKey["scopes"][number];

/** The permissions of API keys, worded as on the consent page. */
export const SCOPES: readonly { value: Scope; text: string }[] = [
  { value: "docs:read", text: "Read and search your documents" },
  { value: "docs:write", text: "Create, change and delete documents" },
  { value: "memory:read", text: "Read your commitments, decisions and other records" },
  { value: "memory:write", text: "Add, change and close records" },
  { value: "briefing:read", text: "Only read what is due, for the Claude Code and Codex plugin" },
];

export const DEFAULT_SCOPES = SCOPES.map(({ value }) => value).filter((value) => value !== "briefing:read");

const SCOPE_GROUPS = [
  { name: "documents", read: "docs:read", write: "docs:write" },
  { name: "records", read: "memory:read", write: "memory:write" },
];

/** "documents: read and write · records: read" */
export function scopesText(scopes: readonly string[]): string {
  const parts = SCOPE_GROUPS.flatMap(({ name, read, write }) => {
    const may = [scopes.includes(read) && "read", scopes.includes(write) && "write"].filter(Boolean);
    return may.length > 0 ? [`${name}: ${may.join(" and ")}`] : [];
  });
  return [...parts, ...(scopes.includes("briefing:read") ? ["briefing: read"] : [])].join(" · ");
}
