import { describe, expect, test } from "vitest";
import { FolderTree } from "../../../src/shared/import/folders.ts";
import { createImportMark } from "../../../src/shared/import/imported.ts";
import { type ImportItem, shortDigest, textContent } from "../../../src/shared/import/item.ts";
import { planImport } from "../../../src/shared/import/plan.ts";
import { readTextFile } from "../../../src/shared/import/text-file.ts";

// A note that was changed in the account since an earlier release imported its file stays, unless the file was changed as
// well. What that release read, and so what its mark says, is written out here.

const TAG = "Müller";
const SOURCE = "/disk";

const fileOf = (text: string, path: string): ImportItem =>
  readTextFile({ source: SOURCE, path, bytes: new TextEncoder().encode(text) }, [TAG]) as ImportItem;

/** What the release read, and what the file was called. */
type Earlier = { title: string; tags: string[]; content: object; path: string };

/** What an import of a file does in an account that has the note. */
function stepsOf(item: ImportItem, { title, tags, content, path }: Earlier) {
  const { written: _, ...mark } = createImportMark(item, 1);
  Object.assign(mark, { origin: shortDigest(path), name: shortDigest(path) });
  Object.assign(mark, {
    content: shortDigest(JSON.stringify(content)),
    rest: shortDigest(JSON.stringify([title, tags])),
  });
  const edited = { id: "1", version: 2, title: "Changed", tags, folder_id: null, mark };
  const account = { imported: [edited], tree: new FolderTree([]) };
  const settings = { target: { folders: [], tags: [TAG] }, source: SOURCE, mirror: false };
  const { steps, trash } = planImport([item], account, settings);
  return [...steps.map(({ kind }) => kind), ...trash.map(() => "trash")];
}

describe("a note of a Mac", () => {
  const path = "Für Zoë.md";

  test.each([
    ["the title, which is its name", "NFD", "NFC"],
    ["the tags", "NFC", "NFD"],
    ["both", "NFD", "NFD"],
    ["neither", "NFC", "NFC"],
  ] as const)("of which the release stored in NFD %s", (_, ofTitle, ofTags) => {
    for (const form of ["NFC", "NFD"] as const)
      for (const text of ["one", "two"]) {
        const earlier = {
          ...{ title: "Für Zoë".normalize(ofTitle), tags: [TAG.normalize(ofTags)] },
          ...{ content: textContent("one"), path: path.normalize("NFD") },
        };
        const steps = stepsOf(fileOf(text, path.normalize(form)), earlier);
        expect([form, text, steps]).toEqual([form, text, [text === "one" ? "skip" : "update"]]);
      }
  });
});

type Read = { title?: string; tags?: string[]; text?: string; front_matter?: object };

describe("front matter", () => {
  test.each<[string, string, string, Read]>([
    [
      "numbers",
      "id: 007\nprice: 1.10\nlong: 12345678901234567890\n",
      "id: 008\nprice: 1.10\nlong: 12345678901234567890\n",
      { front_matter: { id: 7, price: 1.1, long: 12345678901234567000 } },
    ],
    ["a tag", "tag: a\nid: 7\n", "tag: b\nid: 7\n", { front_matter: { tag: "a", id: 7 } }],
    [
      "tags with spaces, and others",
      "tags: a b\nTags: [c]\n",
      "tags: a b\nTags: [d]\n",
      { tags: [TAG, "a b"], front_matter: { Tags: ["c"] } },
    ],
    ["a title", "Title: One\n", "Title: Two\n", { front_matter: { Title: "One" } }],
    ["a placeholder", "title: {{title}}\n", "title: {{date}} {{title}}\n", { title: "[object Object]" }],
    ["another end", "a: 1\n...\n", "a: 2\n...\n", { front_matter: { a: 1 } }],
    [
      "a line that is not YAML",
      "title: Meeting: the plan\na: 1\n",
      "title: Meeting: the plan\na: 2\n",
      { text: "---\ntitle: Meeting: the plan\na: 1\n---\n# Heading\n" },
    ],
    [
      "nothing that is read in another way",
      "title: One\na: b\n",
      "title: One\na: c\n",
      {
        ...{ title: "One", front_matter: { a: "b" } },
      },
    ],
  ])("that has %s", (_, front, changed, read) => {
    const path = "Note.md";
    const { title = "Heading", tags = [TAG], text = "# Heading\n", front_matter } = read;
    const content = { ...textContent(text), ...(front_matter && { front_matter }) };
    const stepsFor = (lines: string, body = "# Heading\n") =>
      stepsOf(fileOf(`---\n${lines}---\n${body}`, path), { title, tags, content, path });
    expect(stepsFor(front)).toEqual(["skip"]);
    expect(stepsFor(changed)).toEqual(["update"]);
    expect(stepsFor(front, "# Another\n")).toEqual(["update"]);
  });
});
