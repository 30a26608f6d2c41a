import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { isSameName, keyReplacements, nameKey } from "../../src/contract/name-key.ts";
import { listCommitmentsRoute, listHistoryRoute } from "../../src/features/dashboard/routes.ts";
import {
  bulkDocumentsRoute,
  createDocumentRoute,
  listDocumentsRoute,
} from "../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../src/features/folders/routes.ts";
import { listActive } from "../../src/features/memories/active-store.ts";
import {
  createMemoryRoute,
  listMemoriesRoute,
  updateMemoryRoute,
} from "../../src/features/memories/routes.ts";
import { listProjectsRoute, renameProjectRoute } from "../../src/features/projects/routes.ts";
import { suggestRoute } from "../../src/features/search/routes.ts";
import { deleteTagRoute, listTagsRoute, renameTagRoute } from "../../src/features/tags/routes.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import { nameKeySql } from "../../src/platform/db/name-sql.ts";
import { openSession } from "../../src/platform/db/session.ts";
import { purge } from "../../src/purge.ts";
import { type Client, person } from "../kit/client.ts";
import { ctxOf, numberOf } from "../kit/ctx.ts";
import { metered } from "../kit/meter.ts";
import { search, write } from "../kit/search.ts";

// Projects, tags and folders, and words of a list, are the same in any case and any language.

/** Spellings of one name. */
const ALIKE = [
  ["Apollo", "apollo", "APOLLO"],
  ["Ärger", "ärger", "ÄRGER", "A\u0308rger", "a\u0308RGER"],
  ["Straße", "STRASSE", "strasse", "STRAẞE"],
  ["Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφος", "σίσυφοσ"],
  ["İstanbul", "istanbul", "ISTANBUL", "ıstanbul", "I\u0307stanbul"],
  ["Ещё", "ЕЩЁ", "еще\u0308"],
  ["Việt", "VIỆT", "Vie\u0323\u0302t", "viê\u0323t"],
  ["한글", "한글"],
  ["ﬁnanz", "FINANZ", "finanz"],
  ["日本", "日本"],
] as const;
const OTHERS = [
  ["Uber", "Über"],
  ["Ａpollo", "Apollo"],
  ["はは", "ばば"],
  ["a'b", "a''b"],
] as const;

const record = (client: Client, fields: Record<string, unknown>) =>
  client.ok(createMemoryRoute, {
    json: { memory_type: "commitment", topic: "Topic", content: "Content", ...fields } as never,
  });
const topics = ({ items }: { items: { topic: string }[] }) => items.map(({ topic }) => topic).toSorted();

describe("a name's key", () => {
  test.for(ALIKE)("is the same for %s", ([first, ...others]) => {
    for (const other of others) expect([other, isSameName(first, other)]).toEqual([other, true]);
  });

  test.for(OTHERS)("differs for %s and %s", ([one, other]) => {
    expect(isSameName(one, other)).toBe(false);
  });

  test("is computed by SQLite as well, for every spelling", async () => {
    for (const names of [...ALIKE, ...OTHERS]) {
      for (const asked of names) {
        const key = nameKey(asked);
        const { results } = await env.DB.prepare(
          `SELECT value AS name FROM json_each(?) WHERE ${nameKeySql("value", key)} = ?`,
        )
          .bind(JSON.stringify(names), key)
          .all<{ name: string }>();
        expect(results.map(({ name }) => name)).toEqual(names.filter((name) => isSameName(name, asked)));
      }
    }
  });

  test("can have any letters, without an SQL that is too deep or contains them otherwise", async () => {
    const letters = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
    const hostile = [
      "'; DROP TABLE users; --",
      "?",
      '"',
      "\\",
      letters,
      letters.toUpperCase(),
      "Ä".repeat(1e6),
    ];
    for (const name of hostile) {
      expect(keyReplacements(nameKey(name)).length).toBeLessThanOrEqual(200);
      await env.DB.prepare(`SELECT ${nameKeySql("?", nameKey(name))} AS key`)
        .bind("a")
        .first();
    }
  });
});

describe("filters", () => {
  test.for(ALIKE)("by project, tag and folder find every spelling of %s", async (names) => {
    const ada = await person();
    const [first] = names;
    const { id } = await ada.ok(createFolderRoute, { json: { name: first } });
    await write(ada, "a note", "text", { tags: [first], folder_id: id });
    await record(ada, { topic: "open", project: first, tags: [first] });
    const done = await record(ada, { topic: "closed", project: first });
    await ada
      .ok(updateMemoryRoute, {
        params: { memory_id: String(done.id) },
        json: { status: "archived" } as never,
      })
      .catch(() => undefined);
    // As a folder of an earlier version is, until the cron handler has written its key.
    await env.DB.prepare("UPDATE folders SET key = NULL").run();
    for (const completed of [false, true]) {
      if (completed) await purge(env);
      for (const name of names) {
        const listed = await ada.ok(listMemoriesRoute, { query: { project: name } });
        expect([name, topics(listed), listed.total]).toEqual([name, ["closed", "open"], 2]);
        const commitments = await ada.ok(listCommitmentsRoute, { query: { project: name } });
        expect([name, commitments.total]).toEqual([name, 2]);
        const history = await ada.ok(listHistoryRoute, { query: { project: name } });
        expect(history.total).toBe(0);
        expect((await ada.ok(listMemoriesRoute, { query: { tag: name } })).total).toBe(1);
        expect((await ada.ok(listDocumentsRoute, { query: { tag: name } })).total).toBe(1);
        const found = async (q: string) => (await search(ada, q, { type: "all" })).total;
        expect([name, await found(`project:"${name}"`)]).toEqual([name, 2]);
        expect([name, await found(`tag:"${name}"`)]).toEqual([name, 2]);
        expect([name, await found(`folder:"${name}"`)]).toEqual([name, 1]);
        expect([name, await found(`folder:"/${name}/"`)]).toEqual([name, 1]);
        expect((await search(ada, "text", { tag: [name] })).total).toBe(1);
      }
    }
  });

  test("by folder find names of any letters, and whole paths, with and without a key", async () => {
    const ada = await person();
    const name = "ÄÖÜÉÈÊËÀÂÎÏÔÛÇÑÃÕÅØÆŒÐÞŠŽČĆĐŁŃŚŹŻĄĘĞİŞ ЖЩЪЫЭЮЯ ΆΈΉΊ";
    const parent = await ada.ok(createFolderRoute, { json: { name: "Über" } });
    const { id } = await ada.ok(createFolderRoute, { json: { name, parent_id: parent.id } });
    await write(ada, "a note", "text", { folder_id: id });
    const isFound = async (folder: string) => (await search(ada, `folder:"${folder}"`)).total === 1;
    for (const key of ["key", "NULL"]) {
      await env.DB.prepare(`UPDATE folders SET key = ${key}`).run();
      expect(await isFound(name.toLowerCase())).toBe(true);
      expect(await isFound(`ÜBER/${name.toLowerCase().normalize("NFD")}`)).toBe(true);
      expect(await isFound(`uber/${name}`)).toBe(false);
    }
    // Whoever renames it with an earlier version leaves no key of the old name behind.
    await purge(env);
    await env.DB.prepare("UPDATE folders SET name = 'Ärger' WHERE id = ?").bind(id).run();
    expect([await isFound("ärger"), await isFound(name)]).toEqual([true, false]);
  });

  test("find what is spelled in two ways in both, each once, and what is spelled otherwise not at all", async () => {
    const ada = await person();
    for (const [place, project] of ["Über", "über", "ÜBER", "uber"].entries())
      await record(ada, { topic: `r${place}`, project, tags: [project, project.toLowerCase()] });
    await write(ada, "both", "", { tags: ["Über", "über"] });
    await write(ada, "one", "", { tags: ["Über"] });
    expect(topics(await ada.ok(listMemoriesRoute, { query: { project: "üBer" } }))).toEqual([
      "r0",
      "r1",
      "r2",
    ]);
    expect(topics(await ada.ok(listCommitmentsRoute, { query: { project: "Über" } }))).toEqual([
      "r0",
      "r1",
      "r2",
    ]);
    const tagged = await ada.ok(listDocumentsRoute, { query: { tag: "über" } });
    expect([tagged.total, tagged.items.length]).toEqual([2, 2]);
    expect((await search(ada, "tag:über", { type: "all" })).total).toBe(5);
    expect((await search(ada, "tag:über tag:ÜBER", { type: "all" })).total).toBe(5);
    expect((await search(ada, "project:über project:uber", { type: "all" })).total).toBe(0);
    // Nobody else's spellings count.
    const bob = await person();
    expect((await bob.ok(listMemoriesRoute, { query: { project: "über" } })).total).toBe(0);
  });

  test("follow what becomes of a name, and forget one that nothing has", async () => {
    const ada = await person();
    const owner = await numberOf(ada);
    const spelled = async () =>
      await env.DB.prepare("SELECT kind, name FROM spellings WHERE owner = ? ORDER BY kind, name")
        .bind(owner)
        .raw();
    const { id } = await record(ada, { project: "Ä", tags: ["Ö", "plain"] });
    const note = await write(ada, "note", "", { tags: ["Ö", "Ü"] });
    expect(await spelled()).toEqual([
      ["project", "Ä"],
      ["tag", "Ö"],
      ["tag", "Ü"],
    ]);
    const params = { memory_id: String(id) };
    await ada.ok(updateMemoryRoute, { params, json: { project: "ä", tags: ["ö"] } });
    expect(await spelled()).toEqual([
      ["project", "ä"],
      ["tag", "Ö"],
      ["tag", "Ü"],
      ["tag", "ö"],
    ]);
    await ada.ok(bulkDocumentsRoute, {
      json: { operations: [{ operation: "remove_tags", id: note.id, tags: ["ü"] }] },
    });
    expect(await spelled()).toEqual([
      ["project", "ä"],
      ["tag", "Ö"],
      ["tag", "ö"],
    ]);
  });
});

describe("words of a list", () => {
  test.for(ALIKE)("are found in any case: %s", async (names) => {
    const ada = await person();
    await record(ada, { topic: `About ${names[0]} and more` });
    await record(ada, { topic: "Other", content: names[0] });
    await record(ada, { topic: "None" });
    for (const name of names) {
      const { total } = await ada.ok(listMemoriesRoute, { query: { q: `${name} o` } });
      expect([name, total]).toEqual([name, 2]);
    }
  });

  test("are any of 500 characters", async () => {
    const ada = await person();
    await record(ada, { topic: "Topic" });
    const letters = Array.from({ length: 250 }, (_, place) => String.fromCharCode(0xc0 + place));
    for (const q of [letters.join(""), letters.join(" "), "'\"?%_ \\", "ẞ".repeat(500)])
      expect((await ada.ok(listMemoriesRoute, { query: { q } })).total).toBe(0);
  });
});

test("a filter by a name of any letters is answered", async () => {
  const ada = await person();
  const { id: folder_id } = await ada.ok(createFolderRoute, { json: { name: "Ärger" } });
  await write(ada, "note", "", { tags: ["Ärger"], folder_id });
  await record(ada, { project: "Ärger", tags: ["Ärger"] });
  const letters = Array.from({ length: 240 }, (_, place) => String.fromCharCode(0xc0 + place)).join("");
  const names = [letters, "Я".repeat(240), "'; DROP TABLE spellings; --", "?", "\\"];
  for (const filter of ["folder", "tag", "project"])
    for (const name of names) {
      const q = `${filter}:"${name}" ${filter}:"${name.slice(0, 200)}"`.slice(0, 500);
      expect((await search(ada, q, { type: "all" })).total).toBe(0);
    }
  for (const name of names.map((one) => one.slice(0, 60))) {
    expect((await ada.ok(listDocumentsRoute, { query: { tag: [name, name.slice(1) || "x"] } })).total).toBe(
      0,
    );
    expect((await ada.ok(listMemoriesRoute, { query: { tag: name, project: name } })).total).toBe(0);
    expect((await ada.ok(suggestRoute, { query: { q: name } })).suggestions).toEqual([]);
  }
  expect((await search(ada, "folder:ärger")).total).toBe(1);
});

describe("changes of a name", () => {
  test("change the one that is spelled exactly so, or else those that differ in case", async () => {
    const ada = await person();
    for (const tag of ["Ähnlich", "ähnlich", "Über"]) await write(ada, tag, "", { tags: [tag] });
    const names = async () => (await ada.ok(listTagsRoute)).items.map(({ name }) => name);
    await ada.ok(renameTagRoute, { params: { name: "ähnlich" }, json: { name: "gleich" } });
    expect(await names()).toEqual(["gleich", "Ähnlich", "Über"]);
    await ada.ok(renameTagRoute, { params: { name: "ÄHNLICH" }, json: { name: "Gleich" } });
    expect(await names()).toEqual(["Gleich", "gleich", "Über"]);
    await ada.ok(deleteTagRoute, { params: { name: "über" } });
    expect(await names()).toEqual(["Gleich", "gleich"]);
    expect((await ada.call(deleteTagRoute, { params: { name: "über" } })).status).toBe(404);
    for (const project of ["Ölberg", "ölberg", "Ähre"]) await record(ada, { topic: project, project });
    const projects = async () => (await ada.ok(listProjectsRoute)).items.map(({ name }) => name);
    await ada.ok(renameProjectRoute, { params: { name: "ölberg" }, json: { name: "Tal" } });
    expect(await projects()).toEqual(["Tal", "Ähre", "Ölberg"]);
    await ada.ok(renameProjectRoute, { params: { name: "ähre" }, json: { name: "Ähre" } });
    await ada.ok(renameProjectRoute, { params: { name: "ÄHRE" }, json: { name: "Korn" } });
    expect(await projects()).toEqual(["Korn", "Tal", "Ölberg"]);
  });

  test("add no second spelling of a tag to a document, and remove a tag in any", async () => {
    const ada = await person();
    const { id } = await ada.ok(createDocumentRoute, { json: { title: "note", tags: ["Übung", "x"] } });
    const bulk = async (operation: string, ...tags: string[]) => {
      await ada.ok(bulkDocumentsRoute, { json: { operations: [{ operation, id, tags }] as never } });
      return (await ada.ok(listDocumentsRoute)).items[0]?.tags;
    };
    expect(await bulk("add_tags", "übung", "y", "Y")).toEqual(["Übung", "x", "y"]);
    expect(await bulk("remove_tags", "ÜBUNG", "X")).toEqual(["y"]);
  });

  test("suggestions complete a title and a tag in any case", async () => {
    const ada = await person();
    await write(ada, "Ärgerliche Liste", "", { tags: ["Äpfel", "Work"] });
    const suggested = async (q: string) =>
      (await ada.ok(suggestRoute, { query: { q } })).suggestions.map(({ text }) => text);
    expect(await suggested("är")).toContain("Ärgerliche Liste");
    expect(await suggested("äpf")).toContain("Äpfel");
    expect(await suggested("ÄPF")).toContain("Äpfel");
    expect(await suggested("wo")).toContain("Work");
  });
});

test("a project that is asked for as it is spelled is read in one call, and costs one row for its spelling", async () => {
  const ada = await person();
  for (const project of ["Ölberg", "Apollo", "plain"]) await record(ada, { project });
  await purge(env);
  const ctx = await ctxOf(ada);
  const cost = async (project: string) => {
    const { session, meter } = metered(openSession(env.DB));
    const page = { limit: 20, offset: 0 };
    const { total } = await listActive({ ...ctx, db: openDatabase(session) }, { project }, page);
    return { total, calls: meter.batches, rows: meter.rowsRead };
  };
  const plain = await cost("plain");
  expect(plain).toMatchObject({ total: 1, calls: 1 });
  for (const spelled of [await cost("Ölberg"), await cost("Apollo")])
    expect(spelled).toMatchObject({ total: 1, calls: 1, rows: expect.closeTo(plain.rows, -1) });
  expect(await cost("apollo")).toMatchObject({ total: 1, calls: 2 });
});
