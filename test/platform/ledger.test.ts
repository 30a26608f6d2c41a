import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listActivityRoute } from "../../src/activity/routes.ts";
import { createDocumentRoute, deleteDocumentRoute } from "../../src/features/documents/routes.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { createMemoryRoute, deleteMemoryRoute } from "../../src/memories/routes.ts";
import { type Client, type Parts, person } from "../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../kit/ctx.ts";
import { type Offered, OPERATIONS, partsOf } from "../kit/description.ts";
import { belongings, EXAMPLE_EMAIL, withOwn } from "../kit/named.ts";

// Whatever an operation or a tool changes, the ledger says so: the records that differ afterwards are those of its
// entries. Operations are taken from the description, so that this holds for new ones.

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

async function entriesAfter(owner: number, last: number): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT kind || ' ' || record AS entry FROM activity WHERE owner = ? AND number > ? ORDER BY number",
  )
    .bind(owner, last)
    .all<{ entry: string }>();
  return results.map(({ entry }) => entry);
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

/** Compares the histories of records, or of all there are, with the ledger. */
async function checkHistories(who: Client, name: string, records?: string[]): Promise<void> {
  const all = await numbersByRecord(await numberOf(who));
  for (const [entry, numbers] of all) {
    if (records && !records.includes(entry)) continue;
    const [kind = "", record_id = ""] = entry.split(" ");
    const { items } = await who.ok(listActivityRoute, { query: { kind, record_id, limit: "100" } });
    expect(
      items.map(({ id }) => id),
      `${name}: ${entry}`,
    ).toEqual(numbers);
  }
}

/** Carries something out, and compares what it changed with what it recorded: one entry for each record. */
async function audit(who: Client, name: string, act: () => Promise<unknown>): Promise<number> {
  const owner = await numberOf(who);
  const [before, last] = [await recordsOf(owner), await lastOf(owner)];
  await act();
  const entries = await entriesAfter(owner, last);
  expect(entries.sort(), name).toEqual(changed(before, await recordsOf(owner)));
  await checkHistories(who, name, entries);
  return entries.length;
}

/** The example of an operation, with its required parameters. */
async function exampleOf(offered: Offered, owner: Client): Promise<Parts> {
  const own = belongings(owner);
  const [, { example } = {}] = Object.entries(offered.operation.requestBody?.content ?? {})[0] ?? [];
  const needed = (offered.operation.parameters ?? []).filter(({ required }) => required);
  const parameters = needed.map(
    async ({ name, example: one }): Promise<[string, unknown]> => [name, (await own(name)) ?? one],
  );
  return partsOf(offered, { parameters: await Promise.all(parameters), body: await withOwn(example, own) });
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

/** How many operations of each group change something with their examples. */
const AT_LEAST: Record<string, number> = { documents: 6, folders: 3, import: 1, memories: 9, tags: 2 };

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
    let recording = 0;
    for (const offered of writing) {
      const { operationId } = offered.operation;
      const parts = await exampleOf(offered, ada);
      // What comes back was in the trash.
      const isReturn = operationId === "restoreDocument" || operationId === "restoreMemory";
      const params = isReturn ? await trashed(ada) : {};
      const act = () => ada.call(offered.route, { ...parts, params: { ...parts.params, ...params } });
      recording += Math.min(1, await audit(ada, operationId, act));
    }
    expect(recording).toBeGreaterThanOrEqual(AT_LEAST[group] ?? 0);
    await checkHistories(ada, group);
  },
);

/** What each tool that writes is called with. A new one fails until it is here. */
const CALLS: Record<string, (ids: { document: string; memory: number; trashed: string }) => unknown> = {
  create_document: () => ({ title: "New", text: "Text" }),
  edit_document: ({ document }) => ({ id: document, operation: "append", text: "More" }),
  delete_document: ({ document }) => ({ id: document }),
  restore: ({ trashed }) => ({ id: trashed }),
  remember: () => ({ ...RECORD, topic: "A new one" }),
  update_memory: ({ memory }) => ({ id: memory, content: "For Alan" }),
  close_memories: ({ memory }) => ({ ids: [memory], outcome: "resolved" }),
  undo_changes: () => ({ ids: [1] }),
};

test("every tool that writes has an entry for each record that it changes", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  for (const tool of TOOLS.filter(({ hints }) => !hints.readOnly)) {
    const gone = tool.name === "restore" ? (await trashed(ada)).document_id : "";
    const document = await ada.ok(createDocumentRoute, { json: DOCUMENT });
    const memory = await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: tool.name } });
    const call = CALLS[tool.name];
    if (!call) throw new Error(`${tool.name} has no call in this test`);
    const sent = call({ document: document.id, memory: memory.id, trashed: `doc:${gone}` });
    const count = await audit(ada, tool.name, () => callTool(ctx, tool, sent));
    if (tool.name !== "undo_changes") expect(count, tool.name).toBeGreaterThan(0);
  }
});
