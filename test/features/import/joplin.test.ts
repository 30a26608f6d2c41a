import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { listFilesRoute } from "../../../src/features/files/routes.ts";
import { withNeededFiles } from "../../../src/shared/import/attachments.ts";
import { readJoplinExport } from "../../../src/shared/import/joplin/read.ts";
import { readTarEntries } from "../../../src/shared/import/tar.ts";
import { person } from "../../kit/client.ts";
import { importFound } from "../../kit/markdown-zip.ts";
import { png } from "../../kit/stored-files.ts";
import { tarOf } from "../../kit/tar.ts";

// Joplin's RAW export, which a JEX packs.

const id = (number: number) => number.toString(16).padStart(32, "0");
const said = (facts: Record<string, string | number>) =>
  Object.entries(facts)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
const item = (number: number, type: number, text: string, facts = {}) =>
  `${text}${text && "\n\n"}${said({ id: id(number), ...facts, type_: type })}`;

const [HOME, GARDEN, ROSES, PICTURE, TAG, GONE, SECRET, BEDS] = [1, 2, 3, 4, 5, 6, 7, 9];
const at = (minute: number) => `2024-03-01T10:0${minute}:00.000Z`;

const EXPORT = {
  [`${id(HOME)}.md`]: item(HOME, 2, "Home"),
  [`${id(GARDEN)}.md`]: item(GARDEN, 2, "Garden", { parent_id: id(HOME) }),
  [`${id(ROSES)}.md`]: item(
    ROSES,
    1,
    `Roses\n\nPrune in March: last line\n\n![the bed](:/${id(PICTURE)})\n\n<img src=":/${id(PICTURE)}" alt="again"/>\n\n![](:/${id(99)}) [see](:/${id(BEDS)}#wide) [Beds](:/${id(BEDS)})`,
    {
      ...{ parent_id: id(GARDEN), created_time: at(5), user_created_time: at(1), updated_time: at(6) },
      ...{ source_url: "https://example.com/roses", is_todo: 1, todo_due: 1709290800000, todo_completed: 0 },
    },
  ),
  [`${id(PICTURE)}.md`]: item(PICTURE, 4, "rose bed", { mime: "image/png", file_extension: "png" }),
  [`resources/${id(PICTURE)}.png`]: png("roses"),
  [`${id(TAG)}.md`]: item(TAG, 5, "outdoors"),
  [`${id(8)}.md`]: item(8, 6, "", { note_id: id(ROSES), tag_id: id(TAG) }),
  [`${id(BEDS)}.md`]: item(BEDS, 1, "Beds\n\nwide and narrow", { parent_id: id(HOME) }),
  [`${id(GONE)}.md`]: item(GONE, 1, "Gone\n\nold", { deleted_time: 1709290800000 }),
  [`${id(SECRET)}.md`]: item(SECRET, 1, "", { encryption_applied: 1 }),
};

async function opened(files: Record<string, string | Uint8Array>) {
  const entries = await readTarEntries(tarOf(files));
  const read = await readJoplinExport({ found: [], entries }, "", () => {});
  return { ...read, found: withNeededFiles(read.found, read.entries) };
}

test("an export of Joplin comes with its notebooks, tags, times and pictures, and says what does not come", async () => {
  const ada = await person();
  const read = await opened(EXPORT);
  const { found } = read;
  expect(found.filter((one) => !("content" in one))).toEqual([
    {
      where: `${id(SECRET)}.md`,
      path: `${id(SECRET)}.md`,
      why: "is encrypted: decrypt it in Joplin and export it again",
    },
    { where: "Gone", leftOut: "in Joplin's trash" },
  ]);
  const [note, ...others] = found.flatMap((one) => ("content" in one ? [one] : []));
  expect(others.map(({ where }) => where)).toEqual(["Home/Beds"]);
  expect(note).toMatchObject({
    ...{ title: "Roses", folders: ["Home", "Garden"], tags: ["outdoors"], where: "Home/Garden/Roses" },
    ...{ created_at: new Date(at(1)), updated_at: new Date(at(6)) },
    notes: [`:/${id(99)} is missing, so links to it won't work`],
  });
  expect((await importFound(ada, read)).written).toBe(2);
  const documentsIn = await ada.ok(documents.listDocumentsRoute);
  const { id: document_id = "" } = documentsIn.items.find(({ title }) => title === "Roses") ?? {};
  const { items } = await ada.ok(listFilesRoute, { query: { document_id } });
  expect(items.map(({ name }) => name)).toEqual(["rose bed.png"]);
  const { content } = await ada.ok(documents.getDocumentRoute, { params: { document_id } });
  const name = `file:${items[0]?.id}`;
  expect(content).toMatchObject({
    text: `Prune in March: last line\n\n![the bed](${name})\n\n![again](${name})\n\n![](:/${id(99)}) [[Beds|see]] [[Beds]]`,
    front_matter: {
      source_url: "https://example.com/roses",
      is_todo: true,
      todo_due: "2024-03-01T11:00:00.000Z",
    },
  });
});

test("notebooks in each other and notes without a notebook are imported as well", async () => {
  const { found } = await opened({
    [`${id(1)}.md`]: item(1, 2, "A", { parent_id: id(2) }),
    [`${id(2)}.md`]: item(2, 2, "B", { parent_id: id(1) }),
    [`${id(3)}.md`]: item(3, 1, "In a circle\n\ntext", { parent_id: id(1) }),
    [`${id(4)}.md`]: item(4, 1, "Alone\n\n", { parent_id: id(9) }),
    [`${id(5)}.md`]: "nothing of the kind",
  });
  expect(found.map((one) => ("content" in one ? one.where : "why" in one && one.why))).toEqual([
    "is not a Joplin item",
    "B/A/In a circle",
    "Alone",
  ]);
});

test("notes of others are not read as Joplin's", async () => {
  const mixed = { [`${id(1)}.md`]: item(1, 1, "A\n\ntext"), "Note.md": "# Note" };
  expect((await opened(mixed)).entries.size).toBe(2);
});
