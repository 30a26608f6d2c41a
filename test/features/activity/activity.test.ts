import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { renameTagRoute } from "../../../src/features/tags/routes.ts";
import { type Client, person, signIn } from "../../kit/client.ts";
import { personAt } from "../../kit/dashboard.ts";
import { at, create, prose, read, remove, update } from "../../kit/documents.ts";
import { send } from "../../kit/files.ts";
import { rightAfter } from "../../kit/right-after.ts";

// The activity, and undoing what it lists.

afterEach(() => void vi.useRealTimers());

const activityOf = async (who: Client, query: Record<string, string> = {}) =>
  (await who.ok(listActivityRoute, { query: { limit: "100", ...query } })).items;

const undo = (who: Client, json: unknown) => who.ok(undoActivityRoute, { json });
const outcomesOf = ({ results }: Awaited<ReturnType<typeof undo>>) => results.map(({ outcome }) => outcome);

/** Undoes the last change. */
async function undoLast(who: Client) {
  const [last] = await activityOf(who);
  const { results } = await undo(who, { ids: [last?.id] });
  expect(results[0]).toMatchObject({ id: last?.id, outcome: "undone" });
}

/** After each step, its undo brings back what was there before, and the undo of that what was there after. */
async function undoEach(who: Client, readState: () => Promise<unknown>, steps: (() => Promise<unknown>)[]) {
  for (const step of steps) {
    const before = await readState();
    await step();
    const after = await readState();
    for (const expected of [before, after]) {
      await undoLast(who);
      expect(await readState()).toEqual(expected);
    }
  }
}

const PLAN = { content: prose("One"), tags: ["work"] };
const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;

const makeFolder = (who: Client, name: string, parent_id?: string) =>
  who.ok(folders.createFolderRoute, { json: { name, parent_id } });

/** A new record, with the parameters of its routes. */
async function makeRecord(who: Client, fields: object = {}) {
  const { id } = await who.ok(memories.createMemoryRoute, { json: { ...SLIDES, ...fields } });
  return { id, params: { memory_id: String(id) } };
}

test("each step of a document is one entry, with its versions, its title and who took it", async () => {
  const ada = await person();
  const plan = await create(ada, PLAN);
  const { id: folder_id } = await makeFolder(ada, "Work");
  await update(ada, plan, { title: "The plan" });
  for (let time = 0; time < 2; time++) await update(ada, plan, { folder_id });
  await remove(ada, plan);
  await ada.ok(documents.restoreDocumentRoute, at(plan));
  const items = (await activityOf(ada, { kind: "document", record_id: plan.id })).reverse();
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

test("on request, each change says which fields it affected, and how those that are no text differ", async () => {
  const ada = await person();
  const trips = await makeFolder(ada, "Trips");
  const inner = await makeFolder(ada, "New", trips.id);
  const plan = await create(ada, { title: "Plan", ...PLAN });
  await update(ada, plan, { folder_id: inner.id });
  await update(ada, plan, { tags: ["packing", "work"] });
  await update(ada, plan, { title: "Packing", content: prose("Two") });
  await update(ada, plan, { content: prose("Six"), folder_id: null });
  const record = { kind: "document", record_id: plan.id };
  const changes = await activityOf(ada, { ...record, include: "differences" });
  expect(changes.map(({ verb, differences }) => [verb, differences])).toEqual([
    ["changed", [{ field: "folder", from: "Trips/New", to: "/" }, { field: "content" }]],
    ["changed", [{ field: "title", from: "Plan", to: "Packing" }, { field: "content" }]],
    ["changed", [{ field: "tags", added: ["packing"], removed: [] }]],
    ["moved", [{ field: "folder", from: "/", to: "Trips/New" }]],
    ["created", undefined],
  ]);
  expect((await activityOf(ada, record)).some((change) => "differences" in change)).toBe(false);
  for (const { id: folder_id } of [inner, trips])
    await ada.call(folders.deleteFolderRoute, { params: { folder_id } });
  const [last] = (await activityOf(ada, { ...record, include: "differences" })).filter(
    ({ verb }) => verb === "changed",
  );
  expect(last?.differences?.[0]).toEqual({ field: "folder", from: null, to: "/" });
});

test("a folder that an import wrote again tells a new name, and none that it had already", async () => {
  const ada = await person();
  const trips = await makeFolder(ada, "Trips");
  const exported = await (await ada.fetch("/api/export")).text();
  const overwrite = () => send(ada, exported, "?mode=overwrite");
  await overwrite();
  await ada.ok(folders.updateFolderRoute, { params: { folder_id: trips.id }, json: { name: "Journeys" } });
  await overwrite();
  const query = { kind: "folder", verb: "changed", include: "differences" };
  expect((await activityOf(ada, query)).map(({ differences }) => differences)).toEqual([
    [{ field: "name", from: "Journeys", to: "Trips" }],
    [{ field: "name", from: "Trips", to: "Journeys" }],
    undefined,
  ]);
});

test("every change of a document can be undone, and each undo as well", async () => {
  const ada = await person();
  const plan = await create(ada, PLAN);
  const { id: folder_id } = await makeFolder(ada, "Work");
  const state = async () => {
    const { status, body } = await ada.call(documents.getDocumentRoute, at(plan));
    if (status !== 200) return status;
    const { version: _, updated_at: __, ...said } = body;
    return said;
  };
  await undoEach(ada, state, [
    () => update(ada, plan, { title: "Other", tags: ["work", "new"] }),
    () => update(ada, plan, { folder_id }),
    () => ada.ok(documents.editDocumentRoute, { ...at(plan), json: { operation: "append", text: "Two" } }),
    () => ada.ok(renameTagRoute, { params: { name: "work" }, json: { name: "job" } }),
    () => ada.ok(documents.restoreVersionRoute, { params: { document_id: plan.id, version: "1" } }),
    () => remove(ada, plan),
    () => ada.ok(documents.restoreDocumentRoute, at(plan)),
  ]);
});

test("every step of a memory record can be undone: its state, dates and note are as before", async () => {
  const ada = await person();
  const { id, params } = await makeRecord(ada, { due_date: "2099-01-08" });
  const state = async () => {
    const { version: _, updated_at: __, ...said } = await ada.ok(memories.getMemoryRoute, { params });
    const stored = env.DB.prepare("SELECT closed_at, touched_at FROM memories WHERE id = ? AND topic = ?");
    return { ...said, stored: (await stored.bind(id, said.topic).all()).results };
  };
  const change = (json: object) => () => ada.ok(memories.updateMemoryRoute, { params, json });
  await undoEach(ada, state, [
    change({ content: "For Alan", due_date: "2099-02-01" }),
    change({ project: "Apollo", tags: ["board"] }),
    () =>
      ada.ok(memories.deferMemoryRoute, { params, json: { deferred_until: "2098-01-01", note: "Later" } }),
    () => ada.ok(memories.resolveMemoryRoute, { params, json: { resolution_note: "Sent" } }),
    () => ada.ok(memories.reopenMemoryRoute, { params }),
    () => ada.ok(memories.confirmMemoryRoute, { params }),
    () => ada.ok(memories.archiveMemoryRoute, { params, json: {} }),
    () => ada.ok(memories.restoreMemoryVersionRoute, { params: { ...params, version: "1" } }),
  ]);
});

test("what was created goes to the trash and comes back; a replacement is undone in two steps", async () => {
  const ada = await person();
  const { id, params } = await makeRecord(ada);
  const statusOf = async (memory_id: unknown) =>
    (await ada.call(memories.getMemoryRoute, { params: { memory_id: String(memory_id) } })).status;
  await undoLast(ada);
  expect(await statusOf(id)).toBe(404);
  await undoLast(ada);
  // The new record is not undone alone, which would leave none of the two open.
  for (const both of [true, false]) {
    const json = { content: "For Alan" };
    const { superseded_by_id } = await ada.ok(memories.supersedeMemoryRoute, { params, json });
    const [created, superseded] = await activityOf(ada);
    expect([created?.verb, superseded?.verb]).toEqual(["created", "superseded"]);
    const { results } = await undo(ada, { ids: both ? [created?.id, superseded?.id] : [created?.id] });
    expect(results).toMatchObject([
      { id: created?.id, outcome: "undone" },
      { id: superseded?.id, outcome: "undone" },
    ]);
    const open = await ada.ok(memories.listMemoriesRoute, { query: { status: "active" } });
    expect(open.items).toMatchObject([{ id, content: "For Grace" }]);
    expect(await statusOf(superseded_by_id)).toBe(404);
  }
});

test("what a record replaced stays closed when the record cannot be undone, because it was changed since", async () => {
  const ada = await person();
  const { params } = await makeRecord(ada);
  await ada.ok(memories.supersedeMemoryRoute, { params, json: { content: "For Alan" } });
  const [created] = await activityOf(ada);
  const next = { params: { memory_id: String(created?.record_id) }, json: { content: "For both" } };
  await ada.ok(memories.updateMemoryRoute, next);
  const { results } = await undo(ada, { ids: [created?.id] });
  expect(results).toMatchObject([{ id: created?.id, outcome: "changed_since" }]);
  const open = await ada.ok(memories.listMemoriesRoute, { query: { status: "active" } });
  expect(open.items).toMatchObject([{ id: Number(created?.record_id), content: "For both" }]);
});

test("folders: a name, a parent, a deletion and a creation are undone where that is possible", async () => {
  const ada = await person();
  const outer = await makeFolder(ada, "Outer");
  const inner = await makeFolder(ada, "Inner", outer.id);
  const plan = await create(ada, { ...PLAN, folder_id: inner.id });
  const params = { folder_id: inner.id };
  const asBefore = async () =>
    expect(await ada.ok(folders.getFolderRoute, { params })).toMatchObject({
      ...{ name: "Inner", parent_id: outer.id },
    });
  for (const json of [{ name: "Renamed" }, { parent_id: null }]) {
    await ada.ok(folders.updateFolderRoute, { params, json });
    await undoLast(ada);
    await asBefore();
  }
  const [{ id: last = 0 } = {}] = await activityOf(ada);
  const trash = { params: { folder_id: outer.id }, query: { on_content: "trash" } };
  await ada.call(folders.deleteFolderRoute, trash);
  const deletion = (await activityOf(ada)).filter((one) => one.id > last).map((one) => one.id);
  expect(deletion).toHaveLength(3);
  expect(outcomesOf(await undo(ada, { ids: deletion }))).toEqual(Array(3).fill("undone"));
  expect((await read(ada, plan)).folder_id).toBe(inner.id);
  await asBefore();
  const creation = (await activityOf(ada, { kind: "folder", record_id: outer.id })).at(-1);
  expect(outcomesOf(await undo(ada, { ids: [creation?.id] }))).toEqual(["not_possible"]);
});

test("what has changed since is answered with both states, and a dry run changes nothing", async () => {
  const ada = await person();
  const plan = await create(ada, PLAN);
  for (const title of ["Second", "Third"]) await update(ada, plan, { title });
  const [third, second, first] = await activityOf(ada);
  const { results } = await undo(ada, { ids: [second?.id] });
  expect(results[0]).toMatchObject({
    outcome: "changed_since",
    current: { version: 3, title: "Third", presence: "present" },
    previous: { version: 1, title: "Plan" },
  });
  const ids = [first?.id, second?.id, third?.id];
  const undone = ["undone", "undone", "undone"];
  expect(outcomesOf(await undo(ada, { ids, dry_run: true }))).toEqual(undone);
  const later = { ids: [second?.id, first?.id], dry_run: true, assume_undone: [third?.id] };
  expect((await undo(ada, later)).undone).toBe(2);
  expect((await undo(ada, { ...later, assume_undone: [] })).undone).toBe(0);
  expect(await activityOf(ada)).toHaveLength(3);
  expect(outcomesOf(await undo(ada, { ids }))).toEqual(undone);
  expect((await ada.call(documents.getDocumentRoute, at(plan))).status).toBe(404);
  expect(outcomesOf(await undo(ada, { ids }))).toEqual(Array(3).fill("already_undone"));
});

test("a deferral is not undone when its day has come, whether that is stored or not", async () => {
  const { client: ada, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const { params } = await makeRecord(ada);
  await ada.ok(memories.deferMemoryRoute, { params, json: { deferred_until: "2026-11-21" } });
  const [deferral] = await activityOf(ada);
  vi.setSystemTime(new Date("2026-11-20T23:30:00Z"));
  ada.tokens = (await signIn(email)).tokens;
  const detail = expect.stringContaining("changed");
  for (const dry_run of [true, false]) {
    const { results } = await undo(ada, { ids: [deferral?.id], dry_run });
    expect(results[0]).toMatchObject({ outcome: "changed_since", detail });
  }
  expect(await ada.ok(memories.getMemoryRoute, { params })).toMatchObject({ status: "active", version: 3 });
});

test("the changes of another account are neither shown nor undone", async () => {
  const [ada, bob] = [await person(), await person()];
  await create(ada, PLAN);
  const [one] = await activityOf(ada);
  expect(await activityOf(bob)).toEqual([]);
  expect(outcomesOf(await undo(bob, { ids: [one?.id, 99] }))).toEqual(["not_found", "not_found"]);
  expect(await activityOf(ada)).toHaveLength(1);
  await create(bob, PLAN);
  expect((await undo(bob, { client: "Claude", since: "2020-01-01" })).results).toEqual([]);
});

test("what is changed between the look at a change and its undo stays, and the undo is refused", async () => {
  const ada = await person();
  const plan = await create(ada, PLAN);
  await update(ada, plan, { title: "The plan" });
  const { params } = await makeRecord(ada);
  const change = (json: object) => ada.ok(memories.updateMemoryRoute, { params, json });
  await change({ topic: "The slides" });
  const [second, , first] = await activityOf(ada);
  const theirs = { tags: ["theirs"] };
  for (const [entry, happen] of [
    [first, () => update(ada, plan, theirs)],
    [second, () => change(theirs)],
  ] as const) {
    const { results } = await rightAfter("AS overtaken", happen, () => undo(ada, { ids: [entry?.id] }));
    expect(results).toMatchObject([{ id: entry?.id, outcome: "changed_since" }]);
  }
  expect(await read(ada, plan)).toMatchObject({ title: "The plan", ...theirs, version: 3 });
  expect(await ada.ok(memories.getMemoryRoute, { params })).toMatchObject({
    ...{ topic: "The slides", ...theirs, version: 3 },
  });
});
