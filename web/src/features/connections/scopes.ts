import type { ApiKey } from "../../api/api-keys.ts";

type Scope = ApiKey["scopes"][number];

/** What a client or key may do, in the words of the consent page. */
export const SCOPES: readonly { value: Scope; text: string }[] = [
  { value: "docs:read", text: "Read and search your documents" },
  { value: "docs:write", text: "Create, change and delete documents" },
  { value: "memory:read", text: "Read your commitments, decisions and other records" },
  { value: "memory:write", text: "Add, change and close records" },
];

const PARTS = [
  { name: "documents", read: "docs:read", write: "docs:write" },
  { name: "records", read: "memory:read", write: "memory:write" },
];

/** "documents: read and write · records: read" */
export const scopesText = (scopes: readonly string[]): string =>
  PARTS.flatMap(({ name, read, write }) => {
    const may = [scopes.includes(read) && "read", scopes.includes(write) && "write"].filter(Boolean);
    return may.length > 0 ? [`${name}: ${may.join(" and ")}`] : [];
  }).join(" · ");
