import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { MAX_DOCUMENT_BYTES } from "../../../src/features/documents/document-size.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { withLocalLimits } from "../../kit/d1-limits.ts";
import { exported, forgetEverything, sectionsOf, send } from "../../kit/files.ts";

// The export of whatever the service accepts can be imported, byte for byte.

/** The longest title and tags, of characters that take six bytes each in JSON. */
const TITLE = "\u0001".repeat(500);
const TAGS = Array.from({ length: 50 }, (_, n) => `${n}${"\u0007".repeat(60)}x`);

const create = (client: Client, json: Record<string, unknown>) =>
  client.ok(documents.createDocumentRoute, { json: { title: "Large", ...json } });

const prose = (text: string) => ({ format: "markdown", text });

const edit = (client: Client, id: string, json: Record<string, unknown>) =>
  client.call(documents.editDocumentRoute, { params: { document_id: id }, json });

/** Appends a text as often as it fits into the document, in requests of up to 900,000 bytes. */
async function fill(client: Client, id: string, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(text)).length - 2;
  for (;;) {
    const used = "octet_length(title) + octet_length(tags) + octet_length(content)";
    const stored = await env.DB.prepare(`SELECT ${used} AS n FROM documents`).first<number>("n");
    const room = MAX_DOCUMENT_BYTES - Number(stored) - "\\n".length;
    const times = Math.floor(Math.min(900_000, room) / bytes);
    if (times === 0) return;
    const { status } = await edit(client, id, { operation: "append", text: text.repeat(times) });
    expect(status).toBe(200);
  }
}

/** An array of arrays of arrays, as deep as a content may be. */
const deep = (levels: number): unknown => (levels === 0 ? "bottom" : [deep(levels - 1)]);

const TEXTS: [kind: string, text: string][] = [
  ["letters", "a word and another one. "],
  ["Chinese characters", "字林漢語"],
  ["emoji", "🦭👩‍👩‍👧"],
  ["quotation marks and backslashes", '"\\'],
  ["control characters", "\u0001\u001f"],
  ["line ends", "\n\r\n\u2028"],
];

/** Exports an account, imports the file into an empty one, and compares. */
async function comesBack(ada: Client): Promise<string> {
  const file = await exported(ada);
  await forgetEverything();
  const bob = await person();
  const { status, detail, result } = await send(bob, file);
  expect([status, detail]).toEqual([200, undefined]);
  expect(result.not_stored.total).toBe(0);
  expect(sectionsOf(await exported(bob))).toEqual(sectionsOf(file));
  return file;
}

describe("the export of the largest", () => {
  test.for(env.NIGHTLY ? TEXTS : TEXTS.slice(-3))(
    "document of %s is imported as it was",
    async ([, text]) => {
      const ada = await person();
      const { id } = await create(ada, { content: prose("Begin") });
      await fill(ada, id, text);
      const stored = await env.DB.prepare("SELECT octet_length(content) AS n FROM documents").first<number>(
        "n",
      );
      expect(stored).toBeGreaterThan(MAX_DOCUMENT_BYTES - 100);
      // A version as large as the document, and one that was restored.
      const params = { document_id: id };
      await ada.ok(documents.updateDocumentRoute, { params, json: { title: "Less" } });
      await ada.ok(documents.updateDocumentRoute, { params, json: { content: null } });
      await ada.ok(documents.restoreVersionRoute, { params: { ...params, version: "1" } });
      await comesBack(ada);
    },
  );

  test("title and tags, numbers, keys and depth is imported as it was", async () => {
    const ada = await person();
    await create(ada, { title: TITLE, tags: TAGS, content: prose('"'.repeat(450_000)) });
    const numbers = `[${Array.from({ length: 90_000 }, () => "1e20").join()},1e-7,-0,5e-324,0.1]`;
    const body = `{"title":"Numbers","content":{"n":${numbers}}}`;
    await ada.ok(documents.createDocumentRoute, { body });
    const keys = Object.fromEntries(
      Array.from({ length: 40_000 }, (_, n) => [`${n % 2 ? "ключ" : ""}${n}`, null]),
    );
    await create(ada, { content: { ...keys, __proto: { constructor: 1 }, "": { deep: deep(29) } } });
    const operations = TEXTS.map(([title, text]) => ({
      ...{ operation: "create", title },
      content: prose(text.repeat(1000)),
    }));
    expect(await ada.ok(documents.bulkDocumentsRoute, { json: { operations } })).toMatchObject({ failed: 0 });
    await comesBack(ada);
  });

  test("records with many states is imported as it was", async () => {
    const ada = await person();
    const longest = (n: number) => ({
      ...{
        memory_type: "commitment",
        topic: `${n}${"\u0001".repeat(490)}x`,
        content: `${n}${"\u0001".repeat(19_990)}`,
      },
      ...{ tags: TAGS, project: `p${"字".repeat(198)}x`, scope: "work", due_date: "2030-01-02" },
    });
    const { id } = await ada.ok(memories.createMemoryRoute, { json: longest(0) });
    const params = { memory_id: String(id) };
    for (let n = 1; n < 55; n++) await ada.ok(memories.updateMemoryRoute, { params, json: longest(n) });
    const note = "\u0001".repeat(2000);
    await ada.ok(memories.deferMemoryRoute, { params, json: { note, deferred_until: "2090-01-01" } });
    await ada.ok(memories.archiveMemoryRoute, { params, json: { note } });
    await ada.ok(memories.reopenMemoryRoute, { params });
    await ada.ok(memories.resolveMemoryRoute, { params, json: { resolution_note: note } });
    const file = await comesBack(ada);
    expect(file.length).toBeGreaterThan(50 * 120_000);
  });
});

describe("a file with a document that is larger than a document may be", () => {
  /** The file of an account with an older document of 4.4 MB, and a small one. */
  async function olderFile(): Promise<string> {
    const ada = await person();
    const { id } = await create(ada, { title: "Older", content: { n: [] } });
    await create(ada, { title: "Small" });
    await env.DB.prepare(
      "UPDATE documents SET content = '{\"n\":[' || replace(hex(zeroblob(100000)), '0', '100000000000000000000,') || '1]}' WHERE id = ?",
    )
      .bind(id)
      .run();
    const file = await withLocalLimits(() => exported(ada));
    expect(file.length).toBeGreaterThan(4_400_000);
    await forgetEverything();
    return file;
  }

  test("is imported whole where the database stores it", async () => {
    const file = await olderFile();
    await withLocalLimits(async () => {
      const bob = await person();
      const { result } = await send(bob, file);
      expect(result).toMatchObject({ documents: { created: 2 }, not_stored: { total: 0 } });
      expect(sectionsOf(await exported(bob))).toEqual(sectionsOf(file));
    });
  });

  test("is imported without it where the database does not, and the answer names it", async () => {
    const file = await olderFile();
    const bob = await person();
    const { status, result } = await send(bob, file);
    expect([status, result.status]).toEqual([200, "done"]);
    expect(result).toMatchObject({
      documents: { created: 1 },
      not_stored: {
        total: 1,
        items: [
          { type: "document", title: "Older", detail: expect.stringMatching(/would take 4,400,0\d\d bytes/) },
        ],
      },
    });
  });
});

describe("a line that is longer than a piece", () => {
  const fileOf = async (text: string) => {
    const ada = await person();
    await create(ada, { content: prose(text) });
    await create(ada, { title: "Small" });
    const file = new TextEncoder().encode(await exported(ada));
    await forgetEverything();
    return file;
  };

  test("can be sent in parts of any size, which need not end with a character", async () => {
    const file = await fileOf("🦭字a".repeat(120_000));
    for (const size of [100_001, 300_001, 700_001]) {
      const bob = await person();
      let path = "?mode=copy";
      for (let start = 0, status = 202; status === 202; ) {
        const end = Math.min(file.length, start + size);
        const range = { "Content-Range": `bytes ${start}-${end - 1}/${file.length}` };
        const answer = await send(bob, file.slice(start, end), path, range);
        ({ status } = answer);
        expect([200, 202]).toContain(status);
        expect(answer.result.received).toBeGreaterThan(start);
        start = answer.result.received;
        path = `/${answer.result.id}`;
      }
      expect((await bob.ok(documents.listDocumentsRoute)).total).toBe(2);
    }
    expect(await env.DB.prepare("SELECT count(*) AS n FROM import_pieces").first<number>("n")).toBe(0);
  });

  test("and never ends, or ends too late, is refused as a whole", async () => {
    const file = new TextDecoder().decode(await fileOf("x"));
    const [header = ""] = file.split("\n");
    const bob = await person();
    for (const text of [`${header}\n${"x".repeat(600_000)}`, `${header}\n${"[".repeat(9_000_000)}\n`]) {
      const { status, detail } = await send(bob, text);
      expect([status, detail]).toEqual([
        400,
        expect.stringMatching(/nothing was imported: (it ends within|a line is longer)/),
      ]);
    }
    expect(await env.DB.prepare("SELECT count(*) AS n FROM import_pieces").first<number>("n")).toBe(0);
  });

  test("and is nested as deeply as it is long is refused as a whole", async () => {
    const file = new TextDecoder().decode(await fileOf("x"));
    const [header = ""] = file.split("\n");
    const bob = await person();
    for (const line of ["[".repeat(8_000_000), `${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}`]) {
      const { status, detail } = await send(bob, `${header}\n${line}\n`);
      expect([status, detail]).toEqual([400, expect.stringContaining("line 2 is not valid")]);
    }
  });
});
