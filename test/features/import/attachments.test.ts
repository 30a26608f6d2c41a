import { Buffer } from "node:buffer";
import { zipSync } from "fflate";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import * as files from "../../../src/features/files/routes.ts";
import { listUploadsRoute } from "../../../src/features/files/upload-routes.ts";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import { openZip } from "../../../src/shared/import/zip.ts";
import { type Client, person } from "../../kit/client.ts";
import { ConfiguredClient, withLimits } from "../../kit/database.ts";
import { importFound, markdownZip } from "../../kit/markdown-zip.ts";
import { bytesOf, png, upload } from "../../kit/stored-files.ts";

// Notes of other programs with the files that they refer to.

type Files = Record<string, string | Uint8Array<ArrayBuffer>>;

const zipOf = (all: Files): Uint8Array<ArrayBuffer> =>
  zipSync(
    Object.fromEntries(
      Object.entries(all).map(([path, text]) => [path, typeof text === "string" ? bytesOf(text) : text]),
    ),
  ) as Uint8Array<ArrayBuffer>;

const imported = async (client: Client, bytes: Uint8Array<ArrayBuffer>, name = "vault.zip") =>
  importFound(client, await openZip(new File([bytes], name), () => {}));

/** The texts of an account's documents by title, with files by their names. */
async function textsOf(client: Client): Promise<Record<string, string>> {
  const { items } = await client.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
  const named = await client.ok(files.listFilesRoute, { query: { limit: 100 } });
  const names = new Map(named.items.map(({ id, name }) => [id, name]));
  const read = items.map(async ({ id, title }) => {
    const document = await client.ok(documents.getDocumentRoute, { params: { document_id: id } });
    const text = String(document.content?.text);
    return [title, text.replace(/file:([0-9a-f-]{36})/g, (_, file) => `file:${names.get(file)}`)];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** The names of the files that are attached to a document. */
async function attachedTo(client: Client, title: string): Promise<string[]> {
  const { items } = await client.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
  const document_id = items.find((one) => one.title === title)?.id ?? "";
  const { items: all } = await client.ok(files.listFilesRoute, { query: { document_id } });
  return all.map(({ name }) => name).sort();
}

test("Obsidian: embeds, wherever the vault has the file, and links; a missing file is named", async () => {
  const ada = await person();
  const vault = zipOf({
    "Trip.md": [
      "# Trip",
      "![[house.png]] ![[House.PNG|300]] ![[maps/city map.pdf#page=2]] [[maps/city map.pdf|the map]]",
      "![[Other note]] [[Other note]] ![[gone.png]]",
      "| ![[house.png\\|200x100]] ![[house.png\\|The house\\|200]] |\n| --- |",
      "```\n![[house.png]]\n```",
      "and `![[house.png]]`, https://example.com/a.png ![](https://example.com/b.png)",
    ].join("\n\n"),
    "Other note.md": "text",
    "deep/assets/house.png": png("house"),
    "house/assets/far/away/house.png": png("another"),
    "maps/city map.pdf": "%PDF-1.4 map",
    "maps/unused.pdf": "%PDF-1.4 unused",
    ".obsidian/workspace": "x",
  });
  const result = await imported(ada, vault);
  expect(result.notes).toEqual(["gone.png is missing, so links to it won't work"]);
  expect([result.written, result.refused]).toEqual([2, []]);
  expect(result.leftOut).toEqual(
    expect.arrayContaining(["vault/maps/unused.pdf", "vault/house/assets/far/away/house.png"]),
  );
  expect((await textsOf(ada)).Trip).toBe(
    [
      "# Trip",
      "![house.png](file:house.png) ![House.PNG|300](file:house.png) [city map.pdf](file:city map.pdf) [the map](file:city map.pdf)",
      "![[Other note]] [[Other note]] ![[gone.png]]",
      "| ![house.png\\|200x100](file:house.png) ![The house\\|200](file:house.png) |\n| --- |",
      "```\n![[house.png]]\n```",
      "and `![[house.png]]`, https://example.com/a.png ![](https://example.com/b.png)",
    ].join("\n\n"),
  );
  expect(await attachedTo(ada, "Trip")).toEqual(["city map.pdf", "house.png"]);

  const again = await imported(ada, vault);
  expect(again.written).toBe(0);
  expect((await ada.ok(files.listFilesRoute)).total).toBe(2);
});

test("Notion: a page beside a folder of its name, with encoded links", async () => {
  const ada = await person();
  const result = await imported(
    ada,
    zipOf({
      "Export/Our Home 0a1b.md":
        "# Our Home\n\n![Bild](Our%20Home%200a1b/B%C3%A4d%20(1).png)\n\n[Lease.pdf](Our%20Home%200a1b/Lease.pdf)\n\n[Sub](Our%20Home%200a1b/Sub%2022.md)",
      // As macOS writes it.
      [`Export/Our Home 0a1b/${"Bäd (1).png".normalize("NFD")}`]: png("bath"),
      "Export/Our Home 0a1b/Lease.pdf": "%PDF-1.4 lease",
      "Export/Our Home 0a1b/Sub 22.md": "# Sub\n\n![up](../Our%20Home%200a1b/Lease.pdf)",
    }),
  );
  expect([result.written, result.refused, result.notes]).toEqual([2, [], []]);
  const texts = await textsOf(ada);
  expect(texts["Our Home"]?.normalize("NFC")).toBe(
    "# Our Home\n\n![Bild](file:Bäd (1).png)\n\n[Lease.pdf](file:Lease.pdf)\n\n[Sub](Our%20Home%200a1b/Sub%2022.md)",
  );
  expect(texts.Sub).toContain("![up](file:Lease.pdf)");
});

test("Notion: the parts of an export in one more zip, known again in the next one, without ids in the names", async () => {
  const ada = await person();
  const [home, sub, page] = ["a1", "b2", "c3"].map((ids) => ids.padEnd(32, "0"));
  const exportAt = (uuid: string) => {
    const top = `Export-${uuid}`;
    const part = zipOf({
      [`${top}/Home ${home}.md`]: `# Home\n\n![](Home%20${home}/p.png) [Sub](Home%20${home}/Sub%20${sub}.md)`,
      [`${top}/Home ${home}/p.png`]: png("p"),
      [`${top}/Home ${home}/Sub ${sub}.md`]: "no heading",
    });
    const other = zipOf({ [`${top}/Home ${home}/Sub ${sub}/Page ${page}.md`]: "# Page" });
    return zipOf({ [`${top}-Part-1.zip`]: part, [`${top}-Part-2.zip`]: other });
  };
  const first = await imported(ada, exportAt("0a1b2c3d-0000-4000-8000-000000000001"), "one.zip");
  expect([first.written, first.refused, first.leftOut]).toEqual([3, [], []]);
  expect(Object.keys(await textsOf(ada)).sort()).toEqual(["Home", "Page", "Sub"]);
  const { items } = await ada.ok(listFoldersRoute);
  expect(items.map(({ name }) => name).sort()).toEqual(["Home", "Notion", "Sub"]);
  expect(await attachedTo(ada, "Home")).toEqual(["p.png"]);
  const again = await imported(ada, exportAt("0a1b2c3d-0000-4000-8000-000000000002"), "two.zip");
  expect(again.written).toBe(0);
});

test("Joplin: front matter, resources above the notebook, and pictures in HTML", async () => {
  const ada = await person();
  const result = await imported(
    ada,
    zipOf({
      "Notebook/Bill.md":
        '---\ntitle: The bill\ncreated: 2024-01-02 03:04:05Z\n---\n\n![scan](../_resources/a1.png)\n<img src="../_resources/a1.png" alt="small" width="10"/>\n[bill](<../_resources/my bill.pdf> "Bill")\n\n[x]: ../_resources/a1.png\n![](:/0123456789abcdef0123456789abcdef)\n',
      "_resources/a1.png": png("scan"),
      "_resources/my bill.pdf": "%PDF-1.4 bill",
    }),
  );
  expect([result.written, result.refused]).toEqual([1, []]);
  expect((await textsOf(ada))["The bill"]).toBe(
    '\n![scan](file:a1.png)\n![small](file:a1.png)\n[bill](file:my bill.pdf "Bill")\n\n[x]: file:a1.png\n![](:/0123456789abcdef0123456789abcdef)\n',
  );
});

test("a file that comes later, or is another one, is brought by the next import; links never lead out of the zip", async () => {
  const ada = await person();
  const note = { "n/Note.md": "![](img/x.png) ![](../../../etc/passwd.png) ![](img/empty.pdf)" };
  const first = await imported(ada, zipOf({ ...note, "n/img/empty.pdf": "" }));
  expect(first.notes).toEqual([
    "img/x.png is missing, so links to it won't work",
    "../../../etc/passwd.png is missing, so links to it won't work",
    "n/img/empty.pdf is empty, so it was skipped",
  ]);
  expect((await textsOf(ada)).Note).toContain("![](img/x.png)");
  expect((await imported(ada, zipOf({ ...note, "n/img/x.png": png("x") }))).written).toBe(1);
  expect((await textsOf(ada)).Note).toContain("![](file:x.png)");
  expect((await imported(ada, zipOf({ ...note, "n/img/x.png": png("x") }))).written).toBe(0);
  expect((await imported(ada, zipOf({ ...note, "n/img/x.png": png("another one") }))).written).toBe(1);
});

test("the zip of a folder brings its documents' files back, texts among them, attached where they were", async () => {
  const ada = await person();
  const picture = await upload(ada, png("p"), { name: "p (1).png" });
  const words = await upload(ada, bytesOf("just words"), { name: "words.md" });
  const json = { title: "With files", content: { format: "markdown", text: `![a](file:${picture.id})` } };
  const { id: document_id } = await ada.ok(documents.createDocumentRoute, { json });
  await ada.fetch(`/api/files/${words.id}/documents/${document_id}`, { method: "PUT" });
  const { bytes } = await markdownZip(ada);
  const bob = await person();
  const result = await imported(bob, bytes as Uint8Array<ArrayBuffer>);
  expect([result.written, result.refused, result.notes]).toEqual([1, [], []]);
  expect(await textsOf(bob)).toEqual({ "With files": "![a](file:p (1).png)" });
  expect(await attachedTo(bob, "With files")).toEqual(["p (1).png", "words.md"]);
});

test("a service without a bucket gets the texts, and one sentence on the files; later it gets these too", async () => {
  const ada = await person();
  const without = new ConfiguredClient(ada, { FILES: undefined as never });
  const vault = zipOf({ "n/A.md": "![](x.png) ![[y.pdf]]", "n/x.png": png("x"), "n/y.pdf": "%PDF-1.4 y" });
  const first = await imported(without, vault);
  expect([first.written, first.refused, first.notes]).toEqual([
    1,
    [],
    [
      "This service has no file storage, so the 2 files that your notes link to were skipped, and those links won't work",
    ],
  ]);
  expect((await imported(without, vault)).written).toBe(0);
  expect((await imported(ada, vault)).written).toBe(1);
  expect((await textsOf(ada)).A).toBe("![](file:x.png) [y.pdf](file:y.pdf)");
  expect(await attachedTo(ada, "A")).toEqual(["x.png", "y.pdf"]);
});

test("what cannot be unpacked is named, and the rest is imported", async () => {
  const ada = await person();
  const text = { "n/A.md": "![](x.png) ![](bad.png) ![](large.bin.png)" };
  const large = new Uint8Array(9_000_000).map((_, n) => (n * 7) ^ (n >> 5));
  const whole = zipOf({
    ...text,
    "n/x.png": png("x"),
    "n/bad.png": png("b".repeat(9000)),
    "n/large.bin.png": large,
  });
  const at = (name: string) => Buffer.from(whole).indexOf(name) + name.length;
  for (const name of ["n/bad.png", "n/large.bin.png"]) whole.fill(0xff, at(name) + 5, at(name) + 40);
  const result = await imported(ada, whole);
  expect(result.written).toBe(1);
  expect(result.refused.sort()).toEqual([
    expect.stringMatching(/^n\/bad\.png: (cannot be read|is damaged)/),
    expect.stringMatching(/^n\/large\.bin\.png: (cannot be read|is damaged)/),
  ]);
  expect((await ada.ok(listUploadsRoute)).total).toBe(0);
  expect((await textsOf(ada)).A).toContain("![](file:x.png) ![](bad.png)");
});

test("what a plan has no room for is named each time, the rest is imported, and nothing is written twice", async () => {
  const ada = await person();
  const full = withLimits(ada, { bytes: 20_000 });
  const big = new Uint8Array(30_000).fill(7);
  const vault = zipOf({ "n/A.md": "![](x.png) ![](big.png)", "n/x.png": png("x"), "n/big.png": big });
  for (const written of [1, 0]) {
    expect(await imported(full, vault)).toMatchObject({
      ...{ written, refused: [expect.stringMatching(/^n\/big\.png: Your storage/)] },
    });
    expect((await textsOf(ada)).A).toBe("![](file:x.png) ![](big.png)");
  }
  expect((await imported(ada, vault)).written).toBe(1);
  expect((await textsOf(ada)).A).toBe("![](file:x.png) ![](file:big.png)");
});

test("a file that a Markdown link names is found in any folder if only one has the name, also with an anchor", async () => {
  const ada = await person();
  const vault = {
    "deep/A.md": "![](plan%20b.png#left) ![](twice.png) ![](none.png#x)",
    "others/B.md": "![](near.png) ![[near.png]]",
    "others/pictures/near.png": png("near"),
    "near.png": png("far"),
    "pictures/plan b.png": png("plan"),
    "pictures/twice.png": png("one"),
    "others/twice.png": png("two"),
    "Bundle.textbundle/text.md": "![](assets/in.png)",
    "Bundle.textbundle/assets/in.png": png("in"),
  };
  expect((await imported(ada, zipOf(vault))).notes).toEqual([
    "twice.png is missing, so links to it won't work",
    "none.png#x is missing, so links to it won't work",
  ]);
  expect(await textsOf(ada)).toEqual({
    A: "![](file:plan b.png) ![](twice.png) ![](none.png#x)",
    B: "![](file:near.png) ![near.png](file:near.png)",
    Bundle: "![](file:in.png)",
  });
  const { items } = await ada.ok(listFoldersRoute);
  expect(items.map(({ name }) => name).sort()).toEqual(["deep", "others", "vault"]);
  expect((await ada.ok(files.listFilesRoute)).items.map(({ bytes }) => bytes)).not.toContain(
    png("far").length,
  );
});

test("a link that begins at the root is found in the vault, also when its folder was packed or chosen", async () => {
  const notes = {
    "sub/A.md": "![](/img/x.png) [b](</img/y z.pdf>) ![](/../x.png)",
    "img/y z.pdf": "%PDF-1.4",
  };
  const vault = { ...notes, "img/x.png": png("x"), "sub/img/x.png": png("not this one") };
  const packed = Object.fromEntries(
    Object.entries(vault).map(([path, bytes]) => [`My vault/${path}`, bytes]),
  );
  for (const all of [vault, packed]) {
    const ada = await person();
    expect((await imported(ada, zipOf(all))).notes).toHaveLength(1);
    expect((await textsOf(ada)).A).toBe("![](file:x.png) [b](file:y z.pdf) ![](/../x.png)");
    const { items } = await ada.ok(files.listFilesRoute);
    expect(items.map(({ bytes }) => bytes).sort()).toEqual([8, png("x").length]);
  }
});
