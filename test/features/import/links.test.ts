import { zipSync } from "fflate";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { openZip } from "../../../src/shared/import/zip.ts";
import { type Client, person } from "../../kit/client.ts";
import { at, update } from "../../kit/documents.ts";
import { importFound, markdownZip } from "../../kit/markdown-zip.ts";
import { bytesOf } from "../../kit/stored-files.ts";
import { isThorough } from "../../kit/time-limits.ts";

// Vaults whose notes link to each other.

type Texts = Record<string, string>;
const NOTES = isThorough ? 300 : 80;
const FOLDERS = ["Work/Alpha", "Work/Beta", "People", "Diary", ""];
const placeOf = (n: number) => [FOLDERS[n % FOLDERS.length], `Note ${n} é`].filter(Boolean).join("/");
const relative = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/** A vault of linked notes, by path, and where the links of each lead, in order: paths, or null for nothing. */
function makeVault(): { texts: Texts; expected: Record<string, (string | null)[]> } {
  const texts: Texts = {};
  const expected: Record<string, (string | null)[]> = {};
  for (let n = 0; n < NOTES; n++) {
    const to = [1, 7, 50].map((step) => placeOf((n * 3 + step) % NOTES));
    const up = "../".repeat(placeOf(n).split("/").length - 1);
    texts[placeOf(n)] = [
      `# Heading ${n}`,
      `A link to [[${to[0]}]], again [[${to[0]}#Heading|so]], and [another](${up}${relative(to[1] ?? "")}.md#heading).`,
      `![[${to[2]?.split("/").at(-1)}]] and [[Missing ${n % 5}]]; \`[[Code]]\``,
      n % 10 === 0 ? "The [[Index]], [[People/Index|theirs]], and [[The boss]]." : "",
    ].join("\n\n");
    const own = placeOf(n).startsWith("People/") ? "People/Index" : "Work/Index";
    const index = placeOf(n).startsWith("People/") ? [own, "People/Index"] : [null, "People/Index"];
    expected[placeOf(n)] = [...to, null, ...(n % 10 === 0 ? [...index, "People/Ada"] : [])];
  }
  texts["Work/Index"] = "[[Alpha/Note 0 é]]";
  texts["People/Index"] = "[x](Ada.md)";
  texts["People/Ada"] = "---\naliases: [The Boss, Countess]\n---\nText";
  expected["People/Index"] = ["People/Ada"];
  expected["Work/Index"] = ["Work/Alpha/Note 0 é"];
  return { texts, expected };
}

const zipOf = (texts: Texts, more: Texts = {}): Uint8Array<ArrayBuffer> =>
  zipSync({
    ...Object.fromEntries(Object.entries(texts).map(([path, text]) => [`${path}.md`, bytesOf(text)])),
    ...Object.fromEntries(Object.entries(more).map(([path, text]) => [path, bytesOf(text)])),
  }) as Uint8Array<ArrayBuffer>;

const OBSIDIAN = { ".obsidian/workspace": "x" };
const imported = async (client: Client, texts: Texts, more: Texts = {}) =>
  importFound(client, await openZip(new File([zipOf(texts, more)], "vault.zip"), () => {}));

async function idsOf(client: Client): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let offset = 0; ; offset += 100) {
    const { items } = await client.ok(documents.listDocumentsRoute, {
      query: { limit: 100, offset, sort: "created_at" },
    });
    for (const { id, title } of items) found.set(id, title);
    if (items.length < 100) return found;
  }
}

async function linksOf(client: Client) {
  const found = new Map<string, { target: string; to: string | null }[]>();
  const ids = await idsOf(client);
  for (const [id, title] of ids) {
    const { links } = await client.ok(documents.listDocumentLinksRoute, at({ id }));
    found.set(
      title,
      links.map(({ target, document }) => ({
        target,
        to:
          document &&
          [document.folder_path, document.title]
            .filter(Boolean)
            .join("/")
            .replace(/^vault\//, ""),
      })),
    );
  }
  return { found, ids };
}

test("a vault of linked notes: every link leads to its note, or says that there is none; renaming keeps them", async () => {
  const ada = await person();
  const { texts, expected } = makeVault();
  const result = await imported(ada, texts, OBSIDIAN);
  expect(result.refused).toEqual([]);
  const { found, ids } = await linksOf(ada);
  expect(ids.size).toBe(NOTES + 3);
  for (const [path, leads] of Object.entries(expected)) {
    if (path.endsWith("/Index")) continue;
    const links = found.get(path.split("/").at(-1) ?? "") ?? [];
    const shown = links.map(({ to }, place) => (leads[place] === null && to?.endsWith("Index") ? null : to));
    expect(shown, path).toEqual(leads);
  }
  const [id] = [...ids].find(([, title]) => title === "Note 4 é") ?? [""];
  const { backlink_count } = await ada.ok(documents.listDocumentLinksRoute, at({ id }));
  expect(backlink_count).toBeGreaterThan(0);
  await update(ada, { id }, { title: "Renamed" });
  expect(await ada.ok(documents.listDocumentLinksRoute, at({ id }))).toMatchObject({ backlink_count });
}, 120_000);

test("the export has the same texts, and its import the same links", async () => {
  const ada = await person();
  const { texts } = makeVault();
  await imported(ada, texts, OBSIDIAN);
  const { found } = await linksOf(ada);
  const { bytes } = await markdownZip(ada);
  const read = await openZip(new File([bytes as Uint8Array<ArrayBuffer>], "zip.zip"), () => {});
  const exported = new Map(
    read.found.flatMap((one) => ("content" in one ? [[one.title, one.content.text]] : [])),
  );
  for (const [path, text] of Object.entries(texts)) {
    const title = path.split("/").at(-1) ?? "";
    if (title !== "Index") expect(exported.get(title), path).toBe(text.replace(/^---[\s\S]*?---\n/, ""));
  }
  const bob = await person();
  await importFound(bob, read);
  expect((await linksOf(bob)).found).toEqual(found);
}, 120_000);

test("notes are found by the names of their files, though they have titles of their own, in any order", async () => {
  for (const first of ["a", "z"]) {
    const ada = await person();
    const result = await imported(ada, {
      [`${first}/start`]:
        "# Begin\n\n[setup](../guides/setup-guide.md) [readme](README.md) [[setup-guide]] [gone](gone.md)",
      [`${first}/README`]: "# Beside",
      "guides/setup-guide": `# Setting up\n\n[back](../${first}/start.md) [r](README.md)`,
      "guides/README": "# Documentation",
      "m/README": "# Else\n\n[[nowhere]]",
    });
    const { found } = await linksOf(ada);
    expect(found.get("Begin")).toEqual([
      { target: "guides/setup-guide", to: "guides/Setting up" },
      { target: "README", to: `${first}/Beside` },
      { target: "setup-guide", to: "guides/Setting up" },
      { target: "gone", to: null },
    ]);
    expect(found.get("Setting up")?.map(({ to }) => to)).toEqual([`${first}/Begin`, "guides/Documentation"]);
    expect(result.notes).toEqual([
      "2 links in this and 1 other file lead to notes that aren’t here: gone, nowhere. They work as soon as there is a " +
        "document of that name",
    ]);
  }
  const one = await imported(await person(), { start: "[[gone]]" });
  expect(one.notes).toEqual([
    "1 link leads to notes that aren’t here: gone. They work as soon as there is a document of that name",
  ]);
});
