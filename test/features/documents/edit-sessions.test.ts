import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { listChangesRoute } from "../../../src/features/changes/routes.ts";
import { updateDocument } from "../../../src/features/documents/change-store.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { exportAccountRoute } from "../../../src/features/export/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { type Client, person, signIn } from "../../kit/client.ts";
import { ctxOf, numberOf } from "../../kit/ctx.ts";
import * as kit from "../../kit/documents.ts";
import { prose, read, remove, textOf, update, versionsOf } from "../../kit/documents.ts";
import { send } from "../../kit/files.ts";
import { metered } from "../../kit/meter.ts";
import { keyOf } from "../../kit/scopes.ts";
import { setNow } from "../../kit/trash.ts";
import { countedOf, freshOf } from "../../kit/usage.ts";

// A program saves again and again while a person writes: an edit session.

const SESSION = { "X-Sitting": "3f0c9a52b7d14e86" };
const OTHER = { "X-Sitting": "another-session" };
const BEGIN = "2026-11-20T12:00:00.000Z";
const after = (seconds: number) => new Date(Date.parse(BEGIN) + seconds * 1000).toISOString();

afterEach(() => void vi.useRealTimers());

const create = (who: Client) => kit.create(who, { content: prose("first words") });
const write = (who: Client, plan: { id: string }, text: string, headers: Record<string, string> = {}) =>
  update(who, plan, { content: prose(text) }, { ...SESSION, ...headers });

const changesOf = async (who: Client, { id }: { id: string }) =>
  (await who.ok(listActivityRoute, { query: { kind: "document", record_id: id } })).items;

const undo = async (who: Client, id: number | undefined) =>
  (await who.ok(undoActivityRoute, { json: { ids: [id] } })).results[0]?.outcome;

test("what is saved in one session is one change with one earlier version; undo goes to its beginning, and ends it", async () => {
  const ada = await person();
  const plan = await create(ada);
  for (const text of ["a", "ab", "abc"]) await write(ada, plan, text);
  expect(await versionsOf(ada, plan)).toEqual([1]);
  const [last, ...before] = await changesOf(ada, plan);
  expect(last).toMatchObject({ verb: "changed", version_before: 1, version_after: 4 });
  expect(before).toMatchObject([{ verb: "created" }]);
  expect(await undo(ada, last?.id)).toBe("undone");
  expect(await textOf(ada, plan)).toBe("first words");
  expect(await versionsOf(ada, plan)).toEqual([4, 1]);
  await write(ada, plan, "b");
  expect(await versionsOf(ada, plan)).toEqual([5, 4, 1]);
});

test("each ten minutes of writing leave a version", async () => {
  setNow(BEGIN);
  const ada = await keyOf(await person(), ["docs:read", "docs:write"]);
  const plan = await create(ada);
  for (let second = 0; second < 3600; second += 100) {
    setNow(after(second));
    await write(ada, plan, `after ${second} s`);
  }
  expect(await versionsOf(ada, plan)).toHaveLength(6);
});

test("another writer, another session and any other change of the document begin a change of their own", async () => {
  const email = "ada@example.com";
  const ada = await person({ email });
  const phone = await signIn(email);
  const plan = await create(ada);
  await write(ada, plan, "a");
  await write(ada, plan, "named", { "X-Client-Name": "Editor" });
  await write(ada, plan, "other", OTHER);
  await write(phone, plan, "phone");
  await update(ada, plan, { tags: ["b"] });
  await write(ada, plan, "ab");
  await write(ada, plan, "abc");
  expect(await versionsOf(ada, plan)).toEqual([6, 5, 4, 3, 2, 1]);
});

test("other changes in between do not end a session, nor do two documents that are written at once", async () => {
  const ada = await person();
  const [plan, list] = [await create(ada), await create(ada)];
  for (const text of ["a", "b", "c"]) {
    await write(ada, plan, text);
    await write(ada, list, text);
    await ada.ok(createMemoryRoute, { json: { memory_type: "context", topic: text, content: "Said" } });
  }
  expect([await versionsOf(ada, plan), await versionsOf(ada, list)]).toEqual([[1], [1]]);
  const numbers = (await ada.ok(listActivityRoute)).items.map(({ id }) => id);
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  expect(new Set(numbers).size).toBe(7);
});

test("a document that is moved, deleted or restored in a session begins a change of its own, and If-Match holds", async () => {
  const ada = await person();
  const plan = await create(ada);
  await write(ada, plan, "a");
  const { id: folder_id } = await ada.ok(createFolderRoute, { json: { name: "Work" } });
  await update(ada, plan, { folder_id }, SESSION);
  await write(ada, plan, "ab");
  await remove(ada, plan);
  await ada.ok(documents.restoreDocumentRoute, kit.at(plan));
  await write(ada, plan, "b");
  expect((await changesOf(ada, plan)).map(({ verb }) => verb)).toEqual([
    ...["changed", "restored", "deleted", "changed", "moved", "changed", "created"],
  ]);
  const headers = { ...SESSION, "If-Match": '"v1"' };
  const stale = { ...kit.at(plan), json: { title: "x" }, headers };
  expect((await ada.call(documents.updateDocumentRoute, stale)).status).toBe(412);
});

test("the last 50 versions are kept whatever their numbers, and every byte is counted", async () => {
  const ada = await person();
  const plan = await create(ada);
  for (let turn = 0; turn < 53; turn++) {
    const headers = { "X-Sitting": `session-${turn}` };
    await write(ada, plan, "x".repeat(turn), headers);
    await write(ada, plan, "y".repeat(2 * turn), headers);
  }
  const kept = await versionsOf(ada, plan);
  expect([kept.length, kept[0]]).toEqual([50, 104]);
  const owner = await numberOf(ada);
  expect(await countedOf(owner)).toEqual(await freshOf(owner));
});

test("a program that follows the changes gets each write, from wherever it has read", async () => {
  const ada = await person();
  const plan = await create(ada);
  let cursor = "";
  const follow = async () => {
    const page = await ada.ok(listChangesRoute, { query: cursor ? { cursor } : {} });
    cursor = page.cursor;
    return page;
  };
  while ((await follow()).has_more);
  const cursors = [cursor];
  for (const text of ["a", "b", "c"]) {
    await write(ada, plan, text);
    const { items } = await follow();
    expect(items).toMatchObject([{ id: plan.id, change: "changed", document: { content: { text } } }]);
    cursors.push(cursor);
    await create(ada);
    await follow();
  }
  for (const [place, older] of cursors.entries()) {
    const { items } = await ada.ok(listChangesRoute, { query: { cursor: older } });
    expect(items.map(({ id }) => id).includes(plan.id)).toBe(place < 3);
  }
});

test("what was changed since an instant is found across the numbers that a session has left", async () => {
  setNow(BEGIN);
  const ada = await person();
  const [plan, other] = [await create(ada), await create(ada)];
  for (let minute = 1; minute < 9; minute++) {
    setNow(after(60 * minute));
    await write(ada, plan, `${minute}`);
    if (minute % 3 === 0) await write(ada, other, `${minute}`);
  }
  const since = async (minute: number) =>
    (await ada.ok(listActivityRoute, { query: { since: after(60 * minute) } })).items.map(
      ({ record_id }) => record_id,
    );
  expect(await since(8)).toEqual([plan.id]);
  expect(await since(6)).toEqual([plan.id, other.id]);
  expect(await since(0)).toHaveLength(4);
  expect(await since(9)).toEqual([]);
});

test("versions with gaps between their numbers are exported, and imported elsewhere", async () => {
  const [ada, bob] = [await person(), await person()];
  const plan = await create(ada);
  for (const text of ["a", "ab"]) await write(ada, plan, text);
  for (const text of ["abc", "abcd"]) await write(ada, plan, text, OTHER);
  expect((await send(bob, (await ada.call(exportAccountRoute)).text)).result.status).toBe("done");
  const [copy = plan] = (await bob.ok(documents.listDocumentsRoute)).items;
  expect([await textOf(bob, copy), await versionsOf(bob, copy)]).toEqual(["abcd", [3, 1]]);
  for (const version of [3, 1]) {
    const contentOf = async (who: Client, { id }: { id: string }) => {
      const params = { document_id: id, version: String(version) };
      return (await who.ok(documents.getVersionRoute, { params })).content;
    };
    expect(await contentOf(bob, copy)).toEqual(await contentOf(ada, plan));
  }
});

test("a malformed name of a session is refused", async () => {
  const ada = await person();
  const plan = await create(ada);
  for (const name of ["short", "with spaces in it", "x".repeat(65)]) {
    const parts = { ...kit.at(plan), json: { title: "x" }, headers: { "X-Sitting": name } };
    const refused = { status: 422, detail: expect.stringContaining("x-sitting") };
    expect(await ada.refusal(documents.updateDocumentRoute, parts)).toEqual(refused);
  }
  expect((await read(ada, plan)).version).toBe(1);
});

const WORDS = "the plan for the spring market is to bring the honey that was put into jars in autumn".split(
  " ",
);

test("a minute of writing, with a save every five seconds, writes at most 120 rows", async () => {
  const ada = await person();
  const { session, meter } = metered(openSession(env.DB));
  const ctx = { ...(await ctxOf(ada)), db: openDatabase(session) };
  const writer = { source_type: "web", client_name: undefined, editSession: SESSION["X-Sitting"] } as const;
  const text = (count: number) =>
    Array.from({ length: count }, (_, at) => `${WORDS[at % WORDS.length]}${at % 7}`).join(" ");
  const { id } = await kit.create(ada, { content: prose(text(800)) });
  for (let save = 1; save <= 40; save++)
    await updateDocument(ctx, id, { content: prose(text(800 + 4 * save)) }, writer);
  expect((meter.rowsWritten / 40) * 12).toBeLessThanOrEqual(120);
});
