import { nextOf } from "./flood-needs.ts";
import { LARGE_TEXT, MEDIUM_TEXT, PHRASE } from "./flood-operations.ts";
import type { Owner } from "./flood-owner.ts";
import { simplest } from "./flood-requests.ts";
import type { Sent } from "./flooding.ts";
import { listTools, toolRequest } from "./mcp.ts";

// Calls of the published MCP tools, with the same texts and objects as the operations.

type Tool = { name: string; inputSchema: Parameters<typeof simplest>[0] };

const AT_ONCE = 20;

let turn = 0;
const fresh = (name: string) => `${name} ${++turn}`;

const documents = (owner: Owner, count: number) =>
  nextOf(owner, "small_document", count).map((id) => `doc:${id}`);
const records = (owner: Owner, count: number) => nextOf(owner, "memory_id", count).map((id) => `mem:${id}`);

/** The arguments of a tool where the simplest would not do its real work. */
export const TOOLS: Record<string, (owner: Owner) => object> = {
  search: () => ({ query: PHRASE }),
  fetch: (owner) => ({ id: `doc:${owner.next("document_id")}` }),
  list_documents: () => ({ limit: 50 }),
  create_document: () => ({ title: fresh("From a tool"), text: MEDIUM_TEXT }),
  edit_document: (owner) => ({
    ...{ ids: [`doc:${owner.next("document_id")}`], operation: "append", text: fresh("Line") },
  }),
  delete_document: (owner) => ({ ids: documents(owner, 1) }),
  list_trash: () => ({ limit: 100 }),
  list_versions: (owner) => ({ id: `doc:${owner.next("document_id")}` }),
  restore: (owner) => ({ id: `doc:${owner.next("with_versions")}`, version: 1 }),
  list_changes: () => ({ since: "2026-01-01", limit: 100 }),
  remember: () => ({
    memory_type: "decision",
    ...{ topic: fresh("Topic"), content: LARGE_TEXT.slice(0, 20_000) },
  }),
  update_memory: (owner) => ({ ids: records(owner, AT_ONCE), priority: "high", add_tags: [fresh("tag")] }),
  close_memories: (owner) => ({ ids: records(owner, AT_ONCE), outcome: "resolved" }),
  list_memories: () => ({ view: "all", limit: 100 }),
};

/** A request that calls a tool, with these arguments or the simplest. */
export function callOf({ name, inputSchema }: Tool, owner: Owner): Sent {
  const args = TOOLS[name]?.(owner) ?? (simplest(inputSchema) as object);
  const { path, ...rest } = toolRequest("", name, args);
  return { ...rest, url: `${owner.mcpUrl}${path}`, headers: { ...rest.headers, ...owner.headers() } };
}

/** The tools that the service publishes. */
export const publishedTools = async ({ mcpUrl, headers }: Owner): Promise<Tool[]> =>
  (await listTools(mcpUrl, (headers().Authorization ?? "").replace("Bearer ", ""))) as Tool[];
