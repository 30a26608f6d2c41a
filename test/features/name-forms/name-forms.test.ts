import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { nameKey, toNfc } from "../../../src/contract/name-key.ts";
import type { Env } from "../../../src/env.ts";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { archiveMemoryRoute } from "../../../src/features/memories/action-routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { composeNames } from "../../../src/features/name-forms/chore.ts";
import { listProjectsRoute } from "../../../src/features/projects/routes.ts";
import { listTagsRoute } from "../../../src/features/tags/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { withFaults } from "../../kit/d1-faults.ts";
import { at, create, read, remove, titlesOf, update } from "../../kit/documents.ts";
import { cron, hookOf, sendNow } from "../../kit/hooks.ts";
import { countOf, inShortSteps, inUsualSteps, owned, untilDone } from "../../kit/jobs.ts";
import { PROMISE } from "../../kit/records.ts";
import { search } from "../../kit/search.ts";

// Names that an earlier version stored in NFD become those in NFC, and duplicates become one.

const NFC = "Café 한글 が";
const NFD = NFC.normalize("NFD");

/** What is in SQL as an earlier version stored it: the names of folders, and the tags and projects of documents and records. */
type Stored = {
  folders?: Record<string, string>;
  documents?: Record<string, string[]>;
  records?: Record<number, { tags?: string[]; project?: string }>;
};

const documentStatements = ([id, tags]: [string, string[]]) => [
  env.DB.prepare("UPDATE documents SET tags = ? WHERE id = ?").bind(JSON.stringify(tags), id),
  env.DB.prepare("DELETE FROM document_tags WHERE document_id = ?").bind(id),
  env.DB.prepare(
    `INSERT INTO document_tags (owner, tag, document_id) SELECT owner, value, documents.id
     FROM documents, json_each(tags) WHERE documents.id = ? AND trashed_at IS NULL`,
  ).bind(id),
];

const recordStatement = (client: Client, id: string, { tags = [] as string[], project = NFD }) =>
  owned(
    client,
    `UPDATE memories SET tags = '${JSON.stringify(tags)}', project = '${project}' WHERE id = ${id} AND owner = ?`,
  );

/** Writes keys as the cron handler of an earlier version did, without a look at the form of names. */
async function writeKeys() {
  for (const table of ["spellings", "folders"]) {
    const { results } = await env.DB.prepare(`SELECT DISTINCT name FROM ${table}`).all<{ name: string }>();
    for (const { name } of results)
      await env.DB.prepare(`UPDATE ${table} SET key = ? WHERE name = ?`).bind(nameKey(name), name).run();
  }
}

/** Stores names as an earlier version did, with their keys, where the migration finds them. */
async function asBefore(client: Client, { folders = {}, documents = {}, records = {} }: Stored) {
  await env.DB.batch([
    env.DB.prepare("SELECT 1"),
    ...Object.entries(folders).map(([id, name]) =>
      env.DB.prepare("UPDATE folders SET name = ? WHERE id = ?").bind(name, id),
    ),
    ...Object.entries(documents).flatMap(documentStatements),
  ]);
  for (const [id, record] of Object.entries(records)) await recordStatement(client, id, record);
  await writeKeys();
  const { queries = [] } = env.MIGRATIONS.find(({ name }) => name === "0077_composed_names.sql") ?? {};
  const found = queries.filter((query) => /^UPDATE (?:spellings|folders|users) /m.test(query));
  expect(found).toHaveLength(3);
  for (const query of found) await env.DB.prepare(query).run();
}

const folderIn = async (client: Client, name: string, parent_id: string | null = null) =>
  (await client.ok(folders.createFolderRoute, { json: { name, parent_id } })).id;

const documentIn = async (client: Client, title: string, folder_id: string | null, tags: string[] = []) =>
  (await create(client, { title, content: { text: "walrus" }, folder_id, tags })).id;

/** Where the documents of an account are, by their titles, with the paths of all folders. */
async function placesOf(client: Client) {
  const { items } = await client.ok(folders.listFoldersRoute);
  const pathOf = (id: string | null): string => {
    const folder = items.find((one) => one.id === id);
    return folder ? `${pathOf(folder.parent_id)}/${folder.name}` : "";
  };
  const list = await client.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
  return {
    folders: items.map(({ id }) => pathOf(id)).sort(),
    documents: Object.fromEntries(list.items.map(({ title, folder_id }) => [title, pathOf(folder_id)])),
  };
}

const namesOf = async (client: Client) => ({
  tags: (await client.ok(listTagsRoute)).items.map((tag) => `${tag.name}: ${tag.document_count}`),
  projects: (await client.ok(listProjectsRoute)).items.map((one) => `${one.name}: ${one.memory_count}`),
});

/** All that is stored of an account's documents, records and folders; not the keys of names, which the cron handler writes. */
const everything = (client: Client) =>
  Promise.all(
    ["documents", "document_tags", "folders", "memories", "memory_tags", "activity"].map(async (table) =>
      (await owned(client, `SELECT * FROM ${table} WHERE owner = ? ORDER BY 1, 2, 3`)).map(
        ({ key: _, ...row }) => row,
      ),
    ),
  );

/** Once to find the accounts, once to wake them. */
const twice = async () => {
  await cron();
  await cron();
};

describe("duplicates become one", () => {
  test("of folders, with what is in them, at all depths; no text looks new", async () => {
    const ada = await person();
    const [keep, copy] = [await folderIn(ada, NFC), await folderIn(ada, "b")];
    const alone = await folderIn(ada, "ä");
    await folderIn(ada, NFC.toLowerCase());
    const [keepSub, copySub] = [await folderIn(ada, "Übung", keep), await folderIn(ada, "c", copy)];
    const [keepDeep, copyDeep] = [await folderIn(ada, "d", keepSub), await folderIn(ada, NFC, copySub)];
    const own = await folderIn(ada, "e", copy);
    const ids = await Promise.all(
      Object.entries({ keep, copy, alone, keepSub, copySub, keepDeep, copyDeep, own }).map(
        async ([title, folder]) => [title, await documentIn(ada, title, folder)] as const,
      ),
    );
    const changed = at({ id: ids[1]?.[1] ?? "" });
    await update(ada, { id: changed.params.document_id }, { title: "copy, changed" });
    const gone = await documentIn(ada, "gone", copySub);
    await remove(ada, { id: gone });
    const nfd = (name: string) => name.normalize("NFD");
    const old = { [copy]: NFD, [copySub]: nfd("Übung"), [keepDeep]: NFD, [own]: nfd("é"), [alone]: nfd("ä") };
    await asBefore(ada, { folders: old });
    const times = () =>
      owned(ada, "SELECT id, changed_at, writer_source_type FROM documents WHERE owner = ? ORDER BY id");
    const before = await times();
    const { receiver, hook } = await hookOf(ada);
    for (const name of [NFC, NFD]) expect((await search(ada, `walrus folder:"${name}"`)).total).toBe(4);

    const since = new Date().toISOString();
    await twice();
    const top = `/${NFC}`;
    expect(await placesOf(ada)).toEqual({
      folders: ["/ä", NFC.toLowerCase(), top, `${top}/Übung`, `${top}/Übung/${NFC}`, `${top}/é`]
        .map((path) => (path.startsWith("/") ? path : `/${path}`))
        .sort(),
      documents: {
        ...{ keep: top, "copy, changed": top, alone: "/ä", own: `${top}/é` },
        ...{ keepSub: `${top}/Übung`, copySub: `${top}/Übung` },
        ...{ keepDeep: `${top}/Übung/${NFC}`, copyDeep: `${top}/Übung/${NFC}` },
      },
    });
    expect(await times()).toEqual(before);
    // Clients that synchronise see those that have another folder.
    const moved = await titlesOf(ada, { updated_after: since, sort: "title" });
    expect(moved).toEqual(["copy, changed", "copyDeep", "copySub"]);
    for (const name of [NFC, NFD]) expect((await search(ada, `walrus folder:"${name}"`)).total).toBe(4);
    await ada.ok(documents.restoreDocumentRoute, at({ id: gone }));
    await ada.ok(documents.restoreVersionRoute, { params: { ...changed.params, version: "1" } });
    const { documents: places } = await placesOf(ada);
    expect([places.gone, places.copy]).toEqual([`${top}/Übung`, top]);
    const { items } = await ada.ok(listActivityRoute, { query: { actor: "service" } });
    expect(items.map(({ verb, kind }) => `${verb} ${kind}`).sort()).toEqual([
      ...Array.from({ length: 3 }, () => "changed folder"),
      ...Array.from({ length: 3 }, () => "deleted folder"),
      ...Array.from({ length: 3 }, () => "moved document"),
      "moved folder",
    ]);
    expect((await receiver.types(hook.secret)).length).toBeLessThanOrEqual(5);
  });

  test("of tags and projects, also of what is archived or comes back from the trash; no version, time or event tells of it", async () => {
    const ada = await person();
    const both = await documentIn(ada, "both", null, [NFC, "a"]);
    const one = await documentIn(ada, "one", null, ["b"]);
    const gone = await documentIn(ada, "gone", null, ["c"]);
    await remove(ada, { id: gone });
    const record = async () =>
      (await ada.ok(memories.createMemoryRoute, { json: { ...PROMISE, project: NFC, tags: [NFC] } })).id;
    const [first, second, archived, lost] = [await record(), await record(), await record(), await record()];
    await ada.ok(archiveMemoryRoute, { params: { memory_id: String(archived) } });
    await ada.call(memories.deleteMemoryRoute, { params: { memory_id: String(lost) } });
    await asBefore(ada, {
      documents: { [both]: [NFC, "a", NFD], [one]: [NFD], [gone]: [NFD, "c"] },
      records: { [second]: { tags: ["x", NFD, NFC] }, [archived]: { tags: [NFD] }, [lost]: { tags: [NFD] } },
    });
    const { receiver, hook } = await hookOf(ada, { events: ["document.updated", "memory.updated"] });
    const found = async (name: string) => [
      (await ada.ok(documents.listDocumentsRoute, { query: { tag: name } })).total,
      (await ada.ok(memories.listMemoriesRoute, { query: { tag: name } })).total,
      (await ada.ok(memories.listMemoriesRoute, { query: { project: name } })).total,
      (await search(ada, `tag:"${name}"`, { type: "all" })).total,
      (await search(ada, name, { type: "all" })).total,
    ];
    const before = await everything(ada);
    const counts = await found(NFC);
    expect(await found(NFD)).toEqual(counts);
    expect((await namesOf(ada)).projects).toHaveLength(2);

    await twice();
    expect(await namesOf(ada)).toEqual({ tags: [`${NFC}: 2`, "a: 1"], projects: [`${NFC}: 3`] });
    for (const name of [NFC, NFD]) expect(await found(name)).toEqual(counts);
    const tagsOf = async (id: string) => (await read(ada, { id })).tags;
    const filed = async (id: number) => {
      const { tags, project } = await ada.ok(memories.getMemoryRoute, { params: { memory_id: String(id) } });
      return [project, tags];
    };
    expect([await tagsOf(both), await tagsOf(one)]).toEqual([[NFC, "a"], [NFC]]);
    expect([await filed(first), await filed(archived)]).toEqual(Array(2).fill([NFC, [NFC]]));
    expect(await filed(second)).toEqual([NFC, ["x", NFC]]);
    const [docs, , , records, , entries] = await everything(ada);
    const unnamed = (rows: Record<string, unknown>[] = []) =>
      rows.map(({ tags: _, project: __, ...rest }) => rest);
    expect(unnamed(docs)).toEqual(unnamed(before[0]));
    expect(unnamed(records)).toEqual(unnamed(before[3]));
    expect(entries).toEqual(before[5]);
    expect(await receiver.types(hook.secret)).toEqual([]);

    await ada.ok(documents.restoreDocumentRoute, at({ id: gone }));
    await ada.ok(memories.restoreMemoryRoute, { params: { memory_id: String(lost) } });
    for (const name of [NFC, NFD])
      expect((await ada.ok(documents.listDocumentsRoute, { query: { tag: name } })).total).toBe(3);
    await twice();
    expect([await tagsOf(gone), await filed(lost)]).toEqual([
      [NFC, "c"],
      [NFC, [NFC]],
    ]);
    expect((await namesOf(ada)).projects).toEqual([`${NFC}: 4`]);
  });
});

/** An account with duplicates of each kind, more documents and records than one step takes. */
async function withDuplicates(client: Client) {
  const [keep, copy] = [await folderIn(client, NFC), await folderIn(client, "b")];
  const inside = await folderIn(client, "c", copy);
  const operations = Array.from({ length: 60 }, (_, n) => ({
    ...{ operation: "create", title: `${n}`, folder_id: [keep, copy, inside][n % 3], tags: ["t"] },
  }));
  const { results } = await client.ok(documents.bulkDocumentsRoute, { json: { operations } });
  const made = await client.ok(memories.changeMemoriesRoute, {
    json: { operations: operations.map(() => ({ ...PROMISE, operation: "create" })) },
  });
  await asBefore(client, {
    folders: { [copy]: NFD, [inside]: NFD },
    documents: Object.fromEntries(results.map(({ id }, n) => [id, n % 2 ? [NFC, NFD] : [NFD]])),
    records: Object.fromEntries(made.results.map(({ id }, n) => [id, { tags: [n % 2 ? NFC : NFD] }])),
  });
}

const ONE = {
  "folders WHERE owner = ?": 2,
  "documents WHERE owner = ?": 60,
  [`documents WHERE owner = ? AND tags = '["${NFC}"]'`]: 60,
  [`document_tags WHERE owner = ? AND tag = '${NFC}'`]: 60,
  "document_tags WHERE owner = ?": 60,
  [`memories WHERE owner = ? AND project = '${NFC}' AND tags = '["${NFC}"]'`]: 60,
  "memory_tags WHERE owner = ?": 60,
  "users WHERE number = ? AND names_at IS NULL": 1,
};

const counted = async (client: Client) =>
  Object.fromEntries(
    await Promise.all(Object.keys(ONE).map(async (from) => [from, await countOf(client, from)] as const)),
  );

describe("the work", () => {
  inShortSteps();

  test("continues in steps, and then has nothing to do", async () => {
    const ada = await person();
    await withDuplicates(ada);
    await twice();
    for (let turn = 0; (await countOf(ada, "users WHERE number = ? AND names_at IS NOT NULL")) > 0; turn++) {
      if (turn > 50) throw new Error("It does not end");
      await sendNow(ada);
    }
    expect(await counted(ada)).toEqual(ONE);
    const after = await everything(ada);
    await twice();
    expect(await everything(ada)).toEqual(after);
  });

  test("continues wherever it was killed", async () => {
    const ada = await person();
    await withDuplicates(ada);
    const ctx = await ctxOf(ada);
    let isDone = false;
    for (let most = 1; !isDone; most++) {
      if (most > 50) throw new Error("It does not end");
      let calls = 0;
      const work = () => composeNames(ctx, env as unknown as Env, () => true);
      const until = () => (calls++ < most ? "well" : "spent");
      await withFaults(until, async () => {
        isDone = (await Promise.allSettled([work()]))[0].status === "fulfilled";
      });
    }
    expect(await counted(ada)).toEqual(ONE);
  });

  test("leaves others alone: accounts that are closed, until they are open again, and names that are in NFC already", async () => {
    inUsualSteps();
    const [ada, bob, eve] = [await person(), await person(), await person()];
    await withDuplicates(ada);
    await withDuplicates(bob);
    const [x, z] = ["x\u0304", "가\u0308"];
    expect([toNfc(x), toNfc(z)]).toEqual([x, z]);
    const note = await documentIn(eve, "note", await folderIn(eve, x), [x, z]);
    await asBefore(eve, {});
    await owned(bob, "UPDATE users SET closed_at = '2026-01-01T00:00:00.000Z' WHERE number = ?");
    const before = await everything(bob);
    const hers = await everything(eve);
    await twice();
    expect(await counted(ada)).toEqual(ONE);
    expect(await everything(bob)).toEqual(before);
    expect(await everything(eve)).toEqual(hers);
    expect(await countOf(eve, "users WHERE number = ? AND names_at IS NULL")).toBe(1);
    expect((await read(eve, { id: note })).tags).toEqual([x, z]);
    await owned(bob, "UPDATE users SET closed_at = NULL WHERE number = ?");
    await cron();
    expect(await counted(bob)).toEqual(ONE);
  });

  test("waits while a folder is being deleted, which may be the duplicate", async () => {
    const ada = await person();
    const [keep, copy] = [await folderIn(ada, NFC), await folderIn(ada, "b")];
    await documentIn(ada, "note", copy);
    for (const title of ["1", "2"]) await documentIn(ada, title, keep);
    await asBefore(ada, { folders: { [copy]: NFD } });
    const job = JSON.stringify({ id: keep, onContent: "trash" });
    await owned(
      ada,
      `INSERT INTO later (owner, kind, key, id, state, due_at, title, payload, actor, created_at, updated_at)
       VALUES (?, 'folder', '${keep}', '${keep}', 'waiting', '2099-01-01', 'Delete', '${job}', '{}', '2026', '2026')`,
    );
    const work = async () => composeNames(await ctxOf(ada), env as unknown as Env, () => true);
    await expect(work()).rejects.toThrow("Another change of folders");
    expect((await placesOf(ada)).documents.note).toBe(`/${NFD}`);
    await untilDone(ada);
    await work();
    expect((await placesOf(ada)).documents).toEqual({ note: `/${NFC}` });
  });

  test("is done although an older Worker writes the keys first, and again for what an undo brings back", async () => {
    inUsualSteps();
    const ada = await person();
    const [keep, copy] = [await folderIn(ada, NFC), await folderIn(ada, "b")];
    await documentIn(ada, "note", copy);
    await asBefore(ada, { folders: { [copy]: NFD } });
    await writeKeys();
    await twice();
    const { items } = await ada.ok(listActivityRoute, { query: { actor: "service" } });
    const deleted = items.find(({ verb }) => verb === "deleted");
    await ada.ok(undoActivityRoute, { json: { ids: [deleted?.id] } });
    expect((await ada.ok(folders.listFoldersRoute)).total).toBe(2);
    await twice();
    expect((await ada.ok(folders.listFoldersRoute)).items.map(({ id }) => id)).toEqual([keep]);
  });
});
