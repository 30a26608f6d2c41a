import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_EXCERPT } from "../../../src/contract/document.ts";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { documentExcerpt } from "../../../src/shared/markdown/excerpt.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { cron } from "../../kit/hooks.ts";
import { fileOf, LINES, send } from "../../kit/import-lines.ts";
import { ADA, move } from "../../kit/shard-migration.ts";
import { openHomes, personIn } from "../../kit/shards.ts";

// The first words of documents, which lists show.

const prose = (text: string) => ({ format: "markdown", text });
const long = "word ".repeat(100);

test.for([
  ["plain words", "Pack the blue coat.\n\nAnd the tickets.", "Pack the blue coat. And the tickets."],
  ["no text", "", ""],
  ["only signs", "---\n\n***\n\n```\n```\n", ""],
  [
    "marks",
    "Some **bold**, _quiet_ and `code` with a [link](https://example.com).",
    "Some bold, quiet and code with a link.",
  ],
  ["lists and tasks", "- [ ] Call Ada\n- [x] Write\n1. One\n> said", "Call Ada · Write · One · said"],
  ["a heading", "# Packing\n\nFor Rome", "Packing · For Rome"],
  ["front matter", "---\ntags: [a]\n---\nFor Rome", "For Rome"],
  ["a heading that repeats the title", "# the PLAN #\n\nFor Rome", "For Rome"],
  ["an underlined one", "The plan\n===\n\nFor Rome", "For Rome"],
  ["only the first", "# The plan\n\n# The plan\n\nFor Rome", "The plan · For Rome"],
  ["a title in the text", "The plan\n\nFor Rome", "The plan · For Rome"],
  [
    "HTML",
    "<div align='center'><img src='x.png'></div>\n<!-- not\nthis -->Hello <b>you</b> &amp; me",
    "Hello you & me",
  ],
  ["an image", "![A badge](https://example.com/x.svg) Hello", "Hello"],
  ["a table", "| a | b |\n|---|:-:|\n| 1 | 2 |", "a b · 1 2"],
  ["code as it is", "```js\nconst a_b_c = **2**;\n```\nAfter", "const a_b_c = **2**; After"],
  ["a definition", "[a]: https://example.com\nAfter", "After"],
] as const)("%s", ([, text, words]) => {
  expect(documentExcerpt({ title: "The plan", content: prose(text) })).toBe(words);
});

test("it is cut between words, and never in the middle of a character", () => {
  const words = documentExcerpt({ title: "A", content: prose(long) });
  expect(words).toBe(`${"word ".repeat(21)}word…`);
  expect(words.length).toBeLessThanOrEqual(MAX_EXCERPT);
  const faces = documentExcerpt({ title: "A", content: prose("😀".repeat(200)) });
  expect(faces).toBe(`${"😀".repeat(28)}…`);
});

test("what is no Markdown is left as it is: plain text, and the texts of other objects", () => {
  expect(documentExcerpt({ title: "A", content: { format: "text", text: "# 1 *\n2" } })).toBe("# 1 * 2");
  expect(documentExcerpt({ title: "A", content: { ingredients: ["flour", { b: "salt" }], grams: 3 } })).toBe(
    "flour salt",
  );
  expect(documentExcerpt({ title: "A", content: null })).toBe("");
});

test("it has at most so many characters and no line breaks, whatever the text", () => {
  const pieces = fc.constantFrom(
    "# ",
    "\n",
    "- [ ] ",
    "> ",
    "`",
    "```\n",
    "**",
    "_",
    "<b>",
    "](",
    "![",
    "|",
    "---\n",
    "a",
    "word ",
    "😀",
    "\\",
    "&lt;",
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 200 }).map((some) => some.join("")),
  );
  fc.assert(
    fc.property(texts, fc.string({ minLength: 1 }), (text, title) => {
      const words = documentExcerpt({ title, content: prose(text) });
      expect(words.length).toBeLessThanOrEqual(MAX_EXCERPT);
      expect(words).not.toMatch(/[\r\n\t]/);
    }),
  );
});

const at = ({ id }: { id: string }) => ({ params: { document_id: id } });

/** Compares the documents of a list with the rule. */
async function check(client: Client, name: string): Promise<void> {
  const query = { limit: 100, content_key: "text" };
  const { items } = await client.ok(documents.listDocumentsRoute, { query });
  for (const { excerpt, title, id, content: listed } of items) {
    // A list has no long content.
    const content = listed ?? (await client.ok(documents.getDocumentRoute, at({ id }))).content ?? null;
    expect(excerpt, name).toBe(documentExcerpt({ title, content }));
  }
}

type Step = { action: number; text: string; pick: number };

const TEXTS = ["", "# Plan\n\nFor *Rome*", "- one\n- two", long, "Plan B\n===\nMore", "<p>x</p>"];
const steps = fc.array(fc.record({ action: fc.nat(7), text: fc.constantFrom(...TEXTS), pick: fc.nat(99) }), {
  minLength: 3,
  maxLength: 10,
});

/** One change of a document, in any of the ways there are. */
async function change(client: Client, { action, text, pick }: Step): Promise<void> {
  const { items } = await client.ok(documents.listDocumentsRoute, {});
  const document = items[pick % items.length];
  const title = pick % 2 ? "Plan" : "Plan B";
  if (!document || action === 0)
    return void (await client.ok(documents.createDocumentRoute, { json: { title, content: prose(text) } }));
  if (action === 1)
    await client.ok(documents.updateDocumentRoute, { ...at(document), json: { content: prose(text) } });
  if (action === 2) await client.ok(documents.updateDocumentRoute, { ...at(document), json: { title } });
  if (action === 3) {
    const json = { operation: "prepend", text: `${text} and` };
    await client.ok(documents.editDocumentRoute, { ...at(document), json });
  }
  if (action === 4) {
    const operations = [
      { operation: "update", id: document.id, title, content: prose(text) },
      { operation: "create", title, content: { text } },
    ];
    await client.ok(documents.bulkDocumentsRoute, { json: { operations } });
  }
  if (action === 5) {
    const version = String(1 + (pick % document.version));
    await client.ok(documents.restoreVersionRoute, { params: { document_id: document.id, version } });
  }
  if (action === 6) {
    await client.ok(documents.deleteDocumentRoute, at(document));
    await client.ok(documents.restoreDocumentRoute, at(document));
  }
  if (action === 7) {
    const json = { title: "Undone", content: prose("undone") };
    const { headers } = await client.call(documents.updateDocumentRoute, { ...at(document), json });
    // None if it was that already.
    const change_id = headers.get("Change-Id");
    if (change_id) await client.ok(undoActivityRoute, { json: { change_id } });
  }
}

test("whatever is done to a document, its list has its first words", async () => {
  const holds = async (some: Step[]) => {
    // One person would soon exceed the requests of a minute.
    const ada = await person();
    for (const step of some) await change(ada, step);
    await check(ada, JSON.stringify(some));
  };
  await fc.assert(fc.asyncProperty(steps, holds), { numRuns: 20 });
});

test("what is imported has them, also where it replaces what was there", async () => {
  const ada = await person();
  const line = { ...LINES.document, folder_id: null };
  const excerpts = async () =>
    (await ada.ok(documents.listDocumentsRoute, {})).items.map(({ excerpt }) => excerpt);
  expect((await send(ada, fileOf([line]))).status).toBeLessThan(300);
  expect(await excerpts()).toEqual(["walrus"]);
  const changed = { ...line, content: prose("# Plan\n\nAn *otter*") };
  expect((await send(ada, fileOf([changed]), "?mode=overwrite")).status).toBeLessThan(300);
  expect(await excerpts()).toEqual(["An otter"]);
});

/** Makes an account's documents as an earlier version of the service wrote them. */
const forget = (database: D1Database, owner: number) =>
  database.batch([
    database.prepare("UPDATE documents SET excerpt = NULL WHERE owner = ?").bind(owner),
    database.prepare("UPDATE users SET excerpts_after = '' WHERE number = ?").bind(owner),
  ]);

const create = (client: Client, n: number) =>
  client.ok(documents.createDocumentRoute, { json: { title: `Plan ${n}`, content: prose(`*Words* ${n}`) } });

test("documents of an earlier version have none until the cron handler has read them, and no other field changes", async () => {
  const ada = await person();
  const grace = await person();
  for (let n = 0; n < 3; n++) await create(ada, n);
  await create(grace, 9);
  const before = await ada.ok(documents.listDocumentsRoute, {});
  for (const client of [ada, grace]) await forget(env.DB, await numberOf(client));
  const unread = await ada.ok(documents.listDocumentsRoute, {});
  for (const item of unread.items) expect(item).not.toHaveProperty("excerpt");
  const [changed] = unread.items;
  await ada.ok(documents.updateDocumentRoute, { ...at(changed as { id: string }), json: { title: "Other" } });
  await cron();
  await check(ada, "read");
  await check(grace, "read");
  const after = await ada.ok(documents.listDocumentsRoute, { query: { sort: "created_at" } });
  expect(after.items.slice(0, 2).map(({ excerpt }) => excerpt)).toEqual(["Words 2", "Words 1"]);
  expect(after.items.at(-1)).toEqual(before.items.at(-1));
  const left = await env.DB.prepare("SELECT count(*) AS n FROM users WHERE excerpts_after IS NOT NULL").first(
    "n",
  );
  expect(left).toBe(0);
});

test("what was not read in one home is read in the next", async () => {
  await openHomes();
  await person({ email: "admin@example.com" });
  const ada = await personIn(1, ADA);
  await create(ada, 1);
  await forget(env.DB, await numberOf(ada));
  await move(ADA, 2);
  await cron();
  await check(ada, "moved");
});
