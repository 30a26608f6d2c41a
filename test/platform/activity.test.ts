import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { RecordKind } from "../../src/contract/activity-words.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { listActivityRoute } from "../../src/features/activity/routes.ts";
import { createDocumentRoute, deleteDocumentRoute } from "../../src/features/documents/routes.ts";
import { EXAMPLE_FILE, EXAMPLE_RECEIVED, exampleRange } from "../../src/features/export/example.ts";
import { importAccountRoute } from "../../src/features/import/routes.ts";
import {
  createMemoryRoute,
  deleteMemoryRoute,
  resolveMemoryRoute,
} from "../../src/features/memories/routes.ts";
import { remember } from "../../src/features/memories/write-tools.ts";
import type { Ctx } from "../../src/platform/core/ctx.ts";
import { isReadOnly } from "../../src/platform/tools/tool.ts";
import { numbersIn } from "../kit/change-id.ts";
import { type Client, type Parts, person } from "../kit/client.ts";
import { callTool, ctxOf, numberOf, runTool } from "../kit/ctx.ts";
import { type Offered, OPERATIONS } from "../kit/description.ts";
import { exampleOf } from "../kit/examples.ts";
import { belongings, EXAMPLE_EMAIL } from "../kit/named.ts";
import { rulesOf } from "../kit/operations.ts";

// Whatever an operation or a tool changes is in the activity: the records that differ afterwards are those of its entries,
// which its answer names. Operations are taken from the description, so that this holds for new ones.

/** Every record that a person sees, as it is stored. */
async function recordsOf(owner: number): Promise<Map<string, string>> {
  const kinds = { document: "documents", memory: "memories", folder: "folders" };
  const living = (kind: string) => (kind === "folder" ? "" : "AND trashed_at IS NULL");
  const found = await env.DB.batch<{ id: string | number }>(
    Object.entries(kinds).map(([kind, table]) =>
      env.DB.prepare(`SELECT * FROM ${table} WHERE owner = ? ${living(kind)}`).bind(owner),
    ),
  );
  const rows = Object.keys(kinds).flatMap((kind, index) =>
    (found[index]?.results ?? []).map((row): [string, string] => [`${kind} ${row.id}`, JSON.stringify(row)]),
  );
  return new Map(rows);
}

const changed = (before: Map<string, string>, after: Map<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .sort();

async function lastOf(owner: number): Promise<number> {
  const last = env.DB.prepare("SELECT coalesce(max(number), 0) AS last FROM activity WHERE owner = ?").bind(
    owner,
  );
  return (await last.first<number>("last")) ?? 0;
}

/** The numbers of the entries of each record, the newest first. Erasures and links are not shown. */
async function numbersByRecord(owner: number): Promise<Map<string, number[]>> {
  const { results } = await env.DB.prepare(
    `SELECT kind || ' ' || record AS entry, number FROM activity
    WHERE owner = ? AND verb NOT IN ('erased', 'linked') ORDER BY number DESC`,
  )
    .bind(owner)
    .all<{ entry: string; number: number }>();
  const byRecord = Map.groupBy(results, ({ entry }) => entry);
  return new Map([...byRecord].map(([entry, rows]) => [entry, rows.map(({ number }) => number)]));
}

/** Compares the histories of records, or of all there are, with the activity. */
async function checkHistories(who: Client, name: string, records?: string[]): Promise<void> {
  const all = await numbersByRecord(await numberOf(who));
  for (const [entry, numbers] of all) {
    if (records && !records.includes(entry)) continue;
    const [kind = "", record_id = ""] = entry.split(" ");
    const { items } = await who.ok(listActivityRoute, { query: { kind, record_id, limit: "100" } });
    expect([name, entry, items.map(({ id }) => id)]).toEqual([name, entry, numbers]);
  }
}

/** An import is deleted as a whole, and may be the work of several requests. */
const IMPORTS = /Import|import/;

type Entry = { entry: string; number: number; verb: string };

/**
 * Carries something out, and compares what it changed with what it recorded: one entry for each record, of the kinds that it
 * states, and named by its answer. Returns these kinds.
 */
async function audit(
  who: Client,
  { name, changes = [] }: { name: string; changes?: readonly RecordKind[] | undefined },
  act: () => Promise<string | null | undefined>,
): Promise<RecordKind[]> {
  const owner = await numberOf(who);
  const [before, last] = [await recordsOf(owner), await lastOf(owner)];
  const change_id = await act();
  const { results } = await env.DB.prepare(
    "SELECT kind || ' ' || record AS entry, number, verb FROM activity WHERE owner = ? AND number > ? ORDER BY number",
  )
    .bind(owner, last)
    .all<Entry>();
  const entries = results.map(({ entry }) => entry);
  expect(entries.toSorted(), name).toEqual(changed(before, await recordsOf(owner)));
  await checkHistories(who, name, entries);
  // Erasures and links are not named.
  const named = results.filter(({ verb }) => verb !== "erased" && verb !== "linked");
  if (change_id || !IMPORTS.test(name))
    expect(numbersIn(change_id ?? ""), name).toEqual(named.map(({ number }) => number));
  const kinds = [...new Set(entries.map((entry) => entry.split(" ")[0] as RecordKind))];
  const unstated = kinds.filter((kind) => !changes.includes(kind));
  expect(unstated, `${name} changes what it does not state`).toEqual([]);
  return kinds;
}

const DOCUMENT = { title: "Plan", content: { format: "markdown", text: "One" }, tags: ["travel"] };
const RECORD = { memory_type: "commitment", topic: "Slides", content: "For Grace" };

async function trashed(ada: Client) {
  const { id } = await ada.ok(createDocumentRoute, { json: DOCUMENT });
  await ada.call(deleteDocumentRoute, { params: { document_id: id } });
  const memory = await ada.ok(createMemoryRoute, { json: RECORD });
  await ada.call(deleteMemoryRoute, { params: { memory_id: String(memory.id) } });
  return { document_id: id, memory_id: String(memory.id) };
}

/** What these are called with besides: their examples alone find nothing to change. */
const PREPARED: Record<string, (ada: Client) => Promise<Parts>> = {
  bulkDocuments: async () => ({
    body: JSON.stringify({ operations: [{ operation: "create", title: "New" }] }),
  }),
  restoreDocument: async (ada) => ({ params: await trashed(ada) }),
  restoreMemory: async (ada) => ({ params: await trashed(ada) }),
  reopenMemory: async (ada) => {
    const { id } = await ada.ok(createMemoryRoute, { json: RECORD });
    const params = { memory_id: String(id) };
    await ada.ok(resolveMemoryRoute, { params, json: {} });
    return { params };
  },
  // Copies: the example of the operation before it has imported the originals.
  continueImport: async (ada) => {
    const headers = {
      "Content-Type": "application/x-ndjson",
      "Content-Range": exampleRange(0, EXAMPLE_RECEIVED),
    };
    const body = EXAMPLE_FILE.slice(0, EXAMPLE_RECEIVED);
    const { id } = await ada.ok(importAccountRoute, { headers, body, query: { mode: "copy" } });
    const rest = { ...headers, "Content-Range": exampleRange(EXAMPLE_RECEIVED, EXAMPLE_FILE.length) };
    return { headers: rest, params: { import_id: id } };
  },
  undoActivity: async (ada) => {
    await ada.ok(createDocumentRoute, { json: DOCUMENT });
    return { body: JSON.stringify({ ids: [await lastOf(await numberOf(ada))] }) };
  },
};

/** These end sessions or the account, or are not called with an account's token. */
const ELSEWHERE = /^\/(api\/auth|oauth|mcp|authorize|sign-in|open)\b/;

const WRITING = OPERATIONS.filter(({ method, path }) => method !== "GET" && !ELSEWHERE.test(path));

/** Each group has a person of its own, who does not have too much. */
const GROUPS = Object.entries(Object.groupBy(WRITING, ({ path }) => path.split("/")[2] ?? "")) as [
  string,
  Offered[],
][];

test.for(GROUPS)(
  "every operation of %s that writes has an entry for each record that it changes",
  async ([group, writing]) => {
    const ada = await person({ email: EXAMPLE_EMAIL });
    for (const offered of writing) {
      const { operationId } = offered.operation;
      const parts = await exampleOf(offered, belongings(ada), false);
      const more = (await PREPARED[operationId]?.(ada)) ?? {};
      const params = { ...parts.params, ...more.params };
      const act = async () =>
        (await ada.call(offered.route, { ...parts, ...more, params })).headers.get("Change-Id");
      const { changes } = rulesOf(offered.route);
      const kinds = await audit(ada, { name: operationId, changes }, act);
      expect(kinds.length > 0, `${operationId} states ${changes}`).toBe((changes ?? []).length > 0);
    }
    await checkHistories(ada, group);
  },
);

/** What each tool that writes is called with. A new one fails until it is here. */
const CALLS: Record<
  string,
  (ids: { document: string; memory: number; trashed: string; last: number }) => unknown
> = {
  create_document: () => ({ title: "New", text: "Text" }),
  edit_document: ({ document }) => ({ id: document, operation: "append", text: "More" }),
  delete_document: ({ document }) => ({ id: document }),
  restore: ({ trashed }) => ({ id: trashed }),
  remember: () => ({ ...RECORD, topic: "A new one" }),
  update_memory: ({ memory }) => ({ id: memory, content: "For Alan" }),
  close_memories: ({ memory }) => ({ ids: [memory], outcome: "resolved" }),
  undo_changes: ({ last }) => ({ ids: [last] }),
};

test("every tool that writes has an entry for each record that it changes", async () => {
  const ada = await person();
  const actor = { kind: "assistant", id: "one", source_type: "mcp" } as const;
  const ctx: Ctx = { ...(await ctxOf(ada)), actor };
  for (const tool of TOOLS.filter((one) => !isReadOnly(one))) {
    const gone = tool.name === "restore" ? (await trashed(ada)).document_id : "";
    const document = await ada.ok(createDocumentRoute, { json: DOCUMENT });
    const memory = await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: tool.name } });
    const call = CALLS[tool.name];
    if (!call) throw new Error(`${tool.name} has no call in this test`);
    // Only its own changes are undone.
    await callTool(ctx, remember, { ...RECORD, topic: `Before ${tool.name}` });
    const last = await lastOf(await numberOf(ada));
    const sent = call({ document: document.id, memory: memory.id, trashed: `doc:${gone}`, last });
    const kinds = await audit(
      ada,
      tool,
      async () => (await runTool(ctx, tool, sent)).change_id as string | undefined,
    );
    expect(kinds, tool.name).not.toEqual([]);
  }
});
