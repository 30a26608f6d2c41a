import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { DocumentListQuery } from "../../../src/contract/document.ts";
import { SearchQuery } from "../../../src/contract/search.ts";
import { analyse } from "../../../src/engine/analyse.ts";
import { ownerPrefix } from "../../../src/engine/forms.ts";
import { listDocuments } from "../../../src/features/documents/list-store.ts";
import { search } from "../../../src/features/search/store.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, meteredCtx, numberOf } from "../../kit/ctx.ts";
import { find, remember, write } from "../../kit/search.ts";

// How many rows a search reads, which is what D1 bills, in an account with many texts in which every word is frequent.

const RECORDS = 1500;
const WORDS = 160;
const LETTERS = "bcdfghjklmnpqrstvwxz";
const wordOf = (number: number) =>
  `${LETTERS[number % LETTERS.length]}${LETTERS[Math.floor(number / LETTERS.length) % LETTERS.length]}`;
const characterOf = (number: number) => String.fromCodePoint(0x4e00 + number);
const all = (of: (number: number) => string) => Array.from({ length: WORDS }, (_, number) => of(number));

const NUMBERS = `WITH n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < ${RECORDS})`;
const fillEntries = (owner: number, length: number, version: number) =>
  env.DB.prepare(`${NUMBERS} INSERT INTO search_entries (owner, kind, record, length, tokens, index_version)
    SELECT ?, 'document', 'record ' || number, ?, ?, ? FROM n`).bind(owner, length, 3 * length, version);

/** Row numbers 1 to RECORDS as an index has them: each word, its beginning and each character is in two of five. */
async function fillIndex(owner: number): Promise<void> {
  const tokens = (of: (number: number) => string) =>
    JSON.stringify(all((number) => ownerPrefix(owner) + of(number)));
  const text = `(SELECT group_concat(value, ' ') FROM json_each(?) WHERE (key * 7 + number * 3) % 5 < 2)`;
  await env.DB.batch([
    fillEntries(owner, 64, 3),
    env.DB.prepare(`${NUMBERS}, own AS (SELECT entry, row_number() OVER () number FROM search_entries WHERE owner = ?)
      INSERT INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, '', '', ${text}, ${text} || ' ' || ${text} FROM own`).bind(
      owner,
      tokens(wordOf),
      tokens((number) => `+${wordOf(number)}`),
      tokens((number) => `.${characterOf(number)}`),
    ),
  ]);
}

/** The answer of a store function, and the calls and rows that it takes. */
async function costOf<Result>(ada: Client, call: (ctx: Ctx) => Promise<Result>) {
  const { ctx, meter } = meteredCtx(await ctxOf(ada));
  const answer = await call(ctx);
  return { ...answer, calls: meter.batches, rows: meter.rowsRead };
}

const costOfSearch = (ada: Client, q: string, type = "documents") =>
  costOf(ada, (ctx) => search(ctx, SearchQuery.parse({ q: q.slice(0, 500).trim(), type })));

// 50,000 pairs of a word and a record, of at most five rows; 32 units that are counted by matching them.
const MOST = 5 * 50_000 + 32 * RECORDS + 20_000;

const HOSTILE = {
  "frequent words": all(wordOf).join(" "),
  beginnings: all((number) => `${wordOf(number)}*`).join(" "),
  phrases: all((number) => `"${wordOf(number)} ${wordOf(number + 1)}"`).join(" "),
  "title words": all((number) => `title:${wordOf(number)}`).join(" "),
  "words of one title": `title:${all(wordOf).join(".")}`,
  compounds: all((number) => `${wordOf(number)}${number % 2 ? " " : "-"}`).join(""),
  alternatives: all(wordOf).join(" OR "),
  "pairs of alternatives": all((number) => `${wordOf(number)}${number % 2 ? "" : " OR"}`).join(" "),
  exclusions: `bb ${all((number) => `-${wordOf(number)}`).join(" ")}`,
  characters: all(characterOf).join(""),
  "characters apart": all(characterOf).join(" "),
};

test("a search reads five rows for a word in a record, and a bounded number for any query of 500 characters", async () => {
  const ada = await person();
  await fillIndex(await numberOf(ada));
  const found = (RECORDS * 2) / 5;
  expect((await costOfSearch(ada, wordOf(0))).rows).toBeLessThanOrEqual(5 * found + 300);
  for (const [name, q] of Object.entries(HOSTILE))
    expect((await costOfSearch(ada, q)).rows, name).toBeLessThanOrEqual(MOST);
}, 60_000);

test("a search by a record's type reads six rows for each record of the type", async () => {
  const ada = await person();
  for (let n = 0; n < 200; n++)
    await remember(ada, `Choice ${n}`, { memory_type: n % 4 ? "context" : "decision" });
  expect((await costOfSearch(ada, "decisions", "memories")).rows).toBeLessThanOrEqual(6 * 50 + 300);
});

test("a search and a list by tag look at the records that have it, whatever else is there", async () => {
  const ada = await person();
  for (const title of ["one", "two"]) await write(ada, title, "", { tags: ["rare", title] });
  await remember(ada, "three", { tags: ["rare", "one"] });
  const owner = await numberOf(ada);
  await fillIndex(owner);
  expect((await find(ada, "tag:rare")).toSorted()).toEqual(["one", "two"]);
  expect(await find(ada, "tag:rare tag:one")).toEqual(["one"]);
  expect(await find(ada, "tag:rare tag:none")).toEqual([]);
  expect((await costOfSearch(ada, "tag:rare")).rows).toBeLessThan(100);
  expect((await costOfSearch(ada, "tag:rare tag:one", "all")).rows).toBeLessThan(100);
  await env.DB.prepare(`INSERT INTO documents (id, owner, title, tags, source_type, version, created_at, updated_at)
    SELECT record, owner, record, '[]', 'api', 1, '2026-01-01', '2026-01-01' FROM search_entries
    WHERE owner = ? AND record LIKE 'record %'`)
    .bind(owner)
    .run();
  const list = await costOf(ada, (ctx) => listDocuments(ctx, DocumentListQuery.parse({ tag: "rare" })));
  expect(list.total).toBe(2);
  // The page goes through the list's index; the total does not.
  expect(list.rows).toBeLessThan(RECORDS + 100);
});

test("a search for what links to a document looks at the links to it, whatever else is linked", async () => {
  const ada = await person();
  const { id } = await write(ada, "Ada");
  for (const title of ["one", "two"]) await write(ada, title, `[[Ada]] [[Gone]] [[Work/${title}]]`);
  const owner = await numberOf(ada);
  await fillIndex(owner);
  await env.DB.batch([
    env.DB.prepare(`INSERT INTO documents (id, owner, title, tags, source_type, version, created_at, updated_at)
      SELECT record, owner, record, '[]', 'api', 1, '2026-01-01', '2026-01-01' FROM search_entries
      WHERE owner = ? AND record LIKE 'record %'`).bind(owner),
    env.DB.prepare(`INSERT INTO document_links (owner, from_id, target_key, name_key, file_key, target, to_id, place, context)
      SELECT owner, record, 'x' || n.value, 'x' || n.value, 0, 'X' || n.value, 'record 1', n.value, ''
      FROM search_entries CROSS JOIN json_each('[1,2,3,4,5,6,7,8,9,10]') n WHERE owner = ? AND record LIKE 'record %'`).bind(
      owner,
    ),
  ]);
  for (const q of ["links:ada", `links:doc:${id}`, "links:gone", "links:ada links:gone"]) {
    expect((await find(ada, q)).toSorted(), q).toEqual(["one", "two"]);
    expect((await costOfSearch(ada, q, "all")).rows, q).toBeLessThan(100);
  }
  expect(await find(ada, "links:ada links:work/two")).toEqual(["two"]);
  expect(await find(ada, "links:ada links:nothing")).toEqual([]);
});

test("a search with a typing error takes two calls, and ranks only what was meant", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const [plain, rare] = ["frequent ordinary", "rarely frequent ordinary"].map((body) =>
    analyse(owner, { title: "", tags: [], body }),
  );
  await env.DB.batch([
    fillEntries(owner, 2, 4),
    env.DB.prepare(`INSERT INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, '', '', iif(entry % 100, ?, ?), iif(entry % 100, ?, ?) FROM search_entries WHERE owner = ?`).bind(
      ...[plain?.body, rare?.body, plain?.extra, rare?.extra],
      owner,
    ),
  ]);
  const right = await costOfSearch(ada, "frequent ordinary rarely");
  expect(right).toMatchObject({ total: RECORDS / 100, calls: 1 });
  const slipped = await costOfSearch(ada, "frequent ordinary rarley");
  expect(slipped).toMatchObject({ total: right.total, corrected: { rarley: "rarely" }, calls: 2 });
  expect(slipped.rows).toBeLessThan(right.rows + 600);
  expect((await costOfSearch(ada, "frequent ordinary")).rows).toBeGreaterThan(2 * RECORDS);
  // A word that is like none costs a call as well, and the search as it was typed.
  expect(await costOfSearch(ada, "rarely qqqqqq")).toMatchObject({ total: right.total, calls: 2 });
});

test("a word with one typing error is not compared with all that begin like it", async () => {
  const ada = await person();
  const many = Array.from({ length: 1500 }, (_, number) => `frequ${number}`).join(" ");
  await write(ada, "one", `frequently ${many}`);
  const slipped = await costOfSearch(ada, "frequetnly");
  expect(slipped.total).toBe(1);
  expect(slipped.rows).toBeLessThan(1200);
  // With two they are read, because nothing else tells which word was meant.
  expect((await costOfSearch(ada, "freuqetnly")).rows).toBeGreaterThan(1500);
});
