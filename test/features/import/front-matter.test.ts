import { unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import * as search from "../../../src/features/search/routes.ts";
import { openZip } from "../../../src/shared/import/zip.ts";
import { type Client, person } from "../../kit/client.ts";
import { read, update } from "../../kit/documents.ts";
import { importFound, markdownZip } from "../../kit/markdown-zip.ts";

// A note with front matter of its own, from the file into an account, and out again.

const NOTE =
  "---\ntitle: Meeting: the plan # 1\nversion: 1.10\nby: {{me}}\ntags: #work #plans\nwhat is this\n---\n# Plan\n";

const imported = async (client: Client, bytes: Uint8Array) =>
  importFound(client, await openZip(new File([bytes as Uint8Array<ArrayBuffer>], "zip.zip"), () => {}));

const notesOf = async (client: Client) => {
  const { items } = await client.ok(documents.listDocumentsRoute, { query: {} });
  return Promise.all(
    items.map(async ({ id }) => {
      const { title, tags, content } = await read(client, { id });
      const { imported: _, ...own } = content ?? {};
      return { title, tags, content: own };
    }),
  );
};

const textsIn = ({ bytes }: { bytes: Uint8Array }) =>
  Object.values(unzipSync(bytes)).map((file) => new TextDecoder().decode(file));

test("front matter is read, found, and goes out as it came in", async () => {
  const [ada, bob] = [await person(), await person()];
  const zip = zipSync({ "Note.md": new TextEncoder().encode(NOTE) });
  expect(await imported(ada, zip)).toMatchObject({
    written: 1,
    notes: [
      "its front matter is not valid YAML, so these values were read as text: title",
      "parts of its front matter were not understood and were left in the text: line 6 (what is this)",
    ],
  });
  const notes = await notesOf(ada);
  expect(notes).toEqual([
    {
      ...{ title: "Meeting: the plan # 1", tags: ["work", "plans"] },
      content: {
        ...{ format: "markdown", text: "---\nwhat is this\n---\n# Plan\n" },
        front_matter: { version: "1.10", by: "{{me}}" },
        front_matter_source: NOTE.slice(0, NOTE.indexOf("# Plan")),
      },
    },
  ]);
  expect((await imported(ada, zip)).written).toBe(0);
  const found = await ada.ok(search.searchRoute, { query: { q: "1.10" } });
  expect(found.results).toHaveLength(1);
  const out = await markdownZip(ada);
  const [text = ""] = textsIn(out);
  expect(text.replace(/^commonplace:\n(?: .*\n)*/m, "")).toBe(NOTE);
  await imported(bob, out.bytes);
  expect(await notesOf(bob)).toEqual(notes);
});

test("what has changed since goes out, with everything else as it was written", async () => {
  const ada = await person();
  await imported(ada, zipSync({ "Note.md": new TextEncoder().encode(NOTE) }));
  const { items } = await ada.ok(documents.listDocumentsRoute, { query: {} });
  const [{ id = "" } = {}] = items;
  const { content } = await read(ada, { id });
  const front_matter = { version: "1.10", by: "Ada" };
  await update(ada, { id }, { content: { ...content, front_matter } });
  const [text = ""] = textsIn(await markdownZip(ada));
  expect(text.replace(/^commonplace:\n(?: .*\n)*/m, "")).toBe(NOTE.replace("{{me}}", "Ada"));
});
