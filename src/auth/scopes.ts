import type { Access } from "../core/tool.ts";

// What a key must be allowed to do for a request of the API. Sign-in itself needs no scope: it may do everything.

type Needs = { read: Access[]; write: Access[] };

const DOCS: Needs = { read: ["docs:read"], write: ["docs:write"] };
const MEMORY: Needs = { read: ["memory:read"], write: ["memory:write"] };
const BOTH: Needs = { read: ["docs:read", "memory:read"], write: ["docs:write", "memory:write"] };

/** By the first word after /api. What is not here (accounts, keys, connections, payments) no key may touch. */
const NEEDS: Record<string, Needs> = {
  documents: DOCS,
  folders: DOCS,
  tags: DOCS,
  trash: DOCS,
  memories: MEMORY,
  dashboard: MEMORY,
  export: BOTH,
  import: BOTH,
};

const READING = ["GET", "HEAD"];

/** Which kinds of records a search may show; suggestions come from all of them. */
function neededToSearch(path: string, type: string | null): Access[] {
  if (path.startsWith("/api/search/") || type === "all") return BOTH.read;
  return type === "memories" ? MEMORY.read : DOCS.read;
}

/** The scopes that a request needs; undefined when no key may make it. */
export function neededScopes(method: string, { pathname, searchParams }: URL): Access[] | undefined {
  const word = /^\/api\/([\w-]+)/.exec(pathname)?.[1] ?? "";
  const reads = READING.includes(method);
  if (word === "billing") return reads && pathname === "/api/billing/status" ? [] : undefined;
  if (word === "search") return reads ? neededToSearch(pathname, searchParams.get("type")) : undefined;
  const needs = Object.hasOwn(NEEDS, word) ? NEEDS[word] : undefined;
  return reads ? needs?.read : needs?.write;
}
