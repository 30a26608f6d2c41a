import { afterEach, expect, test, vi } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { listChangesRoute } from "../../../src/features/changes/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { exportAccountRoute } from "../../../src/features/export/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { importAccountRoute } from "../../../src/features/import/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { type Client, person, signIn } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { keyOf } from "../../kit/scopes.ts";
import { setNow } from "../../kit/trash.ts";
import { countedOf, freshOf } from "../../kit/usage.ts";

// Somebody writes, and a program saves again and again.

const SITTING = "3f0c9a52b7d14e86";
const BEGIN = "2026-11-20T12:00:00.000Z";

afterEach(() => void vi.useRealTimers());

const prose = (text: string) => ({ format: "markdown", text });
const create = (who: Client, text = "first words") =>
  who.ok(documents.createDocumentRoute, { json: { title: "Plan", content: prose(text) } });

const write = (who: Client, { id }: { id: string }, text: string, headers: Record<string, string> = {}) =>
  who.ok(documents.updateDocumentRoute, {
    params: { document_id: id },
    json: { content: prose(text) },
    headers: { "X-Sitting": SITTING, ...headers },
  });

const versionsOf = async (who: Client, { id }: { id: string }) =>
  (
    await who.ok(documents.listVersionsRoute, { params: { document_id: id }, query: { limit: "100" } })
  ).items.map(({ version }) => version);

const changesOf = async (who: Client, { id }: { id: string }) =>
  (await who.ok(listActivityRoute, { query: { kind: "document", record_id: id } })).items;

const undo = async (who: Client, id: number | undefined) =>
  (await who.ok(undoActivityRoute, { json: { ids: [id] } })).results[0]?.outcome;

const textOf = async (who: Client, { id }: { id: string }) =>
  (await who.ok(documents.getDocumentRoute, { params: { document_id: id } })).content?.text;

test("what is saved in one sitting is one change with one earlier version, and undo goes to its beginning", async () => {
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
});

test("writing on after an undo is another change: nothing of it is lost", async () => {
  const ada = await person();
  const plan = await create(ada);
  await write(ada, plan, "a");
  expect(await undo(ada, (await changesOf(ada, plan))[0]?.id)).toBe("undone");
  await write(ada, plan, "b");
  expect(await versionsOf(ada, plan)).toEqual([3, 2, 1]);
});

test("each ten minutes of writing leave a version", async () => {
  setNow(BEGIN);
  const ada = await keyOf(await person(), ["docs:read", "docs:write"]);
  const plan = await create(ada);
  const start = Date.parse(BEGIN);
  for (let second = 0; second < 3600; second += 20) {
    setNow(new Date(start + second * 1000).toISOString());
    await write(ada, plan, `after ${second} s`);
  }
  expect(await versionsOf(ada, plan)).toHaveLength(6);
});

test("another writer, another sitting and any other change of the document begin a change of their own", async () => {
  const email = "ada@example.com";
  const ada = await person({ email });
  const phone = await signIn(email);
  const plan = await create(ada);
  await write(ada, plan, "a");
  await write(ada, plan, "named", { "X-Client-Name": "Editor" });
  await write(ada, plan, "other", { "X-Sitting": "another-sitting" });
  await write(phone, plan, "phone");
  await ada.ok(documents.updateDocumentRoute, { params: { document_id: plan.id }, json: { tags: ["b"] } });
  await write(ada, plan, "ab");
  await write(ada, plan, "abc");
  expect(await versionsOf(ada, plan)).toEqual([6, 5, 4, 3, 2, 1]);
});

test("other changes in between do not end a sitting, nor do two documents that are written at once", async () => {
  const ada = await person();
  const [plan, list] = [await create(ada), await create(ada)];
  for (const text of ["a", "b", "c"]) {
    await write(ada, plan, text);
    await write(ada, list, text);
    await ada.ok(createMemoryRoute, { json: { memory_type: "context", topic: text, content: "Said" } });
  }
  expect(await versionsOf(ada, plan)).toEqual([1]);
  expect(await versionsOf(ada, list)).toEqual([1]);
  const numbers = (await ada.ok(listActivityRoute, { query: {} })).items.map(({ id }) => id);
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  expect(new Set(numbers).size).toBe(7);
});

test("a document that is moved, deleted or restored in a sitting begins a change of its own, and If-Match holds", async () => {
  const ada = await person();
  const plan = await create(ada);
  await write(ada, plan, "a");
  const params = { document_id: plan.id };
  const headers = { "X-Sitting": SITTING };
  const { id: folder_id } = await ada.ok(createFolderRoute, { json: { name: "Work" } });
  await ada.ok(documents.updateDocumentRoute, { params, headers, json: { folder_id } });
  await write(ada, plan, "ab");
  await ada.call(documents.deleteDocumentRoute, { params });
  await ada.ok(documents.restoreDocumentRoute, { params });
  await write(ada, plan, "b");
  expect((await changesOf(ada, plan)).map(({ verb }) => verb)).toEqual([
    "changed",
    "restored",
    "deleted",
    "changed",
    "moved",
    "changed",
    "created",
  ]);
  const refused = await ada.call(documents.updateDocumentRoute, {
    params,
    json: { title: "x" },
    headers: { ...headers, "If-Match": '"v1"' },
  });
  expect(refused.status).toBe(412);
});

test("the last 50 versions are kept whatever their numbers, and every byte is counted", async () => {
  const grace = await person();
  const plan = await create(grace);
  for (let turn = 0; turn < 53; turn++) {
    await write(grace, plan, "x".repeat(turn), { "X-Sitting": `sitting-${turn}` });
    await write(grace, plan, "y".repeat(2 * turn), { "X-Sitting": `sitting-${turn}` });
  }
  const kept = await versionsOf(grace, plan);
  expect(kept).toHaveLength(50);
  expect(kept[0]).toBe(104);
  const owner = await numberOf(grace);
  expect(await countedOf(owner)).toEqual(await freshOf(owner));
});

test("who follows the ledger is told of each write, from wherever it has read", async () => {
  const ada = await person();
  const plan = await create(ada);
  let cursor = "";
  const read = async () => {
    const page = await ada.ok(listChangesRoute, { query: cursor ? { cursor } : {} });
    cursor = page.cursor;
    return page;
  };
  while ((await read()).has_more);
  const cursors = [cursor];
  for (const text of ["a", "b", "c"]) {
    await write(ada, plan, text);
    const { items } = await read();
    expect(items).toMatchObject([{ id: plan.id, change: "changed", document: { content: { text } } }]);
    cursors.push(cursor);
    await create(ada);
    await read();
  }
  for (const [read, older] of cursors.entries()) {
    const { items } = await ada.ok(listChangesRoute, { query: { cursor: older } });
    expect(items.map(({ id }) => id).includes(plan.id)).toBe(read < 3);
  }
});

test("what was changed since an instant is found across the numbers that a sitting has left", async () => {
  setNow(BEGIN);
  const ada = await person();
  const [plan, other] = [await create(ada), await create(ada)];
  const minute = (count: number) => new Date(Date.parse(BEGIN) + count * 60_000).toISOString();
  for (let count = 1; count < 9; count++) {
    setNow(minute(count));
    await write(ada, plan, `${count}`);
    if (count % 3 === 0) await write(ada, other, `${count}`);
  }
  const since = async (count: number) =>
    (await ada.ok(listActivityRoute, { query: { since: minute(count) } })).items.map(
      ({ record_id }) => record_id,
    );
  expect(await since(8)).toEqual([plan.id]);
  expect(await since(6)).toEqual([plan.id, other.id]);
  expect(await since(0)).toHaveLength(4);
  expect(await since(9)).toEqual([]);
});

test("versions with gaps between their numbers are exported, and imported elsewhere", async () => {
  const ada = await person();
  const plan = await create(ada);
  for (const text of ["a", "ab"]) await write(ada, plan, text);
  for (const text of ["abc", "abcd"]) await write(ada, plan, text, { "X-Sitting": "another-sitting" });
  const file = (await ada.call(exportAccountRoute)).text;
  const bob = await person();
  const headers = { "Content-Type": "application/x-ndjson" };
  expect((await bob.ok(importAccountRoute, { headers, body: file })).status).toBe("done");
  const { items } = await bob.ok(documents.listDocumentsRoute, { query: {} });
  const [copy] = items;
  if (!copy) throw new Error("There is no document");
  expect([await textOf(bob, copy), await versionsOf(bob, copy)]).toEqual([
    "abcd",
    await versionsOf(ada, plan),
  ]);
  for (const version of await versionsOf(ada, plan)) {
    const [one, other] = await Promise.all(
      [[ada, plan] as const, [bob, copy] as const].map(([who, { id }]) =>
        who.ok(documents.getVersionRoute, { params: { document_id: id, version: String(version) } }),
      ),
    );
    expect(one?.content).toEqual(other?.content);
  }
});

test("a name of a sitting that is none is refused", async () => {
  const ada = await person();
  const plan = await create(ada);
  for (const sitting of ["short", "with spaces in it", "x".repeat(65)]) {
    const { status, text } = await ada.call(documents.updateDocumentRoute, {
      params: { document_id: plan.id },
      json: { title: "x" },
      headers: { "X-Sitting": sitting },
    });
    expect(status).toBe(422);
    expect(text).toContain("x-sitting");
  }
});
