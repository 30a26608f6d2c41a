import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { exportAccountRoute } from "../../../src/features/export/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import * as tags from "../../../src/features/tags/routes.ts";
import { markdownBody } from "../../../src/shared/markdown/content-text.ts";
import { documentExcerpt } from "../../../src/shared/markdown/excerpt.ts";
import { countTasks } from "../../../src/shared/markdown/tasks.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { at, bulk, create, read, titlesOf } from "../../kit/documents.ts";
import { send } from "../../kit/files.ts";
import { isThorough } from "../../kit/time-limits.ts";

// What lists show of documents is what their texts, tags and folders say, whatever has happened to them: their first words,
// their numbers of tasks, and the numbers of documents in a folder and with a tag.

const LINES = "# Plan|For *Rome*|- [ ] a|- [x] b|  - [ ] c|text [ ]|```|> 1. [X] d|".split("|");
const Text = fc.array(fc.constantFrom(...LINES), { maxLength: 6 }).map((lines) => lines.join("\n"));
const Content = fc.oneof(
  { weight: 5, arbitrary: Text.map((text) => ({ format: "markdown", text })) },
  Text.map((text) => ({ format: "text", text })),
  fc.constantFrom(null, { tasks: "- [ ] a" }),
);

type Value = { content: object | null; text: string; pick: number };
type Step = (who: Client, id: string, value: Value) => Promise<unknown>;

const folderOf = async (who: Client, pick: number) => {
  const { items } = await who.ok(folders.listFoldersRoute);
  return items[pick % items.length]?.id ?? null;
};
const put = (who: Client, id: string, json: object, headers: Record<string, string> = {}) =>
  who.call(documents.updateDocumentRoute, { ...at({ id }), json, headers });
const deleteFolder =
  (on_content: string): Step =>
  async (who, _, { pick }) => {
    const folder_id = await folderOf(who, pick);
    if (folder_id === null) return;
    await who.call(folders.deleteFolderRoute, { params: { folder_id }, query: { on_content } });
  };
/** Imports what was there before a change. */
const importAgain =
  (mode: string): Step =>
  async (who, id, { content }) => {
    const { text } = await who.call(exportAccountRoute);
    await put(who, id, { content, title: "Changed", tags: ["v"], folder_id: null });
    return send(who, text, `?mode=${mode}`);
  };

/** The steps may be refused, as those on a document in the trash are. */
const STEPS: Record<string, Step> = {
  create: async (who, _, { content, pick }) =>
    create(who, { content, tags: ["t", "new"], folder_id: await folderOf(who, pick) }),
  put: (who, id, { content }) => put(who, id, { content, title: "Put" }),
  session: (who, id, { content }) => put(who, id, { content }, { "X-Sitting": "a-session" }),
  rename: (who, id) => put(who, id, { title: "Plan" }),
  tag: (who, id, { pick }) => put(who, id, { tags: [["t"], ["u", "v"], []][pick % 3] }),
  move: async (who, id, { pick }) => put(who, id, { folder_id: pick % 4 ? await folderOf(who, pick) : null }),
  append: (who, id, { text }) =>
    who.call(documents.editDocumentRoute, {
      ...at({ id }),
      json: { operation: "append", text: `${text}\n.` },
    }),
  tick: (who, id, { pick }) =>
    who.call(documents.changeDocumentTaskRoute, {
      params: { document_id: id, number: String(1 + (pick % 3)) },
      json: { done: pick % 2 === 0 },
    }),
  bulk: async (who, id, { content, pick }) =>
    bulk(who, [
      { operation: "update", id, content },
      { operation: "create", title: "Bulk", content, tags: ["t"] },
      { operation: "add_tags", id, tags: ["u"] },
      { operation: "remove_tags", id, tags: ["t"] },
      { operation: "move", id, folder_id: await folderOf(who, pick) },
    ]),
  "bulk delete": (who, id) => bulk(who, [{ operation: "delete", id }]),
  restore: (who, id) => who.call(documents.restoreDocumentRoute, at({ id })),
  trash: (who, id) => who.call(documents.deleteDocumentRoute, at({ id })),
  "restore again": (who, id) => who.call(documents.restoreDocumentRoute, at({ id })),
  version: (who, id, { pick }) =>
    who.call(documents.restoreVersionRoute, { params: { document_id: id, version: String(1 + (pick % 4)) } }),
  undo: async (who, _, { pick }) => {
    const { items } = await who.ok(listActivityRoute, { query: { limit: 5 } });
    const entry = items[pick % items.length];
    return entry && who.call(undoActivityRoute, { json: { ids: [entry.id] } });
  },
  "rename a tag": (who) => who.call(tags.renameTagRoute, { params: { name: "t" }, json: { name: "u" } }),
  "delete a tag": (who) => who.call(tags.deleteTagRoute, { params: { name: "u" } }),
  copy: importAgain("copy"),
  overwrite: importAgain("overwrite"),
  "dissolve a folder": deleteFolder("move_up"),
  "delete a folder": deleteFolder("trash"),
  erase: (who, id) =>
    who.call(documents.deleteDocumentRoute, { ...at({ id }), query: { permanent: "true" } }),
};

const sorted = (counts: Map<string, unknown[]>) =>
  [...counts].map(([name, { length }]) => [name, length]).sort();

type Row = { content: string | null; open_tasks: number; done_tasks: number };

async function check(ada: Client, step: string): Promise<void> {
  const { items } = await ada.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
  for (const item of items) {
    const { title, content = null } = await read(ada, item);
    const { open, done } = countTasks(markdownBody(content));
    expect([item.excerpt, item.tasks ?? { open: 0, done: 0 }], step).toEqual([
      documentExcerpt({ title, content }),
      { open, done },
    ]);
  }
  const withOpen = items.filter(({ tasks }) => (tasks?.open ?? 0) > 0);
  const listed = await titlesOf(ada, { tasks: "open", limit: 100 });
  expect(listed.sort(), step).toEqual(withOpen.map(({ title }) => title).sort());
  // Those in the trash are counted as well.
  const { results } = await env.DB.prepare(
    "SELECT content, open_tasks, done_tasks FROM documents WHERE owner = ?",
  )
    .bind(await numberOf(ada))
    .all<Row>();
  for (const { content, open_tasks: open, done_tasks: done } of results)
    expect({ open, done }, step).toEqual(
      countTasks(markdownBody(content === null ? null : JSON.parse(content))),
    );

  const counted = (await ada.ok(tags.listTagsRoute, { query: { limit: 100 } })).items;
  const named = Map.groupBy(
    items.flatMap((item) => item.tags),
    (name) => name,
  );
  expect(counted.map(({ name, document_count }) => [name, document_count]).sort(), step).toEqual(
    sorted(named),
  );
  const places = (await ada.ok(folders.listFoldersRoute, { query: { limit: 100 } })).items;
  const filed = Map.groupBy(items, ({ folder_id }) => folder_id);
  for (const { id, document_count } of places) expect(document_count, step).toBe(filed.get(id)?.length ?? 0);
  const left = "SELECT count(*) AS n FROM folder_totals WHERE folder_id NOT IN (SELECT id FROM folders)";
  expect(await env.DB.prepare(left).first("n"), step).toBe(0);
}

/** A person with two documents in folders, and steps that are taken on one of them. */
async function begin(content: object | null) {
  const ada = await person();
  const places = [];
  for (const name of ["Work", "Home", "Old"])
    places.push((await ada.ok(folders.createFolderRoute, { json: { name } })).id);
  const ids: string[] = [];
  for (const [at, title] of ["One", "Two"].entries())
    ids.push((await create(ada, { title, content, tags: ["t"], folder_id: places[at] })).id);
  return { ada, take: (step: Step, value: Value) => step(ada, ids[value.pick % 2] ?? "", value) };
}

test("after each way to change a document, lists show what it has", async () => {
  const text = "- [ ] a\n- [x] b\n\nFor *Rome*";
  const { ada, take } = await begin({ format: "markdown", text });
  for (const [place, [name, step]] of Object.entries(STEPS).entries()) {
    await take(step, {
      content: { format: "markdown", text: `${place}\n- [ ] c\n- [ ] d` },
      text,
      pick: 2 * (place % 3),
    });
    await check(ada, name);
  }
});

const steps = fc.array(
  fc.record({ name: fc.constantFrom(...Object.keys(STEPS)), content: Content, text: Text, pick: fc.nat(99) }),
  { minLength: 1, maxLength: 12 },
);

test("whatever happens to documents, lists show what they have", { timeout: 120_000 }, async () => {
  const story = fc.asyncProperty(Content, steps, async (content, taken) => {
    const { ada, take } = await begin(content);
    for (const { name, ...value } of taken) await take(STEPS[name] as Step, value);
    await check(ada, JSON.stringify(taken));
  });
  await fc.assert(story, { numRuns: isThorough ? 40 : 4 });
});
