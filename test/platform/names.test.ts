import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { isSameName, keyReplacements, nameKey } from "../../src/contract/name-key.ts";
import { listCommitmentsRoute } from "../../src/features/dashboard/routes.ts";
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
import { nameKeySql } from "../../src/platform/db/name-sql.ts";
import { purge } from "../../src/purge.ts";
import { type Client, person } from "../kit/client.ts";
import { ctxOf, meteredCtx, numberOf } from "../kit/ctx.ts";
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
  test.for([
    ...ALIKE.map((names) => [names, true] as const),
    ...OTHERS.map((names) => [names, false] as const),
  ])("of %s: the same is %s, here and in SQLite", async ([names, isSame]) => {
    for (const asked of names) {
      const key = nameKey(asked);
      const same = names.filter((name) => isSameName(name, asked));
      expect(same).toEqual(isSame ? names : [asked]);
      const found = env.DB.prepare(`SELECT value FROM json_each(?) WHERE ${nameKeySql("value", key)} = ?`);
      expect((await found.bind(JSON.stringify(names), key).raw()).flat()).toEqual(same);
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
      const statement = env.DB.prepare(`SELECT ${nameKeySql("?", nameKey(name))} AS key`);
      await statement.bind("a").first();
    }
  });
});

describe("filters", () => {
  test.for(ALIKE)(
    "by project, tag and folder, and words of a list, find every spelling of %s",
    async (names) => {
      const ada = await person();
      const [first] = names;
      const { id } = await ada.ok(createFolderRoute, { json: { name: first } });
      await write(ada, "a note", "text", { tags: [first], folder_id: id });
      await record(ada, { topic: `About ${first} and more`, project: first, tags: [first] });
      await record(ada, { topic: "Other", content: first, project: first });
      await record(ada, { topic: "None" });
      // As a folder of an earlier version is, until the cron handler has written its key.
      await env.DB.prepare("UPDATE folders SET key = NULL").run();
      for (const completed of [false, true]) {
        if (completed) await purge(env);
        for (const name of names) {
          const records = async (query: object) =>
            (await ada.ok(listMemoriesRoute, { query: { ...query } })).total;
          const found = async (q: string) => (await search(ada, q, { type: "all" })).total;
          expect([name, await records({ project: name }), await records({ tag: name })]).toEqual([
            name,
            2,
            1,
          ]);
          expect([name, await records({ q: `${name} o` })]).toEqual([name, 2]);
          expect((await ada.ok(listCommitmentsRoute, { query: { project: name } })).total).toBe(2);
          expect((await ada.ok(listDocumentsRoute, { query: { tag: name } })).total).toBe(1);
          expect([name, await found(`project:"${name}"`), await found(`tag:"${name}"`)]).toEqual([
            name,
            2,
            2,
          ]);
          expect([name, await found(`folder:"${name}"`), await found(`folder:"/${name}/"`)]).toEqual([
            name,
            1,
            1,
          ]);
          expect((await search(ada, "text", { tag: [name] })).total).toBe(1);
        }
      }
    },
  );

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
    // Renaming it with an earlier version leaves no key of the old name behind.
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
    const spelled = ["r0", "r1", "r2"];
    expect(topics(await ada.ok(listMemoriesRoute, { query: { project: "üBer" } }))).toEqual(spelled);
    expect(topics(await ada.ok(listCommitmentsRoute, { query: { project: "Über" } }))).toEqual(spelled);
    const tagged = await ada.ok(listDocumentsRoute, { query: { tag: "über" } });
    expect([tagged.total, tagged.items.length]).toEqual([2, 2]);
    expect((await search(ada, "tag:über", { type: "all" })).total).toBe(5);
    expect((await search(ada, "tag:über tag:ÜBER", { type: "all" })).total).toBe(5);
    expect((await search(ada, "project:über project:uber", { type: "all" })).total).toBe(0);
    // Another account's spellings do not count.
    const bob = await person();
    expect((await bob.ok(listMemoriesRoute, { query: { project: "über" } })).total).toBe(0);
  });

  test("follow the changes of a name, and forget one that nothing has", async () => {
    const ada = await person();
    const spellings = env.DB.prepare("SELECT name FROM spellings WHERE owner = ? ORDER BY kind, name");
    const owner = await numberOf(ada);
    const spelled = async () => (await spellings.bind(owner).raw()).join(" ");
    const { id } = await record(ada, { project: "Ä", tags: ["Ö", "plain"] });
    const note = await write(ada, "note", "", { tags: ["Ö", "Ü"] });
    expect(await spelled()).toBe("Ä Ö Ü");
    const params = { memory_id: String(id) };
    await ada.ok(updateMemoryRoute, { params, json: { project: "ä", tags: ["ö"] } });
    expect(await spelled()).toBe("ä Ö Ü ö");
    const operations = [{ operation: "remove_tags", id: note.id, tags: ["ü"] }];
    await ada.ok(bulkDocumentsRoute, { json: { operations } });
    expect(await spelled()).toBe("ä Ö ö");
  });
});

test("a filter by a name of any letters is answered", async () => {
  const ada = await person();
  const { id: folder_id } = await ada.ok(createFolderRoute, { json: { name: "Ärger" } });
  await write(ada, "note", "", { tags: ["Ärger"], folder_id });
  await record(ada, { project: "Ärger", tags: ["Ärger"] });
  const letters = Array.from({ length: 240 }, (_, place) => String.fromCharCode(0xc0 + place)).join("");
  const names = [letters, "Я".repeat(240), "'; DROP TABLE spellings; --", "?", "\\"];
  for (const name of names) {
    for (const filter of ["folder", "tag", "project"]) {
      const q = `${filter}:"${name}" ${filter}:"${name.slice(0, 200)}"`.slice(0, 500);
      expect((await search(ada, q, { type: "all" })).total).toBe(0);
    }
    const short = name.slice(0, 60);
    const tag = [short, short.slice(1) || "x"];
    expect((await ada.ok(listDocumentsRoute, { query: { tag } })).total).toBe(0);
    expect((await ada.ok(listMemoriesRoute, { query: { tag: short, project: short } })).total).toBe(0);
    expect((await ada.ok(suggestRoute, { query: { q: short } })).suggestions).toEqual([]);
  }
  const spaced = [...letters].join(" ");
  for (const q of [letters, spaced, "'\"?%_ \\", "ẞ".repeat(500)])
    expect((await ada.ok(listMemoriesRoute, { query: { q } })).total).toBe(0);
  expect((await search(ada, "folder:ärger")).total).toBe(1);
});

describe("changes of a name", () => {
  test("change the one that is spelled exactly so, or else those that differ in case", async () => {
    const ada = await person();
    const namesIn = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name).join(" ");
    for (const tag of ["Ähnlich", "ähnlich", "Über"]) await write(ada, tag, "", { tags: [tag] });
    const renameTag = async (from: string, name: string) => {
      await ada.ok(renameTagRoute, { params: { name: from }, json: { name } });
      return namesIn(await ada.ok(listTagsRoute));
    };
    expect(await renameTag("ähnlich", "gleich")).toBe("gleich Ähnlich Über");
    expect(await renameTag("ÄHNLICH", "Gleich")).toBe("Gleich gleich Über");
    await ada.ok(deleteTagRoute, { params: { name: "über" } });
    expect(namesIn(await ada.ok(listTagsRoute))).toBe("Gleich gleich");
    expect((await ada.call(deleteTagRoute, { params: { name: "über" } })).status).toBe(404);
    for (const project of ["Ölberg", "ölberg", "Ähre"]) await record(ada, { topic: project, project });
    const renameProject = async (from: string, name: string) => {
      await ada.ok(renameProjectRoute, { params: { name: from }, json: { name } });
      return namesIn(await ada.ok(listProjectsRoute));
    };
    expect(await renameProject("ölberg", "Tal")).toBe("Tal Ähre Ölberg");
    await renameProject("ähre", "Ähre");
    expect(await renameProject("ÄHRE", "Korn")).toBe("Korn Tal Ölberg");
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
    for (const [q, text] of [
      ["är", "Ärgerliche Liste"],
      ["äpf", "Äpfel"],
      ["ÄPF", "Äpfel"],
      ["wo", "Work"],
    ] as const) {
      const { suggestions } = await ada.ok(suggestRoute, { query: { q } });
      expect(suggestions.map((one) => one.text)).toContain(text);
    }
  });
});

test("a project that is asked for as it is spelled is read in one call, and costs one row for its spelling", async () => {
  const ada = await person();
  for (const project of ["Ölberg", "Apollo", "plain"]) await record(ada, { project });
  await purge(env);
  const base = await ctxOf(ada);
  const cost = async (project: string) => {
    const { ctx, meter } = meteredCtx(base);
    const { total } = await listActive(ctx, { project }, { limit: 20, offset: 0 });
    return { total, calls: meter.batches, rows: meter.rowsRead };
  };
  const plain = await cost("plain");
  expect(plain).toMatchObject({ total: 1, calls: 1 });
  for (const spelled of [await cost("Ölberg"), await cost("Apollo")])
    expect(spelled).toMatchObject({ total: 1, calls: 1, rows: expect.closeTo(plain.rows, -1) });
  expect(await cost("apollo")).toMatchObject({ total: 1, calls: 2 });
});
