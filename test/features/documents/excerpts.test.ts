import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_EXCERPT } from "../../../src/contract/document.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { documentExcerpt } from "../../../src/shared/markdown/excerpt.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { create, prose, read, update } from "../../kit/documents.ts";
import { cron } from "../../kit/hooks.ts";
import { ADA, move } from "../../kit/shard-migration.ts";
import { openHomes, personIn } from "../../kit/shards.ts";

// The first words of documents, which lists show.

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
  [
    "Obsidian's links, marks, comments and callouts",
    "> [!tip]- So\n> ask [[People/Ada|her]]\n\n==Now== %%or later%%\n\n%%\nnot this\n%%\n![[Plan]]",
    "So · ask her · Now · Plan",
  ],
  [
    "ids of blocks and widths of pictures",
    "For Rome ^plan-1\n\n- 2^10 ^i\n\n^list\n\n![[Map.png|300]] ![a|200](https://example.com/a.png) Or",
    "For Rome · 2^10 · Or",
  ],
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
    ...["# ", "\n", "- [ ] ", "> ", "`", "```\n", "**", "_", "<b>", "]("],
    ...["![", "|", "---\n", "a", "word ", "😀", "\\", "&lt;"],
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

/** Compares the documents of a list with the rule. */
async function check(client: Client): Promise<void> {
  const { items } = await client.ok(documents.listDocumentsRoute);
  for (const item of items) {
    const { title, content = null } = await read(client, item);
    expect(item.excerpt).toBe(documentExcerpt({ title, content }));
  }
}

/** Makes an account's documents as an earlier version of the service wrote them. */
const forget = (database: D1Database, owner: number) =>
  database.batch([
    database.prepare("UPDATE documents SET excerpt = NULL WHERE owner = ?").bind(owner),
    database.prepare("UPDATE users SET excerpts_after = '' WHERE number = ?").bind(owner),
  ]);

const plan = (client: Client, n: number) =>
  create(client, { title: `Plan ${n}`, content: prose(`*Words* ${n}`) });

test("documents of an earlier version have none until the cron handler has read them, and no other field changes", async () => {
  const [ada, grace] = [await person(), await person()];
  for (let n = 0; n < 3; n++) await plan(ada, n);
  await plan(grace, 9);
  const before = await ada.ok(documents.listDocumentsRoute);
  for (const client of [ada, grace]) await forget(env.DB, await numberOf(client));
  const unread = await ada.ok(documents.listDocumentsRoute);
  for (const item of unread.items) expect(item).not.toHaveProperty("excerpt");
  await update(ada, unread.items[0] as { id: string }, { title: "Other" });
  await cron();
  for (const client of [ada, grace]) await check(client);
  const after = await ada.ok(documents.listDocumentsRoute, { query: { sort: "created_at" } });
  expect(after.items.slice(0, 2).map(({ excerpt }) => excerpt)).toEqual(["Words 2", "Words 1"]);
  expect(after.items.at(-1)).toEqual(before.items.at(-1));
  const left = "SELECT count(*) AS n FROM users WHERE excerpts_after IS NOT NULL";
  expect(await env.DB.prepare(left).first("n")).toBe(0);
});

test("what was not read in one shard is read in the next", async () => {
  await openHomes();
  await person({ email: "admin@example.com" });
  const ada = await personIn(1, ADA);
  await plan(ada, 1);
  await forget(env.DB, await numberOf(ada));
  await move(ADA, 2);
  await cron();
  await check(ada);
});
