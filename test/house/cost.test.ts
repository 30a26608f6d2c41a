import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { createApiKeyRoute } from "../../src/features/api-keys/routes.ts";
import { updateDocument } from "../../src/features/documents/change-store.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { createDocument } from "../../src/features/documents/store.ts";
import { deleteDocument, restoreDocument } from "../../src/features/documents/trash-store.ts";
import * as folders from "../../src/features/folders/routes.ts";
import { createFolder, updateFolder } from "../../src/features/folders/store.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { createMemory } from "../../src/features/memories/store.ts";
import { deleteMemory, restoreMemory } from "../../src/features/memories/trash-store.ts";
import { updateMemory } from "../../src/features/memories/update-store.ts";
import { renameProjectRoute } from "../../src/features/projects/routes.ts";
import * as tags from "../../src/features/tags/routes.ts";
import { keepFindingRoute, listFindingsRoute } from "../../src/features/tidy/routes.ts";
import { listTrashRoute } from "../../src/features/trash/routes.ts";
import type { Ctx } from "../../src/platform/core/ctx.ts";
import { type Client, type Parts, person } from "../kit/client.ts";
import { ctxOf, meteredCtx } from "../kit/ctx.ts";
import { ConfiguredClient, meteredClient } from "../kit/database.ts";
import { MERGES } from "../kit/meter.ts";
import { bearer } from "../kit/oauth.ts";

// The most that a request costs: calls to the database, which may be on another continent (the first of them also
// authenticates the caller), and rows that it writes, as D1 bills them. growth.test.ts has the rows that are read.

/** What the requests refer to: a document with an earlier version, others in the trash and in a folder, and records. */
async function prepare(ada: Client) {
  const json = {
    title: "Packing list",
    content: { format: "markdown", text: "# List\n\n- [ ] passport" },
    tags: ["lists", "travel", "work"],
  };
  const create = async (more = {}) =>
    (await ada.ok(documents.createDocumentRoute, { json: { ...json, ...more } })).id;
  const params = { document_id: await create() };
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "What to pack" } });
  const trashed = { document_id: await create() };
  await ada.call(documents.deleteDocumentRoute, { params: trashed });
  const folder = { folder_id: (await ada.ok(folders.createFolderRoute, { json: { name: "Journeys" } })).id };
  const inFolder = { document_id: await create(folder) };
  for (const more of [{}, { due_date: "2099-05-03", project: "House" }, {}])
    await ada.ok(memories.createMemoryRoute, { json: { ...RECORD, ...more } });
  await ada.call(memories.deleteMemoryRoute, { params: { memory_id: "3" } });
  const linked = { document_id: await create({ title: "Linked" }) };
  await create({ content: LINKS });
  return { params, trashed, folder, inFolder, linked };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

const RECORD = { memory_type: "commitment", topic: "One", content: "two" };
const DATED = { ...RECORD, due_date: "2099-05-03" };
const LINKS = { text: "[[What to pack]] [[Linked]] [[Nothing]]" };
const AGAIN = { kind: "secret", items: [{ type: "memory", id: "1" }], keep: false };
const KEY = { "Idempotency-Key": "once" };
const EDIT = { operation: "find_replace", find_text: "passport", text: "ticket" };
const [FIRST, SECOND, THIRD] = [{ memory_id: "1" }, { memory_id: "2" }, { memory_id: "3" }];
const ERASE = { permanent: "true" };

type Ask = (prepared: Prepared) => Parts;
type Row = [name: string, calls: number, route: RouteConfig, parts?: Ask];

const of =
  (name: keyof Prepared, more: Parts = {}): Ask =>
  ({ [name]: params }) => ({ params, ...more });
const document = (json: object, more: Parts = {}) => of("params", { json, ...more });
const record =
  (params: Record<string, string>, more: Parts = {}) =>
  () => ({ params, ...more });
const sent =
  (json: object, more: Parts = {}) =>
  () => ({ json, ...more });
const version =
  (more: Parts = {}): Ask =>
  ({ params }) => ({ params: { ...params, version: "1" }, ...more });
const TICK: Ask = ({ params }) => {
  const headers = { ...KEY, "X-Sitting": "a-session" };
  return { params: { ...params, number: "1" }, headers, json: { done: true } };
};
const SEVERAL: Ask = ({ params }) => {
  const tagged = { operation: "add_tags", id: params.document_id, tags: ["home"] };
  return { headers: KEY, json: { operations: [{ operation: "create", title: "New" }, tagged] } };
};
const { createDocumentRoute, updateDocumentRoute, editDocumentRoute, deleteDocumentRoute } = documents;
const { createMemoryRoute, updateMemoryRoute, deleteMemoryRoute } = memories;

const READS: Row[] = [
  ["get a document", 1, documents.getDocumentRoute, of("params")],
  ["get one with its links", 1, documents.getDocumentRoute, of("params", { query: { include: "links" } })],
  ["list documents", 1, documents.listDocumentsRoute],
  [
    "list a folder",
    1,
    documents.listDocumentsRoute,
    ({ folder }) => ({ query: { ...folder, tag: "travel" } }),
  ],
  ["list documents with tasks", 1, documents.listDocumentsRoute, () => ({ query: { tasks: "open" } })],
  ["list versions", 1, documents.listVersionsRoute, of("params")],
  ["get a version", 1, documents.getVersionRoute, version()],
  ["list links", 1, documents.listDocumentLinksRoute, of("params")],
  ["list tasks", 1, documents.listDocumentTasksRoute, of("params")],
  ["list records", 1, memories.listMemoriesRoute],
  ["list tags", 1, tags.listTagsRoute],
  ["list folders", 1, folders.listFoldersRoute],
  ["get a folder", 1, folders.getFolderRoute, of("folder")],
  ["list the trash", 1, listTrashRoute],
  ["list what can be tidied up", 3, listFindingsRoute],
];

const WRITES: Row[] = [
  ["create a document", 1, createDocumentRoute, sent({ title: "New" })],
  ["create one with links", 1, createDocumentRoute, sent({ title: "New", content: LINKS })],
  ["rename one that is linked", 2, updateDocumentRoute, of("linked", { json: { title: "B" } })],
  [
    "create a document in a folder, with a key",
    1,
    createDocumentRoute,
    ({ folder }) => ({ headers: KEY, json: { title: "New", ...folder } }),
  ],
  ["delete a document", 1, deleteDocumentRoute, of("params")],
  ["delete one in a folder", 1, deleteDocumentRoute, of("inFolder")],
  ["erase a document", 1, deleteDocumentRoute, of("params", { query: ERASE })],
  ["rename a document", 2, updateDocumentRoute, document({ title: "B" })],
  ["rename one in a folder", 2, updateDocumentRoute, of("inFolder", { json: { title: "B" } })],
  [
    "move a document",
    2,
    updateDocumentRoute,
    ({ params, folder }) => ({ params, headers: { "If-Match": '"v2"' }, json: folder }),
  ],
  ["edit a document", 2, editDocumentRoute, document(EDIT)],
  ["edit a document, with a key", 2, editDocumentRoute, document(EDIT, { headers: KEY })],
  ["tick a task, in an edit session, with a key", 2, documents.changeDocumentTaskRoute, TICK],
  ["restore a version", 2, documents.restoreVersionRoute, version({ headers: KEY })],
  ["restore a document", 2, documents.restoreDocumentRoute, of("trashed")],
  ["do several things at once", 2, documents.bulkDocumentsRoute, SEVERAL],
  ["create a folder", 1, folders.createFolderRoute, sent({ name: "New" }, { headers: KEY })],
  ["rename a folder", 1, folders.updateFolderRoute, of("folder", { json: { name: "Trips" } })],
  ["delete a folder", 16, folders.deleteFolderRoute, of("folder", { query: { on_content: "move_up" } })],
  ["rename a tag", 12, tags.renameTagRoute, sent({ name: "job" }, { params: { name: "work" } })],
  ["create a record", 1, createMemoryRoute, sent(RECORD)],
  ["create a dated record", 1, createMemoryRoute, sent(DATED)],
  ["create one with a reminder", 2, createMemoryRoute, sent({ ...DATED, due_time: "09:00" })],
  ["create one that repeats", 2, createMemoryRoute, sent({ ...DATED, repeat: "FREQ=DAILY" })],
  ["change a record", 2, updateMemoryRoute, record(FIRST, { json: { content: "three" } })],
  ["date a record", 2, updateMemoryRoute, record(FIRST, { json: { due_date: "2099-05-04" } })],
  ["take a date away", 2, updateMemoryRoute, record(SECOND, { json: { due_date: null } })],
  ["resolve a record", 2, memories.resolveMemoryRoute, record(FIRST, { json: {} })],
  ["replace a record", 2, memories.supersedeMemoryRoute, record(FIRST, { json: { content: "x" } })],
  ["delete a record", 1, deleteMemoryRoute, record(FIRST)],
  ["erase a record", 1, deleteMemoryRoute, record(FIRST, { query: ERASE })],
  ["restore a record", 2, memories.restoreMemoryRoute, record(THIRD)],
  ["rename a project", 12, renameProjectRoute, sent({ name: "Home" }, { params: { name: "House" } })],
  ["ask about a finding again", 1, keepFindingRoute, sent(AGAIN)],
];

test.for([...READS, ...WRITES])("%s: at most %i calls", async ([, calls, route, parts = () => ({})]) => {
  const ada = await person();
  const prepared = await prepare(ada);
  const { client, meter } = meteredClient(ada);
  const { status, text } = await client.call(route, parts(prepared));
  expect(status, text).toBeLessThan(300);
  expect(meter.calls).toBeLessThanOrEqual(calls);
});

test.for(["a session", "a key"])(
  "the first request with %s is one call as well, and says how many are left",
  async (credential) => {
    const ada = await person();
    const json = { name: "Script", scopes: ["docs:read", "docs:write"] };
    const client = credential === "a key" ? bearer((await ada.ok(createApiKeyRoute, { json })).key) : ada;
    const { database: DB, meter } = meteredClient(client);
    const PLAN_LIMITS = JSON.stringify({ free: { requests_per_day: 50 } });
    const metered = new ConfiguredClient(client, { DB, PLAN_LIMITS });
    for (let calls = 1; calls < 4; calls++) {
      const { headers } = await metered.call(documents.listDocumentsRoute);
      expect(meter.calls).toBeLessThanOrEqual(calls);
      expect(headers.get("RateLimit-Policy")).toContain('"day";q=50');
      // What other isolates have counted is known when the first one has been reported.
      if (calls > 1) expect(headers.get("RateLimit")).toMatch(/^"day";r=4\d;t=\d+$/);
    }
    const { id } = await ada.ok(documents.createDocumentRoute, {
      json: { title: "One", content: { text: "one" } },
    });
    const edit = { params: { document_id: id }, json: { operation: "append", text: "two" } };
    await metered.ok(documents.editDocumentRoute, edit);
    expect(meter.calls).toBeLessThanOrEqual(5);
  },
);

test("a write writes as few rows as its indexes allow", async () => {
  const ada = await person();
  const base = await ctxOf(ada);
  async function atMost<Answer>(most: number, name: string, write: (ctx: Ctx) => Promise<Answer>) {
    const { ctx, meter } = meteredCtx({ ...base, now: new Date() }, MERGES);
    const answer = await write(ctx);
    expect(meter.rowsWritten, name).toBeLessThanOrEqual(most);
    return { ...answer, written: meter.rowsWritten };
  }
  const BY_API = { source_type: "api" } as const;
  const text = (words: string) => ({ format: "markdown", text: words });
  // As after an account's first change, which notes when its oldest is purged.
  await env.DB.prepare("UPDATE users SET purge_at = created_at").run();
  const folder = await atMost(7, "folder", (ctx) => createFolder(ctx, { name: "Work" }));
  await atMost(4, "folder renamed", (ctx) => updateFolder(ctx, folder.id, { name: "Job" }));
  for (const [folder_id, where, created, changed, deleted, restored] of [
    [null, "", 13, 10, 7, 11],
    [folder.id, " in a folder", 16, 11, 8, 13],
  ] as const) {
    const input = { title: "One", content: text("two three"), folder_id };
    const { id } = await atMost(created, `document${where}`, (ctx) => createDocument(ctx, input, BY_API));
    const change = { content: text("four") };
    await atMost(changed, `document changed${where}`, (ctx) => updateDocument(ctx, id, change, BY_API));
    await atMost(deleted, `document deleted${where}`, (ctx) => deleteDocument(ctx, id));
    await atMost(restored, `document restored${where}`, (ctx) => restoreDocument(ctx, id, BY_API));
  }
  const input = { memory_type: "commitment", topic: "One", content: "two" } as const;
  const { id } = await atMost(12, "record", (ctx) => createMemory(ctx, input, BY_API));
  for (const [most, change] of [
    [8, { content: "three" }],
    [9, { due_date: "2026-05-03" }],
    [8, { due_date: "2026-05-04" }],
    [10, { due_date: null }],
  ] as const)
    await atMost(most, JSON.stringify(change), (ctx) => updateMemory(ctx, id, change, BY_API));
  await atMost(9, "record deleted", (ctx) => deleteMemory(ctx, id));
  await atMost(12, "record restored", (ctx) => restoreMemory(ctx, id, BY_API));
  const dated = { ...input, due_date: "2099-05-03", repeat_from: null };
  const { written } = await atMost(12, "dated", (ctx) => createMemory(ctx, dated, BY_API));
  const reminding = { ...dated, due_time: "09:00" };
  const { id: reminds } = await atMost(written + 2, "with a reminder", (ctx) =>
    createMemory(ctx, reminding, BY_API),
  );
  const later = { due_date: "2099-05-04" };
  await atMost(8 + 2, "moved with its reminder", (ctx) => updateMemory(ctx, reminds, later, BY_API));
  await atMost(9 + 2, "deleted with its reminder", (ctx) => deleteMemory(ctx, reminds));
  await atMost(12 + 2, "restored with its reminder", (ctx) => restoreMemory(ctx, reminds, BY_API));
  const repeating = { ...dated, repeat: "FREQ=DAILY" };
  await atMost(written + 1, "that repeats", (ctx) => createMemory(ctx, repeating, BY_API));
});

test("an update that does not change the tags writes none of their rows", async () => {
  const ada = await person();
  const costOf = async (names: string[]) => {
    const { id } = await ada.ok(createDocumentRoute, { json: { title: "note", tags: names } });
    const { client, meter } = meteredClient(ada);
    await client.ok(updateDocumentRoute, { params: { document_id: id }, json: { title: "other" } });
    return meter.rowsWritten;
  };
  const none = await costOf([]);
  expect(await costOf(["lists", "travel", "work"])).toBe(none);
});
