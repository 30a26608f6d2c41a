import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Change } from "../../../src/contract/changes.ts";
import { listChangesRoute } from "../../../src/features/changes/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { emptyTrashRoute } from "../../../src/features/trash/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { create, remove, update } from "../../kit/documents.ts";
import { random } from "../../kit/random.ts";

// A program that keeps a copy: it is stopped anywhere, reads pages twice, and ends with what the service has.

const keyOf = ({ kind, id }: Change) => `${kind} ${id}`;
const recordOf = (change: Change) =>
  change.kind === "document" ? change.document : change.kind === "memory" ? change.memory : change.folder;

/** A copy, and the cursor that is stored with it. */
class Copy {
  readonly records = new Map<string, unknown>();
  cursor: string | undefined;

  /** Reads a page; `stopped` says whether it is killed before it has stored the cursor. */
  async pull(who: Client, limit: number, stopped = false): Promise<boolean> {
    const query = { limit, ...(this.cursor !== undefined && { cursor: this.cursor }) };
    const page = await who.ok(listChangesRoute, { query });
    for (const item of page.items) {
      if (item.change === "gone") this.records.delete(keyOf(item));
      else this.records.set(keyOf(item), recordOf(item));
    }
    if (!stopped) this.cursor = page.cursor;
    return page.has_more;
  }

  async finish(who: Client, limit = 100): Promise<void> {
    while (await this.pull(who, limit));
  }
}

const sorted = (records: Map<string, unknown>) => [...records].sort(([a], [b]) => (a < b ? -1 : 1));

/** Everything that a person has, read from its beginning. */
async function everything(who: Client) {
  const copy = new Copy();
  await copy.finish(who);
  return sorted(copy.records);
}

type World = { who: Client; next: () => number; documents: string[]; memories: number[]; folders: string[] };

const pick = <Item>({ next }: World, items: Item[]): Item | undefined =>
  items[Math.floor(next() * items.length)];

const SESSIONS = ["session-one", "session-two"];

const atDocument = (world: World) => ({ params: { document_id: pick(world, world.documents) ?? "" } });
const atRecord = (world: World) => ({ params: { memory_id: String(pick(world, world.memories) ?? 1) } });
const permanently = ({ next }: World): Record<string, string> => (next() < 0.4 ? { permanent: "true" } : {});

/** Writes that may be refused, because their record is gone: that is part of the disorder. */
const WRITES: ((world: World) => Promise<unknown>)[] = [
  async (world) => {
    const folder_id = world.next() < 0.3 ? pick(world, world.folders) : undefined;
    const content = { text: "x".repeat(world.next() * 3000) };
    const json = { title: `Note ${world.next()}`, tags: ["a"], content, folder_id };
    const { body } = await world.who.call(documents.createDocumentRoute, { json });
    if (body?.id) world.documents.push(body.id);
  },
  (world) => {
    const json = { title: `Title ${world.next()}` };
    return world.who.call(documents.updateDocumentRoute, { ...atDocument(world), json });
  },
  (world) => {
    const headers = { "X-Sitting": pick(world, SESSIONS) ?? "" };
    const json = { content: { text: `Text ${world.next()}` } };
    return world.who.call(documents.updateDocumentRoute, { ...atDocument(world), headers, json });
  },
  (world) =>
    world.who.call(documents.deleteDocumentRoute, { ...atDocument(world), query: permanently(world) }),
  (world) => world.who.call(documents.restoreDocumentRoute, atDocument(world)),
  async (world) => {
    const json = { memory_type: "commitment", topic: `Topic ${world.next()}`, content: "Said" };
    world.memories.push((await world.who.ok(memories.createMemoryRoute, { json })).id);
  },
  (world) => world.who.call(memories.resolveMemoryRoute, { ...atRecord(world), json: {} }),
  (world) => {
    const json = { content: `New ${world.next()}` };
    return world.who.call(memories.supersedeMemoryRoute, { ...atRecord(world), json });
  },
  (world) => world.who.call(memories.deleteMemoryRoute, { ...atRecord(world), query: permanently(world) }),
  async (world) => {
    const json = { name: `Folder ${world.next()}` };
    world.folders.push((await world.who.ok(folders.createFolderRoute, { json })).id);
  },
  (world) => {
    const params = { folder_id: pick(world, world.folders) ?? "" };
    const on_content = world.next() < 0.5 ? "trash" : "move_up";
    return world.who.call(folders.deleteFolderRoute, { params, query: { on_content } });
  },
  (world) => world.who.call(emptyTrashRoute),
];

async function write(world: World, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await pick(world, WRITES)?.(world);
}

test("a copy that is stopped 20 times, anywhere, ends equal", async () => {
  const who = await person();
  const world: World = { who, next: random(20), documents: [], memories: [], folders: [] };
  await write(world, 30);
  const copy = new Copy();
  for (let stop = 0; stop < 20; stop++) {
    const pages = Math.floor(world.next() * 4);
    for (let page = 0; page < pages; page++) {
      await copy.pull(who, 1 + Math.floor(world.next() * 6));
      await write(world, Math.floor(world.next() * 3));
    }
    await copy.pull(who, 3, true);
    await write(world, 2);
  }
  await copy.finish(who, 7);
  expect(copy.records.size).toBeGreaterThan(5);
  expect(sorted(copy.records)).toEqual(await everything(who));
});

test("writers at the same time lose nothing: a reader that follows them has all", async () => {
  const who = await person();
  const copy = new Copy();
  await copy.finish(who);
  const writers = Array.from({ length: 12 }, () => create(who));
  while (copy.records.size < 12) await copy.pull(who, 3);
  await Promise.all(writers);
  expect(sorted(copy.records)).toEqual(await everything(who));
});

test("a page says what is new, changed and gone, each record once", async () => {
  const ada = await person();
  const copy = new Copy();
  await copy.finish(ada);
  const { id } = await create(ada, { title: "One" });
  const { cursor, items } = await ada.ok(listChangesRoute, { query: { cursor: copy.cursor ?? "" } });
  expect(items).toMatchObject([{ kind: "document", id, change: "new", document: { title: "One" } }]);
  for (const title of ["Two", "Three"]) await update(ada, { id }, { title });
  const second = await ada.ok(listChangesRoute, { query: { cursor } });
  expect(second.items).toMatchObject([{ id, change: "changed", document: { title: "Three" } }]);
  await remove(ada, { id }, { permanent: "true" });
  const third = await ada.ok(listChangesRoute, { query: { cursor: second.cursor } });
  expect(third).toMatchObject({ items: [{ id, change: "gone" }], has_more: false });
});

test("a cursor that is too old, of a restored backup or of another account is refused with what to do", async () => {
  const [ada, bob] = [await person(), await person()];
  const owner = await numberOf(ada);
  const copy = new Copy();
  await create(ada);
  await copy.finish(ada);
  const query = { cursor: copy.cursor ?? "" };
  await create(ada);
  await create(ada);
  const refusal = { status: 410, detail: expect.stringContaining("start without a cursor") };
  expect(await bob.refusal(listChangesRoute, { query })).toEqual(refusal);
  expect((await ada.refusal(listChangesRoute, { query: { cursor: "x" } })).status).toBe(422);
  const fresh = new Copy();
  await fresh.finish(ada);
  await env.DB.prepare("DELETE FROM activity WHERE owner = ?").bind(owner).run();
  await create(ada);
  await create(ada);
  await create(ada);
  const old = { cursor: fresh.cursor ?? "" };
  await env.DB.prepare("UPDATE activity SET at = '2020-01-01T00:00:00.000Z' WHERE owner = ?")
    .bind(owner)
    .run();
  expect(await ada.refusal(listChangesRoute, { query: old })).toEqual(refusal);
});

test("a copy from any moment is told when it has missed a change that is no longer kept", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const cursors: string[] = [];
  for (let written = 0; written < 4; written++) {
    const copy = new Copy();
    await copy.finish(ada);
    cursors.push(copy.cursor ?? "");
    await create(ada);
  }
  for (let forgotten = 0; forgotten < 4; forgotten++) {
    await env.DB.prepare("DELETE FROM activity WHERE owner = ? AND number <= ?").bind(owner, forgotten).run();
    const answers = await Promise.all(
      cursors.map((cursor) => ada.call(listChangesRoute, { query: { cursor } })),
    );
    const expected = cursors.map((_, number) => (number < forgotten ? 410 : 200));
    expect(answers.map(({ status }) => status)).toEqual(expected);
  }
});

test("large documents come in pages that fit into memory", async () => {
  const ada = await person();
  const text = "long ".repeat(60_000);
  for (const title of ["A", "B", "C"]) await create(ada, { title, content: { text } });
  const counts: number[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await ada.ok(listChangesRoute, { query: cursor === undefined ? {} : { cursor } });
    counts.push(page.items.length);
    cursor = page.cursor;
    if (!page.has_more) break;
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
});
