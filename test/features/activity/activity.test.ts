import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { renameTagRoute } from "../../../src/features/tags/routes.ts";
import { type Client, person, signIn } from "../../kit/client.ts";
import { personAt } from "../../kit/dashboard.ts";
import { rightAfter } from "../../kit/right-after.ts";

// The ledger of changes, and undoing them.

afterEach(() => {
  vi.useRealTimers();
});

const activityOf = async (who: Client, query: Record<string, string> = {}) =>
  (await who.ok(listActivityRoute, { query: { limit: "100", ...query } })).items;

const undo = (who: Client, json: unknown) => who.ok(undoActivityRoute, { json });

/** Undoes the last change. */
async function undoLast(who: Client) {
  const [last] = await activityOf(who);
  const { results } = await undo(who, { ids: [last?.id] });
  expect(results[0]).toMatchObject({ id: last?.id, outcome: "undone" });
  return results[0];
}

const PLAN = { title: "Plan", content: { format: "markdown", text: "One" }, tags: ["work"] };
const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;

test("each step of a document is one entry, with its versions, its title and who took it", async () => {
  const ada = await person();
  const { id } = await ada.ok(documents.createDocumentRoute, { json: PLAN });
  const folder = await ada.ok(folders.createFolderRoute, { json: { name: "Work" } });
  const params = { document_id: id };
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "The plan" } });
  await ada.ok(documents.updateDocumentRoute, { params, json: { folder_id: folder.id } });
  await ada.ok(documents.updateDocumentRoute, { params, json: { folder_id: folder.id } });
  await ada.call(documents.deleteDocumentRoute, { params });
  await ada.ok(documents.restoreDocumentRoute, { params });
  const items = (await activityOf(ada, { kind: "document", record_id: id })).reverse();
  expect(
    items.map(({ verb, version_before, version_after }) => [verb, version_before, version_after]),
  ).toEqual([
    ["created", null, 1],
    ["changed", 1, 2],
    ["moved", 2, 3],
    ["deleted", 3, 3],
    ["restored", 3, 3],
  ]);
  expect(items.map(({ title }) => title)).toEqual(["Plan", ...Array(4).fill("The plan")]);
  expect(items[0]?.actor).toEqual({ kind: "person", id: null, client_name: null });
  expect(await activityOf(ada)).toHaveLength(6);
});

test("every change of a document can be undone, and each undo as well", async () => {
  const ada = await person();
  const { id } = await ada.ok(documents.createDocumentRoute, { json: PLAN });
  const params = { document_id: id };
  const folder = await ada.ok(folders.createFolderRoute, { json: { name: "Work" } });
  const read = async () => {
    const { status, body } = await ada.call(documents.getDocumentRoute, { params });
    if (status !== 200) return status;
    const { version: _, updated_at: __, ...said } = body;
    return said;
  };
  const steps: (() => Promise<unknown>)[] = [
    () => ada.ok(documents.updateDocumentRoute, { params, json: { title: "Other", tags: ["work", "new"] } }),
    () => ada.ok(documents.updateDocumentRoute, { params, json: { folder_id: folder.id } }),
    () => ada.ok(documents.editDocumentRoute, { params, json: { operation: "append", text: "Two" } }),
    () => ada.ok(renameTagRoute, { params: { name: "work" }, json: { name: "job" } }),
    () => ada.ok(documents.restoreVersionRoute, { params: { ...params, version: "1" } }),
    () => ada.call(documents.deleteDocumentRoute, { params }),
    () => ada.ok(documents.restoreDocumentRoute, { params }),
    () =>
      ada.call(folders.deleteFolderRoute, {
        params: { folder_id: folder.id },
        query: { on_content: "trash" },
      }),
  ];
  for (const step of steps) {
    const before = await read();
    await step();
    const [last] = await activityOf(ada);
    if (last?.kind === "folder") break;
    const after = await read();
    await undoLast(ada);
    expect(await read()).toEqual(before);
    await undoLast(ada);
    expect(await read()).toEqual(after);
  }
  await undoLast(ada);
});

test("every step of a memory record can be undone: its state, dates and note are as before", async () => {
  const ada = await person();
  const { id } = await ada.ok(memories.createMemoryRoute, { json: { ...SLIDES, due_date: "2099-01-08" } });
  const params = { memory_id: String(id) };
  const read = async () => {
    const { version: _, updated_at: __, ...said } = await ada.ok(memories.getMemoryRoute, { params });
    const { results } = await env.DB.prepare(
      "SELECT closed_at, touched_at FROM memories WHERE id = ? AND topic = ?",
    )
      .bind(id, said.topic)
      .all();
    return { ...said, stored: results };
  };
  const steps: (() => Promise<unknown>)[] = [
    () =>
      ada.ok(memories.updateMemoryRoute, { params, json: { content: "For Alan", due_date: "2099-02-01" } }),
    () => ada.ok(memories.updateMemoryRoute, { params, json: { project: "Apollo", tags: ["board"] } }),
    () =>
      ada.ok(memories.deferMemoryRoute, { params, json: { deferred_until: "2098-01-01", note: "Later" } }),
    () => ada.ok(memories.resolveMemoryRoute, { params, json: { resolution_note: "Sent" } }),
    () => ada.ok(memories.reopenMemoryRoute, { params }),
    () => ada.ok(memories.confirmMemoryRoute, { params }),
    () => ada.ok(memories.archiveMemoryRoute, { params, json: {} }),
    () => ada.ok(memories.restoreMemoryVersionRoute, { params: { ...params, version: "1" } }),
  ];
  for (const step of steps) {
    const before = await read();
    await step();
    const after = await read();
    await undoLast(ada);
    expect(await read()).toEqual(before);
    await undoLast(ada);
    expect(await read()).toEqual(after);
  }
});

test("what was created goes to the trash and comes back; a replacement is undone in two steps", async () => {
  const ada = await person();
  const { id } = await ada.ok(memories.createMemoryRoute, { json: SLIDES });
  const params = { memory_id: String(id) };
  await undoLast(ada);
  expect((await ada.call(memories.getMemoryRoute, { params })).status).toBe(404);
  await undoLast(ada);
  const first = await ada.ok(memories.getMemoryRoute, { params });
  const { superseded_by_id } = await ada.ok(memories.supersedeMemoryRoute, {
    params,
    json: { content: "For Alan" },
  });
  const [created, superseded] = await activityOf(ada);
  expect([created?.verb, superseded?.verb]).toEqual(["created", "superseded"]);
  const { undone, results } = await undo(ada, { ids: [created?.id, superseded?.id] });
  expect(undone, JSON.stringify(results)).toBe(2);
  const last = await ada.ok(memories.getMemoryRoute, { params });
  expect(last).toMatchObject({ status: "active", content: first.content });
  const gone = { memory_id: String(superseded_by_id) };
  expect((await ada.call(memories.getMemoryRoute, { params: gone })).status).toBe(404);
});

test("a record that replaced another is not undone alone, which would leave none of the two open", async () => {
  const ada = await person();
  const json = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;
  const { id } = await ada.ok(memories.createMemoryRoute, { json });
  const params = { memory_id: String(id) };
  await ada.ok(memories.supersedeMemoryRoute, { params, json: { content: "For Alan" } });
  const [created, superseded] = await activityOf(ada);
  const { results } = await undo(ada, { ids: [created?.id] });
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
    [created?.id, "undone"],
    [superseded?.id, "undone"],
  ]);
  const open = await ada.ok(memories.listMemoriesRoute, { query: { status: "active" } });
  expect(open.items).toMatchObject([{ id, content: "For Grace" }]);
});

test("what a record replaced stays closed when the record cannot be undone, because it was changed since", async () => {
  const ada = await person();
  const json = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;
  const { id } = await ada.ok(memories.createMemoryRoute, { json });
  const params = { memory_id: String(id) };
  await ada.ok(memories.supersedeMemoryRoute, { params, json: { content: "For Alan" } });
  const [created] = await activityOf(ada);
  const { items } = await ada.ok(memories.listMemoriesRoute, { query: { status: "active" } });
  await ada.ok(memories.updateMemoryRoute, {
    params: { memory_id: String(items[0]?.id) },
    json: { content: "For Alan and Grace" },
  });
  const { results } = await undo(ada, { ids: [created?.id] });
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([[created?.id, "changed_since"]]);
  const open = await ada.ok(memories.listMemoriesRoute, { query: { status: "active" } });
  expect(open.items).toMatchObject([{ id: items[0]?.id, content: "For Alan and Grace" }]);
});

test("folders: a name, a parent, a deletion and a creation are undone where that is possible", async () => {
  const ada = await person();
  const outer = await ada.ok(folders.createFolderRoute, { json: { name: "Outer" } });
  const inner = await ada.ok(folders.createFolderRoute, { json: { name: "Inner", parent_id: outer.id } });
  const { id } = await ada.ok(documents.createDocumentRoute, { json: { ...PLAN, folder_id: inner.id } });
  const params = { folder_id: inner.id };
  await ada.ok(folders.updateFolderRoute, { params, json: { name: "Renamed" } });
  await undoLast(ada);
  expect(await ada.ok(folders.getFolderRoute, { params })).toMatchObject({
    name: "Inner",
    parent_id: outer.id,
  });
  await ada.ok(folders.updateFolderRoute, { params, json: { parent_id: null } });
  await undoLast(ada);
  expect(await ada.ok(folders.getFolderRoute, { params })).toMatchObject({ parent_id: outer.id });
  const [{ id: last = 0 } = {}] = await activityOf(ada);
  await ada.call(folders.deleteFolderRoute, {
    params: { folder_id: outer.id },
    query: { on_content: "trash" },
  });
  const deletion = (await activityOf(ada)).filter((one) => one.id > last).map((one) => one.id);
  expect(deletion).toHaveLength(3);
  const { undone, results } = await undo(ada, { ids: deletion });
  expect(undone, JSON.stringify(results)).toBe(3);
  const document = await ada.ok(documents.getDocumentRoute, { params: { document_id: id } });
  expect(document.folder_id).toBe(inner.id);
  expect(await ada.ok(folders.getFolderRoute, { params })).toMatchObject({
    parent_id: outer.id,
    name: "Inner",
  });
  const creation = (await activityOf(ada, { kind: "folder", record_id: outer.id })).at(-1);
  const { results: refused } = await undo(ada, { ids: [creation?.id] });
  expect(refused[0]).toMatchObject({ outcome: "not_possible" });
});

test("what has changed since is answered with both states, and a dry run changes nothing", async () => {
  const ada = await person();
  const { id } = await ada.ok(documents.createDocumentRoute, { json: PLAN });
  const params = { document_id: id };
  for (const title of ["Second", "Third"])
    await ada.ok(documents.updateDocumentRoute, { params, json: { title } });
  const [third, second, first] = await activityOf(ada);
  const { results } = await undo(ada, { ids: [second?.id] });
  expect(results[0]).toMatchObject({
    outcome: "changed_since",
    current: { version: 3, title: "Third", presence: "present" },
    previous: { version: 1, title: "Plan" },
  });
  const ids = [first?.id, second?.id, third?.id];
  const dry = await undo(ada, { ids, dry_run: true });
  expect(dry.results.map(({ outcome }) => outcome)).toEqual(["undone", "undone", "undone"]);
  const later = { ids: [second?.id, first?.id], dry_run: true, assume_undone: [third?.id] };
  expect((await undo(ada, later)).undone).toBe(2);
  expect((await undo(ada, { ...later, assume_undone: [] })).undone).toBe(0);
  const json = { ids, assume_undone: [third?.id] };
  expect((await ada.refusal(undoActivityRoute, { json })).status).toBe(422);
  expect(await activityOf(ada)).toHaveLength(3);
  const wet = await undo(ada, { ids });
  expect(wet.results.map(({ outcome }) => outcome)).toEqual(["undone", "undone", "undone"]);
  expect((await ada.call(documents.getDocumentRoute, { params })).status).toBe(404);
  const again = await undo(ada, { ids });
  expect(again.results.map(({ outcome }) => outcome)).toEqual(Array(3).fill("already_undone"));
});

test("a deferral is not undone when its day has come, whether that is stored or not", async () => {
  const { client: ada, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const { id } = await ada.ok(memories.createMemoryRoute, { json: SLIDES });
  const params = { memory_id: String(id) };
  await ada.ok(memories.deferMemoryRoute, { params, json: { deferred_until: "2026-11-21" } });
  const [deferral] = await activityOf(ada);
  vi.setSystemTime(new Date("2026-11-20T23:30:00Z"));
  ada.tokens = (await signIn(email)).tokens;
  for (const dry_run of [true, false]) {
    const { results } = await undo(ada, { ids: [deferral?.id], dry_run });
    expect(results[0]).toMatchObject({
      outcome: "changed_since",
      detail: expect.stringContaining("changed"),
    });
  }
  expect(await ada.ok(memories.getMemoryRoute, { params })).toMatchObject({ status: "active", version: 3 });
});

test("nobody sees or undoes the changes of others", async () => {
  const [ada, bob] = [await person(), await person()];
  await ada.ok(documents.createDocumentRoute, { json: PLAN });
  const [one] = await activityOf(ada);
  expect(await activityOf(bob)).toEqual([]);
  const { results } = await undo(bob, { ids: [one?.id, 99] });
  expect(results.map(({ outcome }) => outcome)).toEqual(["not_found", "not_found"]);
  expect(await activityOf(ada)).toHaveLength(1);
  await bob.ok(documents.createDocumentRoute, { json: PLAN });
  expect((await undo(bob, { client: "Claude", since: "2020-01-01" })).results).toEqual([]);
});

test("what somebody changes between the look at a change and its undo stays, and the undo is refused", async () => {
  const ada = await person();
  const { id } = await ada.ok(documents.createDocumentRoute, { json: PLAN });
  const params = { document_id: id };
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "The plan" } });
  const record = await ada.ok(memories.createMemoryRoute, { json: SLIDES });
  const of = { memory_id: String(record.id) };
  await ada.ok(memories.updateMemoryRoute, { params: of, json: { topic: "The slides" } });
  const [second, , first] = await activityOf(ada);
  for (const [change, happen] of [
    [first, () => ada.ok(documents.updateDocumentRoute, { params, json: { tags: ["theirs"] } })],
    [second, () => ada.ok(memories.updateMemoryRoute, { params: of, json: { tags: ["theirs"] } })],
  ] as const) {
    const { results } = await rightAfter("AS overtaken", happen, () => undo(ada, { ids: [change?.id] }));
    expect(results).toMatchObject([{ id: change?.id, outcome: "changed_since" }]);
  }
  const theirs = { tags: ["theirs"], version: 3 };
  expect(await ada.ok(documents.getDocumentRoute, { params })).toMatchObject({
    title: "The plan",
    ...theirs,
  });
  expect(await ada.ok(memories.getMemoryRoute, { params: of })).toMatchObject({
    topic: "The slides",
    ...theirs,
  });
});
