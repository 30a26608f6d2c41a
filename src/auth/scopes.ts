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
  search: DOCS,
  memories: MEMORY,
  dashboard: MEMORY,
  export: BOTH,
  import: BOTH,
};

const READING = ["GET", "HEAD"];

/** The scopes that a request needs; undefined when no key may make it. */
export function neededScopes(method: string, path: string): Access[] | undefined {
  const word = /^\/api\/([\w-]+)/.exec(path)?.[1] ?? "";
  if (word === "billing") return method === "GET" && path === "/api/billing/status" ? [] : undefined;
  const needs = Object.hasOwn(NEEDS, word) ? NEEDS[word] : undefined;
  return READING.includes(method) ? needs?.read : needs?.write;
}
