import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { RecordKind } from "../../src/contract/activity-words.ts";
import { listActivity } from "../../src/features/activity/store.ts";
import { undoChanges } from "../../src/features/activity/undo-store.ts";
import { bulkDocuments } from "../../src/features/documents/bulk-store.ts";
import { editDocument, updateDocument } from "../../src/features/documents/change-store.ts";
import { createDocument } from "../../src/features/documents/store.ts";
import { deleteDocument, restoreDocument } from "../../src/features/documents/trash-store.ts";
import { deleteFolder } from "../../src/features/folders/job.ts";
import { createFolder, updateFolder } from "../../src/features/folders/store.ts";
import { runMemoryAction, supersedeMemory } from "../../src/features/memories/action-store.ts";
import { updateMemories } from "../../src/features/memories/bulk-store.ts";
import { startProjectRename } from "../../src/features/memories/project-job.ts";
import { createMemory } from "../../src/features/memories/store.ts";
import { deleteMemory, restoreMemory } from "../../src/features/memories/trash-store.ts";
import { updateMemory } from "../../src/features/memories/update-store.ts";
import { wakeMemories } from "../../src/features/memories/wake-store.ts";
import { retag } from "../../src/features/tags/job.ts";
import type { Ctx } from "../../src/platform/core/ctx.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import { openSession } from "../../src/platform/db/session.ts";
import { type Client, person } from "../kit/client.ts";
import { ctxOf, numberOf } from "../kit/ctx.ts";
import { MERGES, metered } from "../kit/meter.ts";

// What the ledger costs, in rows as D1 bills them: a write has one more for each record that it changes, and the history of
// a record is read without the rest of the ledger.

const BY_API = { source_type: "api" } as const;
const text = (words: string) => ({ format: "markdown", text: words });
const RECORD = { memory_type: "commitment", topic: "One", content: "two" } as const;

/** The rows that a write writes, and how many entries it has in the ledger. */
type Cost = { rows: number; entries: number };
type Count = <Answer>(name: string, write: (ctx: Ctx) => Promise<Answer>) => Promise<Answer>;

async function writeFolders(base: Ctx, count: Count): Promise<void> {
  const top = await createFolder(base, { name: "Top" });
  for (const parent_id of [null, top.id]) {
    const where = parent_id ? " inside another" : "";
    const { id } = await count(`folder${where}`, (ctx) => createFolder(ctx, { name: "Work", parent_id }));
    await count(`folder renamed${where}`, (ctx) => updateFolder(ctx, id, { name: "Job" }));
    const to = { parent_id: parent_id ? null : top.id };
    await count(`folder moved${where}`, (ctx) => updateFolder(ctx, id, to));
    await count(`folder deleted${where}`, (ctx) => deleteFolder(ctx, id));
  }
  for (const on_content of ["move_up", "trash"] as const) {
    const { id } = await createFolder(base, { name: "Full" });
    for (const title of ["One", "Two"]) await createDocument(base, { title, folder_id: id }, BY_API);
    for (const name of ["In", "Out"]) await createFolder(base, { name, parent_id: id });
    await count(`folder deleted, ${on_content}`, (ctx) => deleteFolder(ctx, id, { onContent: on_content }));
  }
}

async function writeDocuments(base: Ctx, count: Count): Promise<void> {
  const folder = await createFolder(base, { name: "Work" });
  for (const folder_id of [null, folder.id]) {
    const where = folder_id ? " in a folder" : "";
    const input = { title: "One", content: text("two three"), folder_id };
    const { id } = await count(`document${where}`, (ctx) => createDocument(ctx, input, BY_API));
    const change = (fields: Parameters<typeof updateDocument>[2]) => (ctx: Ctx) =>
      updateDocument(ctx, id, fields, BY_API);
    await count(`document changed${where}`, change({ content: text("four") }));
    await count(`document renamed${where}`, change({ title: "Two" }));
    await count(`document tagged${where}`, change({ tags: ["travel"] }));
    await count(`tag renamed${where}`, (ctx) => retag(ctx, "travel", { next: "trips" }));
    const more = { operation: "append", text: "more" } as const;
    await count(`document edited${where}`, (ctx) => editDocument(ctx, id, more, BY_API));
    await count(`document moved${where}`, change({ folder_id: folder_id ? null : folder.id }));
    await count(`document deleted${where}`, (ctx) => deleteDocument(ctx, id));
    await count(`document restored${where}`, (ctx) => restoreDocument(ctx, id, BY_API));
    await count(`document erased${where}`, (ctx) => deleteDocument(ctx, id, { permanent: true }));
  }
  const { id } = await createDocument(base, { title: "Old" }, BY_API);
  const operations = [
    { operation: "create", title: "New" },
    { operation: "update", id, title: "Newer" },
    { operation: "delete", id },
  ] as Parameters<typeof bulkDocuments>[1]["operations"];
  await count("documents in bulk", (ctx) => bulkDocuments(ctx, { operations, dry_run: false }, BY_API));
}

async function writeRecords(base: Ctx, count: Count): Promise<void> {
  const { id } = await count("record", (ctx) => createMemory(ctx, RECORD, BY_API));
  await count("record changed", (ctx) => updateMemory(ctx, id, { content: "three" }, BY_API));
  for (const action of ["confirm", "resolve", "reopen", "archive", "reopen"] as const)
    await count(`record: ${action}`, (ctx) => runMemoryAction(ctx, id, { action }, BY_API));
  await count("record deleted", (ctx) => deleteMemory(ctx, id));
  await count("record restored", (ctx) => restoreMemory(ctx, id, BY_API));
  const { id: other } = await createMemory(base, { ...RECORD, project: "House" }, BY_API);
  const updates = [id, other].map((each) => ({ id: each, change: { tags: ["travel"] } }));
  await count("records changed together", (ctx) => updateMemories(ctx, updates, BY_API));
  const successor = { ...RECORD, topic: "Newer" };
  await count("record replaced", (ctx) => supersedeMemory(ctx, id, successor, BY_API));
  await count("replaced record deleted", (ctx) => deleteMemory(ctx, id));
  await count("replaced record restored", (ctx) => restoreMemory(ctx, id, BY_API));
  await count("replaced record erased", (ctx) => deleteMemory(ctx, id, { permanent: true }));
  for (const topic of ["Two", "Three"]) {
    const record = await createMemory(base, { ...RECORD, topic, project: "House" }, BY_API);
    await deleteMemory(base, record.id);
  }
  const renaming = { project: "House", next: "Home" };
  await count("project renamed", (ctx) => startProjectRename(ctx, renaming, { writer: BY_API }));
  for (const topic of ["Four", "Five"]) {
    const record = await createMemory(base, { ...RECORD, topic }, BY_API);
    const input = { deferred_until: "2030-01-01" };
    await runMemoryAction(base, record.id, { action: "defer", input }, BY_API);
  }
  const later = new Date("2030-01-02T00:00:00Z");
  await count("records wake", (ctx) => wakeMemories({ ...ctx, now: later }));
}

const lastOf = async (owner: number): Promise<number> =>
  (await env.DB.prepare("SELECT coalesce(max(number), 0) AS last FROM activity WHERE owner = ?")
    .bind(owner)
    .first<number>("last")) ?? 0;

/** What every kind of write costs somebody new, leaving out some statements. */
async function costsOf(who: Client, leftOut = MERGES): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  const owner = await numberOf(who);
  const base = await ctxOf(who);
  const count: Count = async (name, write) => {
    const last = await lastOf(owner);
    const { session, meter } = metered(openSession(env.DB), leftOut);
    const answer = await write({ ...base, db: openDatabase(session), now: new Date() });
    costs.set(name, { rows: meter.rowsWritten, entries: (await lastOf(owner)) - last });
    return answer;
  };
  for (const write of [writeFolders, writeDocuments, writeRecords]) await write(base, count);
  return costs;
}

test("a write writes one row more with the ledger than without it, for each record that it changes", async () => {
  const costs = await costsOf(await person());
  const without = await costsOf(await person(), /^\s*INSERT INTO activity\b|'merge'/);
  const table = [...costs].map(([name, { rows, entries }]) => {
    const before = without.get(name);
    expect(before?.entries, name).toBe(0);
    return { name, rows, without: before?.rows ?? 0, entries };
  });
  console.log(
    table
      .map(({ name, rows, without: before, entries }) => `${name}: ${before} + ${entries} = ${rows}`)
      .join("\n"),
  );
  for (const { name, rows, without: before, entries } of table) {
    expect(entries, name).toBeGreaterThan(0);
    // An erasure also takes the titles of the record out of the earlier entries.
    if (name.includes("erased")) expect(rows - before, name).toBeGreaterThanOrEqual(entries);
    else expect(rows - before, name).toBe(entries);
  }
});

/** Fills the ledger with entries of other records, one each. */
const fill = (owner: number, count: number) =>
  env.DB.prepare(`INSERT INTO activity (owner, number, at, actor, verb, kind, record, title, has_event, previous)
    SELECT ?1, last + value, at, 'person', 'changed', 'document', 'other' || value, 'Title', 0, 0
    FROM (SELECT max(number) AS last, max(at) AS at FROM activity WHERE owner = ?1),
      (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?2) SELECT value FROM n)`)
    .bind(owner, count)
    .run();

type Listed = { ids: number[]; rowsRead: number };

/** Every page of a record's history. */
async function historyOf(base: Ctx, record: { kind: RecordKind; record_id: string }, limit: number) {
  const pages: Listed[] = [];
  let cursor: string | undefined;
  do {
    const { session, meter } = metered(openSession(env.DB));
    const ctx = { ...base, db: openDatabase(session) };
    const page = await listActivity(ctx, { ...record, limit, cursor });
    pages.push({ ids: page.items.map(({ id }) => id), rowsRead: meter.rowsRead });
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

test("each page of a record's history reads as many rows as it shows, however long the ledger is", async () => {
  const ada = await person();
  const base = await ctxOf(ada);
  const document = await createDocument(base, { title: "One" }, BY_API);
  const folder = await createFolder(base, { name: "One" });
  const memory = await createMemory(base, RECORD, BY_API);
  for (let n = 2; n <= 30; n++) {
    await updateDocument(base, document.id, { title: `Title ${n}` }, BY_API);
    await updateFolder(base, folder.id, { name: `Name ${n}` });
    await deleteMemory(base, memory.id);
    await restoreMemory(base, memory.id, BY_API);
    if (n % 10 === 0) await fill(base.owner, 2000);
  }
  const records = [
    { kind: "document", record_id: document.id, changes: 30 },
    { kind: "folder", record_id: folder.id, changes: 30 },
    { kind: "memory", record_id: String(memory.id), changes: 59 },
  ] as const;
  for (const { kind, record_id, changes } of records) {
    const pages = await historyOf(base, { kind, record_id }, 7);
    const ids = pages.flatMap((page) => page.ids);
    expect(ids, kind).toHaveLength(changes);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
    for (const { rowsRead } of pages) expect(rowsRead, kind).toBeLessThanOrEqual(2 * 8 + 20);
  }
});

test("a folder that is gone has its history, too, in pages that may be short", async () => {
  const ada = await person();
  const base = await ctxOf(ada);
  const { id } = await createFolder(base, { name: "One" });
  await updateFolder(base, id, { name: "Two" });
  await fill(base.owner, 1500);
  await deleteFolder(base, id);
  const deleted = await lastOf(base.owner);
  await fill(base.owner, 2500);
  const ofFolder = { kind: "folder", record_id: id } as const;
  for (const limit of [1, 2, 50]) {
    const pages = await historyOf(base, ofFolder, limit);
    expect(pages.flatMap(({ ids }) => ids)).toEqual([deleted, 2, 1]);
    for (const { rowsRead } of pages) expect(rowsRead).toBeLessThan(1050);
  }
  // What is older is overtaken by the deletion, and comes back with it.
  const undo = async (number: number) => {
    const { results } = await undoChanges(base, { ids: [number], dry_run: false });
    return results.map(({ outcome, undone_by }) => [outcome, undone_by]);
  };
  expect(await undo(2)).toEqual([["changed_since", undefined]]);
  expect(await undo(deleted)).toEqual([["undone", deleted + 2501]]);
  const restored = deleted + 2501;
  expect(await undo(restored)).toEqual([["undone", restored + 1]]);
  expect(await undo(deleted)).toEqual([["undone", restored + 2]]);
  const [page] = await historyOf(base, ofFolder, 50);
  expect(page?.ids).toEqual([restored + 2, restored + 1, restored, deleted, 2, 1]);
  expect(await undo(2)).toEqual([["undone", restored + 3]]);
});

test("what was recorded before entries led to each other stays in a record's history", async () => {
  const ada = await person();
  const base = await ctxOf(ada);
  const document = await createDocument(base, { title: "One" }, BY_API);
  const folder = await createFolder(base, { name: "One" });
  const memory = await createMemory(base, RECORD, BY_API);
  const records = [
    { kind: "document", record_id: document.id },
    { kind: "folder", record_id: folder.id },
    { kind: "memory", record_id: String(memory.id) },
  ] as const;
  let times = 0;
  const change = async () => {
    times += 1;
    await updateDocument(base, document.id, { title: `${times}` }, BY_API);
    await updateFolder(base, folder.id, { name: `${times}` });
    await deleteMemory(base, memory.id);
    await restoreMemory(base, memory.id, BY_API);
  };
  await change();
  await env.DB.batch([
    env.DB.prepare("UPDATE activity SET previous = NULL WHERE owner = ?").bind(base.owner),
    ...["documents", "folders", "memories"].map((table) =>
      env.DB.prepare(`UPDATE ${table} SET activity = NULL WHERE owner = ?`).bind(base.owner),
    ),
  ]);
  const old = await lastOf(base.owner);
  await change();
  for (const record of records) {
    const ids = (await historyOf(base, record, 2)).flatMap((page) => page.ids);
    expect(ids, record.kind).toHaveLength(record.kind === "memory" ? 5 : 3);
    const before = ids.find((id) => id <= old) ?? 0;
    const { results } = await undoChanges(base, { ids: [before, ids[0] ?? 0], dry_run: false });
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
      [ids[0], "undone"],
      [before, record.kind === "memory" ? "changed_since" : "undone"],
    ]);
  }
  await deleteDocument(base, document.id, { permanent: true });
  const titled = env.DB.prepare("SELECT count(*) AS n FROM activity WHERE record = ? AND title IS NOT NULL");
  expect(await titled.bind(document.id).first("n")).toBe(0);
});
