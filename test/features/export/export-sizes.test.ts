import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { MAX_DOCUMENT_BYTES } from "../../../src/features/documents/document-size.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { withLocalLimits } from "../../kit/d1-limits.ts";
import { create, prose, update } from "../../kit/documents.ts";
import { exported, forgetEverything, sectionsOf, send } from "../../kit/files.ts";
import { at, make, step } from "../../kit/records.ts";

// The export of whatever the service accepts can be imported, byte for byte.

/** The longest title and tags, of characters that take six bytes each in JSON. */
const TITLE = "\u0001".repeat(500);
const TAGS = Array.from({ length: 50 }, (_, n) => `${n}${"\u0007".repeat(60)}x`);

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
    if (times < 1) return;
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
      const stored = env.DB.prepare("SELECT octet_length(content) AS n FROM documents");
      expect(await stored.first<number>("n")).toBeGreaterThan(MAX_DOCUMENT_BYTES - 100);
      // A version as large as the document, and one that was restored.
      await update(ada, { id }, { title: "Less" });
      await update(ada, { id }, { content: null });
      await ada.ok(documents.restoreVersionRoute, { params: { document_id: id, version: "1" } });
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
      Array.from({ length: 9_990 }, (_, n) => [`${n % 2 ? "ключ" : ""}${n}`, null]),
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
      ...{ topic: `${n}${"\u0001".repeat(490)}x`, content: `${n}${"\u0001".repeat(19_990)}` },
      ...{ tags: TAGS, project: `p${"字".repeat(198)}x`, scope: "work", due_date: "2030-01-02" },
    });
    const record = await make(ada, longest(0));
    for (let n = 1; n < 55; n++)
      await ada.ok(memories.updateMemoryRoute, { params: at(record), json: longest(n) });
    const note = "\u0001".repeat(2000);
    for (const [action, json] of [
      ["defer", { note, deferred_until: "2090-01-01" }],
      ["archive", { note }],
      ["reopen", undefined],
      ["resolve", { resolution_note: note }],
    ] as const)
      expect((await step(ada, record, action, json)).status).toBe(200);
    const file = await comesBack(ada);
    expect(file.length).toBeGreaterThan(50 * 120_000);
  });
});

test("a document that is larger than documents may be is imported where the database stores it, and named where not", async () => {
  const ada = await person();
  const { id } = await create(ada, { title: "Older", content: { n: [] } });
  await create(ada, { title: "Small" });
  // As an earlier release stored it: 4.4 MB.
  const content = `'{"n":[' || replace(hex(zeroblob(100000)), '0', '100000000000000000000,') || '1]}'`;
  await env.DB.prepare(`UPDATE documents SET content = ${content} WHERE id = ?`).bind(id).run();
  const file = await withLocalLimits(() => exported(ada));
  expect(file.length).toBeGreaterThan(4_400_000);
  await forgetEverything();
  const bob = await person();
  const { status, result } = await send(bob, file);
  expect([status, result]).toMatchObject([
    200,
    {
      ...{ status: "done", documents: { created: 1 } },
      not_stored: {
        total: 1,
        items: [
          { type: "document", title: "Older", detail: expect.stringMatching(/would take 4,400,0\d\d bytes/) },
        ],
      },
    },
  ]);
  await forgetEverything();
  await withLocalLimits(async () => {
    const eve = await person();
    const whole = { documents: { created: 2 }, not_stored: { total: 0 } };
    expect((await send(eve, file)).result).toMatchObject(whole);
    expect(sectionsOf(await exported(eve))).toEqual(sectionsOf(file));
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

  test("and never ends, ends too late, or is nested as deeply as it is long, is refused as a whole", async () => {
    const [header = ""] = new TextDecoder().decode(await fileOf("x")).split("\n");
    const bob = await person();
    const deepest = "[".repeat(4_000_000);
    for (const [text, why] of [
      ["x".repeat(600_000), /nothing was imported: it ends within/],
      [`${"[".repeat(9_000_000)}\n`, /nothing was imported: a line is longer/],
      [`${deepest}${deepest}\n`, /line 2 is not valid/],
      [`${deepest}${"]".repeat(4_000_000)}\n`, /line 2 is not valid/],
    ] as const) {
      const { status, detail } = await send(bob, `${header}\n${text}`);
      expect([status, detail]).toEqual([400, expect.stringMatching(why)]);
    }
    expect(await env.DB.prepare("SELECT count(*) AS n FROM import_pieces").first<number>("n")).toBe(0);
  });
});
