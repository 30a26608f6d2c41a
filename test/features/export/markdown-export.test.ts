import fc from "fast-check";
import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { isStorable } from "../../../src/contract/storable.ts";
import { listSecurityEventsRoute } from "../../../src/features/auth/me-routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { exportMarkdownRoute } from "../../../src/features/export/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { contentOf, importedInto, markdownZip, readByApp } from "../../kit/markdown-zip.ts";
import { keyOf } from "../../kit/scopes.ts";

// The documents of an account, or of a folder, as a zip of Markdown.

const prose = (text: string, more = {}) => ({ format: "markdown", text, ...more });

const create = (client: Client, json: Record<string, unknown>) =>
  client.ok(documents.createDocumentRoute, { json: { title: "Note", ...json } });

const folder = async (client: Client, name: string, parent_id: string | null = null) =>
  (await client.ok(folders.createFolderRoute, { json: { name, parent_id } })).id;

const filesOf = async (client: Client, query = "") => {
  const { bytes } = await markdownZip(client, query);
  return Object.fromEntries(
    Object.entries(unzipSync(bytes)).map(([path, file]) => [path, new TextDecoder().decode(file)]),
  );
};

describe("a zip of Markdown", () => {
  test("has each document in its folders, with its title, tags, times and properties", async () => {
    const ada = await person();
    const trips = await folder(ada, "Trips");
    const italy = await folder(ada, "Italy", trips);
    await folder(ada, "Empty");
    const dates = { created_at: "2020-01-02T03:04:05Z", updated_at: "2021-02-03T04:05:07Z" };
    const content = prose("# List\n\n- passport\n", { front_matter: { status: "draft" }, place: "Rome" });
    await create(ada, {
      title: "Packing list",
      tags: ["travel", "a, b"],
      content,
      folder_id: italy,
      ...dates,
    });
    await create(ada, { title: "Loose", content: prose(""), ...dates });
    const trashed = await create(ada, { title: "Gone" });
    await ada.call(documents.deleteDocumentRoute, { params: { document_id: trashed.id } });
    const files = await filesOf(ada);
    expect(Object.keys(files)).toEqual(["Trips/Italy/Packing list.md", "Loose.md"]);
    expect(files["Trips/Italy/Packing list.md"]).toBe(
      "---\ntitle: Packing list\ntags:\n  - travel\n  - a, b\n" +
        "created_at: 2020-01-02T03:04:05.000Z\nupdated_at: 2021-02-03T04:05:07.000Z\nplace: Rome\nstatus: draft\n" +
        "commonplace:\n  folder:\n    - Trips\n    - Italy\n---\n# List\n\n- passport\n",
    );
    expect(files["Loose.md"]).toContain("folder: []\n---\n");
  });

  test("has other text and other content with the endings that fit, and no marks of an import", async () => {
    const ada = await person();
    await create(ada, { title: "Plain", content: { format: "text", text: "a\r\nb" } });
    await create(ada, { title: "Data", content: { n: 1, imported: { origin: 1, checksum: 2 } } });
    await create(ada, { title: "Bare", content: { text: "x" } });
    await create(ada, { title: "Nothing" });
    expect(await filesOf(ada)).toEqual({
      "Plain.txt": "a\r\nb",
      "Data.json": '{\n  "n": 1\n}',
      "Bare.md": expect.stringMatching(/^---\ntitle: Bare\n.*---\nx$/s),
      "Nothing.md": expect.stringMatching(/---\n$/),
    });
  });

  test("of a folder has what is in it and below it, under its name, and is called so", async () => {
    const ada = await person();
    const work = await folder(ada, "Wörk: 2026");
    const deep = await folder(ada, "Deep", await folder(ada, "Inner", work));
    for (const [title, folder_id] of [
      ["a", work],
      ["b", deep],
      ["c", null],
    ])
      await create(ada, { title, folder_id });
    const { bytes, name } = await markdownZip(ada, `?folder_id=${work}`);
    expect(name).toBe(`attachment; filename="W_rk 2026.zip"; filename*=UTF-8''W%C3%B6rk%202026.zip`);
    expect(Object.keys(unzipSync(bytes))).toEqual(["Wörk 2026/a.md", "Wörk 2026/Inner/Deep/b.md"]);
    expect(Object.keys(await filesOf(ada, `?folder_id=${deep}`))).toEqual(["Deep/b.md"]);
  });

  test("has long properties, whatever their signs, as an import reads them", async () => {
    const ada = await person();
    const signs = "\u007f\u0085\u2028\ufeff\uffff: # '\"\\ \u0001";
    const front_matter = {
      ...Object.fromEntries(
        Array.from({ length: 500 }, (_, n) => [`${n}${signs.repeat(3)}`, [n, null, signs]]),
      ),
      ...{ ["k".repeat(2000)]: { deep: [[{ text: `a\n---\n${signs}` }]] } },
    };
    await create(ada, { title: signs, content: prose("x", { front_matter }) });
    const [item] = await readByApp((await markdownZip(ada)).bytes);
    expect(item).toMatchObject({ title: signs, content: { text: "x" } });
    expect(item?.content.front_matter).toEqual(front_matter);
  });

  test("of nothing is a zip without files, and opens", async () => {
    const ada = await person();
    expect(await filesOf(ada)).toEqual({});
    expect(await filesOf(ada, `?folder_id=${await folder(ada, "Empty")}`)).toEqual({});
  });

  test("is the account's own, needs the scope that reads documents, and is noted in the account", async () => {
    const [ada, bob] = [await person(), await person()];
    const mine = await folder(ada, "Mine");
    await create(ada, { folder_id: mine });
    expect(await filesOf(bob)).toEqual({});
    const query = { folder_id: mine };
    expect(await bob.refusal(exportMarkdownRoute, { query })).toMatchObject({ status: 404 });
    expect(Object.keys(await filesOf(await keyOf(ada, ["docs:read"])))).toEqual(["Mine/Note.md"]);
    expect((await (await keyOf(ada, ["memory:read"])).refusal(exportMarkdownRoute)).status).toBe(403);
    const { items } = await ada.ok(listSecurityEventsRoute);
    expect(items.filter(({ event }) => event === "export_taken")).toHaveLength(1);
  });

  test("tells apart what only differs in case, whatever is a file and whatever a folder", async () => {
    const ada = await person();
    const [upper, lower] = [await folder(ada, "Work"), await folder(ada, "WORK")];
    const [same, dotted] = [await folder(ada, "Work"), await folder(ada, "note.md")];
    for (const folder_id of [upper, lower, same, dotted, null, null])
      await create(ada, { title: folder_id === same ? "NOTE" : "note", folder_id });
    expect(Object.keys(await filesOf(ada)).sort()).toEqual(
      [
        ...["Work/note.md", "WORK (2)/note.md", "Work/NOTE (2).md", "note.md/note.md"],
        ...["note (2).md", "note (3).md"],
      ].sort(),
    );
  });

  test("keeps a long chain of folders within what systems take", async () => {
    const ada = await person();
    let parent: string | null = null;
    for (let n = 0; n < 60; n++) parent = await folder(ada, `${n} ${"Ordner ".repeat(6)}`, parent);
    await create(ada, { title: "x".repeat(500), folder_id: parent });
    const [path = ""] = Object.keys(await filesOf(ada));
    expect(new TextEncoder().encode(path).length).toBeLessThan(900);
    expect(path.split("/").length).toBeGreaterThan(10);
  });
});

const SPECIALS = [
  ..."con|NUL.txt|com1|..|.|../../etc/passwd|/abs|C:\\x|a.| b |a/b|A/B|a\\b|.hidden|node_modules|__MACOSX".split(
    "|",
  ),
  ..."---|null|true|2026-01-01|0x1f|1e3|#tag|~|title: x|'|\"|- a|? a|a: b # c|\n---\n|&a *b !c|@|%2F".split(
    "|",
  ),
  ..."ä|a\u0308|Ä|ß|ſ|İ|a (2)|\u202egpj".split("|"),
  ...["\t", "\u0001", "\u0085", "\u2028", "\ufeff", "\ufffe", "x".repeat(480), "🦭".repeat(240)],
];

const special = (max: number) =>
  fc
    .oneof(
      fc.constantFrom(...SPECIALS),
      fc.tuple(fc.constantFrom(...SPECIALS), fc.constantFrom(...SPECIALS)).map(([a, b]) => a + b),
      fc.string({ unit: "binary" }),
    )
    .map((text) => text.slice(0, max))
    .filter((text) => text !== "" && isStorable(text));

const nameIn = (max: number) =>
  special(max)
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "." && name !== "..");

const TEXTS = [
  "",
  "---\na: 1\n---\nb",
  "---\n",
  "\ufeffx",
  "a\r\nb\n",
  "PK\u0003\u0004PK\u0007\u0008",
  "\u0001\u2028",
];

const note = fc.record({
  title: special(500),
  tags: fc.uniqueArray(nameIn(64), { maxLength: 4 }),
  text: fc.oneof(fc.constantFrom(...TEXTS), special(5000)),
  folders: fc.array(nameIn(255), { maxLength: 3 }),
});

/** Whether Windows, macOS and Linux take it as the name of a file. */
const isSafe = (name: string) =>
  name === name.normalize("NFC") &&
  new TextEncoder().encode(name).length <= 255 &&
  !/[\p{Cc}\\/:*?"<>|]|^[\s.]|[\s.]$/u.test(name) &&
  !/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name);

test("what is exported and imported again has the same titles, texts, tags and folders, whatever they are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(note, { minLength: 1, maxLength: 6 }), async (notes) => {
      const ada = await person();
      const before = await importedInto(
        ada,
        notes.map(({ text, ...one }) => ({ ...one, content: prose(text) })),
      );
      const { bytes } = await markdownZip(ada);
      const paths = Object.keys(unzipSync(bytes));
      expect(paths.flatMap((path) => path.split("/")).filter((name) => !isSafe(name))).toEqual([]);
      expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(notes.length);
      const items = await readByApp(bytes);
      expect(items).toHaveLength(notes.length);
      expect(await importedInto(await person(), items)).toEqual(before);
      expect(await contentOf(ada)).toEqual(before);
    }),
    { numRuns: 25 },
  );
});
