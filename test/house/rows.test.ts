import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { addDays } from "../../src/contract/days.ts";
import { getMeRoute } from "../../src/features/auth/routes.ts";
import { updateDocument } from "../../src/features/documents/change-store.ts";
import { listDocuments } from "../../src/features/documents/list-store.ts";
import { createDocumentRoute } from "../../src/features/documents/routes.ts";
import { createDocument } from "../../src/features/documents/store.ts";
import { deleteDocument, restoreDocument } from "../../src/features/documents/trash-store.ts";
import { deleteFolder } from "../../src/features/folders/job.ts";
import { createFolder, updateFolder } from "../../src/features/folders/store.ts";
import { listActive } from "../../src/features/memories/active-store.ts";
import { listTypedAlerts } from "../../src/features/memories/alert-store.ts";
import { listClosed } from "../../src/features/memories/closed-store.ts";
import { listMemories } from "../../src/features/memories/list-store.ts";
import { createMemoryRoute } from "../../src/features/memories/routes.ts";
import { createMemory } from "../../src/features/memories/store.ts";
import { deleteMemory, restoreMemory } from "../../src/features/memories/trash-store.ts";
import { updateMemory } from "../../src/features/memories/update-store.ts";
import type { Ctx } from "../../src/platform/core/ctx.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import { openSession } from "../../src/platform/db/session.ts";
import { logFailedSignIn } from "../../src/platform/security-events/store.ts";
import { person } from "../kit/client.ts";
import { ctxOf, numberOf } from "../kit/ctx.ts";
import { type Prepared, prepare } from "../kit/memories.ts";
import { MERGES, metered } from "../kit/meter.ts";

// How many rows the lists of records read, which is what D1 bills, with every filter and however the records are spread.

const TYPES = ["commitment", "decision", "blocker", "pattern", "preference", "context"];
const CLOSED = ["resolved", "resolved", "archived", "deferred"] as const;
const RECORDS = 1200;

/** A fifth is active, an eighth of those due; the rest was closed within 300 days, each day four. */
const common = (index: number): Prepared => {
  const scope = ([null, "work", "personal"] as const)[index % 3] ?? null;
  const project = index % 5 ? `Project ${index % 7}` : null;
  const memory_type = TYPES[Math.floor(index / 10) % 6] ?? "";
  const created_at = `2026-01-${10 + (index % 20)}T08:00:00.000Z`;
  const record = { memory_type, scope, project, created_at };
  if (index % 10 < 2)
    return { ...record, due_date: index % 40 < 5 ? addDays("2026-11-15", index % 400) : null };
  const closed_at = `${addDays("2026-11-20", -(index % 300))}T08:00:00.000Z`;
  return { ...record, status: CLOSED[index % 4] ?? "resolved", closed_at, updated_at: closed_at };
};
const active: Partial<Prepared> = {
  status: "active",
  due_date: null,
  updated_at: "2026-02-01T08:00:00.000Z",
};
const SPREADS: Record<string, (index: number) => Prepared> = {
  "most of them in the trash": (index) => ({
    ...common(index),
    trashed_at: index % 10 === 1 ? undefined : "2026-11-19T08:00:00.000Z",
  }),
  "as a person has them": common,
  "all active, the project and the type of few": (index) => ({
    ...common(index),
    ...active,
    ...(index >= 5 && { scope: "personal", project: "Other", memory_type: "context" }),
    ...(index < 5 && { scope: "work", project: "Project 3", memory_type: "commitment" }),
  }),
  "all in one project": (index) => ({ ...common(index), project: "Project 3" }),
  "all deferred": (index) => ({
    ...common(index),
    ...{ due_date: null, status: "deferred", deferred_until: index % 2 ? "2027-01-01" : null },
  }),
};
const FILTERS = [
  {},
  { scope: "work" },
  { project: "Project 3" },
  { scope: "work", project: "Project 3" },
  { memory_type: ["decision"] },
  { scope: "work", memory_type: ["decision"] },
] as const;

test.for(Object.entries(SPREADS))("lists read what they show or count: %s", async ([, recordOf]) => {
  const ada = await person();
  await prepare(
    await numberOf(ada),
    Array.from({ length: RECORDS }, (_, index) => recordOf(index)),
  );
  const ctx = { ...(await ctxOf(ada)), now: new Date("2026-11-20T12:00:00Z") };
  const rowsOf = async <Answer>(ask: (ctx: Ctx) => Promise<Answer>) => {
    const { session, meter } = metered(openSession(env.DB));
    const answer = await ask({ ...ctx, db: openDatabase(session) });
    expect(meter.batches).toBe(1);
    return { answer, rows: meter.rowsRead };
  };
  // Of what is shown, an index entry and the record; then one of each type and scope, and as many counters.
  const most = (shown: number) => 2 * shown + 18 + 18 + 5;
  const page = { limit: 20, offset: 0 };
  for (const filter of FILTERS) {
    const name = JSON.stringify(filter);
    const listed = await rowsOf((c) => listActive(c, filter, page));
    expect(listed.rows, name).toBeLessThanOrEqual(most(listed.answer.items.length));
    const alerts = await rowsOf((c) => listTypedAlerts(c, { ...filter, project: undefined }, page));
    const { items, total } = alerts.answer;
    expect(alerts.rows, name).toBeLessThanOrEqual(most(items.length) + total + 18 + 12);
    const closed = await rowsOf((c) => listClosed(c, { ...filter, ...page }));
    const recent = closed.answer.items.length > 0 ? RECORDS / 10 + 20 : 0;
    expect(closed.rows, name).toBeLessThanOrEqual(most(closed.answer.items.length) + recent);
  }
  for (const sort of ["updated_at", "created_at"] as const) {
    const { rows } = await rowsOf((c) => listMemories(c, { sort, ...page }));
    expect(rows, sort).toBeLessThanOrEqual(most(20));
  }
  // What happened since an instant: an index entry and the record for the page and for the count, in any order.
  for (const filter of ["created_after", "updated_after", "resolved_after", "resolved_before"] as const) {
    for (const sort of ["updated_at", "created_at", "due_date"] as const) {
      const query = { sort, [filter]: "2026-11-05T00:00:00.000Z", ...page };
      const { answer, rows } = await rowsOf((c) => listMemories(c, query));
      expect(rows, `${filter} by ${sort}`).toBeLessThanOrEqual(most(20) + 4 * answer.total);
    }
  }
});

test("a list of the records of one document reads those and no others", async () => {
  const ada = await person();
  await prepare(
    await numberOf(ada),
    Array.from({ length: RECORDS }, (_, index) => common(index)),
  );
  const { id: document_id } = await ada.ok(createDocumentRoute, { json: { title: "Plan" } });
  for (const topic of ["Slides", "Date", "Vendor"]) {
    const json = { memory_type: "decision" as const, topic, content: `${topic} of the plan`, document_id };
    await ada.ok(createMemoryRoute, { json });
  }
  for (const sort of ["updated_at", "created_at", "due_date"] as const) {
    const { session, meter } = metered(openSession(env.DB));
    const ctx = { ...(await ctxOf(ada)), db: openDatabase(session) };
    const { items, total } = await listMemories(ctx, { sort, document_id, limit: 20, offset: 0 });
    expect({ shown: items.length, total }).toEqual({ shown: 3, total: 3 });
    // The index entry and the record of each, for the page and for the count; the records shown; counters; the document.
    expect(meter.rowsRead, sort).toBeLessThanOrEqual(3 * 5 + 2 * 36 + 2);
  }
});

test("a list of the documents with tasks reads those and no others", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  await env.DB.prepare(`INSERT INTO documents
      (id, owner, title, tags, source_type, version, created_at, updated_at, open_tasks, done_tasks)
    SELECT 'task' || ?1 || '-' || value, ?1, 'Title', '[]', 'api', 1, '2026-01-01', '2026-01-01T00:00:00.' || value,
      iif(value % 100 = 0, 1, 0), iif(value % 100 < 2, 1, 0)
    FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 2000) SELECT value FROM n)`)
    .bind(owner)
    .run();
  for (const [tasks, found] of [
    ["open", 20],
    ["done", 20],
    ["any", 40],
  ] as const) {
    for (const sort of ["updated_at", "changed_at", "created_at", "title"] as const) {
      const { session, meter } = metered(openSession(env.DB));
      const ctx = { ...(await ctxOf(ada)), db: openDatabase(session) };
      const { items, total } = await listDocuments(ctx, { tasks, sort, limit: 100, offset: 0 });
      expect({ shown: items.length, total }).toEqual({ shown: found, total: found });
      // The index entry and the document of each, for the page and for the count, and again to sort them.
      expect(meter.rowsRead, `${tasks} by ${sort}`).toBeLessThanOrEqual(6 * found);
    }
  }
});

test("a page of all documents reads those, a page of a folder what is in it, in every order", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const owner = await numberOf(ada);
  const { id: folder_id } = await createFolder(ctx, { name: "Work" });
  // Every second one was tagged later; the oldest tenth is in the folder.
  await env.DB.prepare(`INSERT INTO documents
      (id, owner, title, tags, folder_id, source_type, version, created_at, updated_at, changed_at)
    SELECT 'document' || value, ?1, 'Title', '[]', iif(value <= 1200, ?2, NULL), 'api', 1, '2026-01-01', '2026-01-01T00:00:00.' || (value * (1 + value % 2)),
      '2026-01-01T00:00:00.' || value
    FROM (WITH RECURSIVE n(value) AS (SELECT 1001 UNION ALL SELECT value + 1 FROM n WHERE value < 3000) SELECT value FROM n)`)
    .bind(owner, folder_id)
    .run();
  const inFolder = 200;
  for (const sort of ["updated_at", "changed_at", "created_at", "title"] as const) {
    const rowsOf = async (query: object) => {
      const { session, meter } = metered(openSession(env.DB));
      const page = { sort, limit: 20, offset: 0 };
      const { items } = await listDocuments({ ...ctx, db: openDatabase(session) }, { ...page, ...query });
      expect(items).toHaveLength(20);
      return meter.rowsRead;
    };
    expect(await rowsOf({}), sort).toBeLessThanOrEqual(2 * 21 + 5);
    // They are counted, too. Another order than that of the texts reads and sorts them.
    const most = sort === "changed_at" ? inFolder + 2 * 21 + 5 : 6 * inFolder;
    expect(await rowsOf({ folder_id }), `${sort} in a folder`).toBeLessThanOrEqual(most);
  }
});

test("deleting a folder reads what is in it, however many documents there are elsewhere", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const owner = await numberOf(ada);
  await env.DB.prepare(`INSERT INTO documents (id, owner, title, tags, source_type, version, created_at, updated_at)
    SELECT 'document' || value, ?, 'Title', '[]', 'api', 1, '2026-01-01', '2026-01-01'
    FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 2000) SELECT value FROM n)`)
    .bind(owner)
    .run();
  const { id } = await createFolder(ctx, { name: "Empty" });
  const { session, meter } = metered(openSession(env.DB));
  await deleteFolder({ ...ctx, db: openDatabase(session) }, id);
  expect(meter.rowsRead).toBeLessThan(40);
});

test("a failed sign-in reads no more rows, however much has happened to the account", async () => {
  const ada = await person();
  const { email } = await ada.ok(getMeRoute);
  const owner = await numberOf(ada);
  const happened = (event: string, at: string, count: number) =>
    env.DB.prepare(`INSERT INTO security_events (id, owner, event, created_at)
      SELECT lower(hex(randomblob(16))), ?1, ?2, ?3 FROM (WITH RECURSIVE n(value) AS
        (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?4) SELECT value FROM n)`)
      .bind(owner, event, at, count)
      .run();
  const costOf = async () => {
    const { session, meter } = metered(openSession(env.DB));
    await logFailedSignIn({ ...(await ctxOf(ada)), db: openDatabase(session) }, email);
    return meter;
  };
  const first = await costOf();
  expect(first.rowsWritten).toBe(5);
  const now = new Date().toISOString();
  await happened("sign_in_failed", "2026-01-01T00:00:00.000Z", 2000);
  for (const at of ["2026-01-01T00:00:00.000Z", now]) await happened("signed_in", at, 2000);
  await happened("sign_in_failed", now, 18);
  expect(await costOf()).toMatchObject({ rowsWritten: 5 });
  const last = await costOf();
  // The limit of an hour has been reached: 20 failures.
  expect(last.rowsWritten).toBe(0);
  expect(last.rowsRead).toBeLessThanOrEqual(first.rowsRead + 20);
});

// What D1 bills for a write. The entry in the ledger is one of these rows.
test("a write writes as few rows as its indexes allow", async () => {
  const ada = await person();
  const written: Record<string, number> = {};
  const base = await ctxOf(ada);
  async function count<Answer>(name: string, write: (ctx: Ctx) => Promise<Answer>): Promise<Answer> {
    const { session, meter } = metered(openSession(env.DB), MERGES);
    const answer = await write({ ...base, db: openDatabase(session), now: new Date() });
    written[name] = meter.rowsWritten;
    return answer;
  }
  const BY_API = { source_type: "api" } as const;
  const text = (words: string) => ({ format: "markdown", text: words });
  // As after an account's first change, which notes when its oldest is purged.
  await env.DB.prepare("UPDATE users SET purge_at = created_at").run();
  const folder = await count("folder", (ctx) => createFolder(ctx, { name: "Work" }));
  await count("folder renamed", (ctx) => updateFolder(ctx, folder.id, { name: "Job" }));
  for (const folder_id of [null, folder.id]) {
    const where = folder_id ? " in a folder" : "";
    const input = { title: "One", content: text("two three"), folder_id };
    const { id } = await count(`document${where}`, (ctx) => createDocument(ctx, input, BY_API));
    const change = { content: text("four") };
    await count(`document changed${where}`, (ctx) => updateDocument(ctx, id, change, BY_API));
    await count(`document deleted${where}`, (ctx) => deleteDocument(ctx, id));
    await count(`document restored${where}`, (ctx) => restoreDocument(ctx, id, BY_API));
  }
  const record = { memory_type: "commitment", topic: "One", content: "two" } as const;
  const { id } = await count("record", (ctx) => createMemory(ctx, record, BY_API));
  await count("record changed", (ctx) => updateMemory(ctx, id, { content: "three" }, BY_API));
  const day = { due_date: "2026-05-03" };
  await count("record with a due date", (ctx) => updateMemory(ctx, id, day, BY_API));
  await count("record with another", (ctx) => updateMemory(ctx, id, { due_date: "2026-05-04" }, BY_API));
  await count("record without one", (ctx) => updateMemory(ctx, id, { due_date: null }, BY_API));
  await count("record deleted", (ctx) => deleteMemory(ctx, id));
  await count("record restored", (ctx) => restoreMemory(ctx, id, BY_API));
  const dated = { ...record, due_date: "2099-05-03", repeat_from: null };
  await count("dated", (ctx) => createMemory(ctx, dated, BY_API));
  await count("with a reminder", (ctx) => createMemory(ctx, { ...dated, due_time: "09:00" }, BY_API));
  await count("that repeats", (ctx) => createMemory(ctx, { ...dated, repeat: "FREQ=DAILY" }, BY_API));
  const { dated: plain = 0, "with a reminder": reminding, "that repeats": repeating, ...others } = written;
  expect([reminding, repeating]).toEqual([plain + 2, plain + 1]);
  expect(others).toEqual({
    folder: 7,
    "folder renamed": 4,
    document: 13,
    "document changed": 10,
    "document deleted": 7,
    "document restored": 11,
    "document in a folder": 16,
    "document changed in a folder": 11,
    "document deleted in a folder": 8,
    "document restored in a folder": 13,
    record: 12,
    "record changed": 8,
    "record with a due date": 9,
    "record with another": 8,
    "record without one": 10,
    "record deleted": 9,
    "record restored": 12,
  });
});
