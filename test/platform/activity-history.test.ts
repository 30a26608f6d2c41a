import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { RecordKind } from "../../src/contract/activity-words.ts";
import { listActivity } from "../../src/features/activity/store.ts";
import { undoChanges } from "../../src/features/activity/undo-store.ts";
import { updateDocument } from "../../src/features/documents/change-store.ts";
import { createDocument } from "../../src/features/documents/store.ts";
import { deleteDocument } from "../../src/features/documents/trash-store.ts";
import { deleteFolder } from "../../src/features/folders/job.ts";
import { createFolder, updateFolder } from "../../src/features/folders/store.ts";
import { createMemory } from "../../src/features/memories/store.ts";
import { deleteMemory, restoreMemory } from "../../src/features/memories/trash-store.ts";
import type { Ctx } from "../../src/platform/core/ctx.ts";
import { person } from "../kit/client.ts";
import { ctxOf, meteredCtx } from "../kit/ctx.ts";

// The history of a record, which is read without the rest of the activity.

const BY_API = { source_type: "api" } as const;
const RECORD = { memory_type: "commitment", topic: "One", content: "two" } as const;

const lastOf = async (owner: number): Promise<number> =>
  (await env.DB.prepare("SELECT coalesce(max(number), 0) AS last FROM activity WHERE owner = ?")
    .bind(owner)
    .first<number>("last")) ?? 0;

/** Fills the activity with entries of other records, one each. */
const fill = (owner: number, count: number) =>
  env.DB.prepare(`INSERT INTO activity (owner, number, at, actor, verb, kind, record, title, has_event, previous)
    SELECT ?1, last + value, at, 'person', 'changed', 'document', 'other' || value, 'Title', 0, 0
    FROM (SELECT max(number) AS last, max(at) AS at FROM activity WHERE owner = ?1),
      (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?2) SELECT value FROM n)`)
    .bind(owner, count)
    .run();

/** Every page of a history. */
async function historyOf(base: Ctx, record: { kind: RecordKind; record_id: string }, limit: number) {
  const pages: { ids: number[]; rowsRead: number }[] = [];
  let cursor: string | undefined;
  do {
    const { ctx, meter } = meteredCtx(base);
    const page = await listActivity(ctx, { ...record, limit, cursor });
    pages.push({ ids: page.items.map(({ id }) => id), rowsRead: meter.rowsRead });
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

/** A document, a folder and a record, and a function that changes each of them. */
async function three() {
  const base = await ctxOf(await person());
  const document = await createDocument(base, { title: "One" }, BY_API);
  const folder = await createFolder(base, { name: "One" });
  const memory = await createMemory(base, RECORD, BY_API);
  const records = [
    { kind: "document", record_id: document.id },
    { kind: "folder", record_id: folder.id },
    { kind: "memory", record_id: String(memory.id) },
  ] as const;
  const change = async (name: string) => {
    await updateDocument(base, document.id, { title: name }, BY_API);
    await updateFolder(base, folder.id, { name });
    await deleteMemory(base, memory.id);
    await restoreMemory(base, memory.id, BY_API);
  };
  return { base, document, records, change };
}

test("each page of a history reads as many rows as it shows, however long the activity is", async () => {
  const { base, records, change } = await three();
  for (let n = 2; n <= 30; n++) {
    await change(`Name ${n}`);
    if (n % 10 === 0) await fill(base.owner, 2000);
  }
  for (const record of records) {
    const pages = await historyOf(base, record, 7);
    const ids = pages.flatMap((page) => page.ids);
    expect(ids, record.kind).toHaveLength(record.kind === "memory" ? 59 : 30);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
    for (const { rowsRead } of pages) expect(rowsRead, record.kind).toBeLessThanOrEqual(2 * 8 + 20);
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
  const { base, document, records, change } = await three();
  await change("1");
  const unlinked = ["documents", "folders", "memories"].map((table) => `UPDATE ${table} SET activity = NULL`);
  for (const statement of ["UPDATE activity SET previous = NULL", ...unlinked])
    await env.DB.prepare(`${statement} WHERE owner = ?`).bind(base.owner).run();
  const old = await lastOf(base.owner);
  await change("2");
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
