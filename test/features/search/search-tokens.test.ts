import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyse } from "../../../src/engine/analyse.ts";
import { planQuery } from "../../../src/engine/plan-query.ts";
import { reindexRoute, suggestRoute } from "../../../src/features/search/routes.ts";
import { parseQuery } from "../../../src/shared/query/query.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { remember, search, write } from "../../kit/search.ts";

// All tenants share one index, and each token in it begins with its owner's number. If a token were split, its second
// half would begin with text chosen by its author.

const OWNER = 17;

/**
 * The characters at which the tokenizer of `search_index` (migrations/0003_search.sql) splits, and that no token may
 * contain.
 */
const SEPARATOR = /[\s\p{Cc}\p{Cf}\p{Cs}"'\\]/u;

/** The tokens of a generated text that do not belong to the owner. */
const foreign = (text: string) =>
  text
    .split(" ")
    .filter((token) => token !== "" && (!token.startsWith(`${OWNER}x`) || SEPARATOR.test(token)));

function foreignInIndex(text: string): string[] {
  const { title, tags, body, extra } = analyse(OWNER, { title: text, tags: [text], body: text });
  return [title, tags, body, extra].flatMap(foreign);
}

/** Whatever is outside the quotation marks of a generated expression. */
const GRAMMAR = /^(?:OR|NEAR|title|[\s(){}:*,1])*$/;

function foreignInExpression(expression: string): string[] {
  const inside: string[] = [];
  const rest = expression.replace(/"(?:[^"]|"")*"/g, (string) => {
    inside.push(...foreign(string.slice(1, -1)));
    return "";
  });
  return GRAMMAR.test(rest) ? inside : [...inside, rest];
}

function foreignInQuery(query: string): string[] {
  const { clauses, boosts, excluded } = planQuery(OWNER, parseQuery(query));
  return [
    ...clauses.flatMap(({ lookups }) => lookups.map(({ term }) => term)).flatMap(foreign),
    ...clauses
      .flatMap(({ expression, legacyExpression = "" }) => [expression, legacyExpression])
      .flatMap(foreignInExpression),
    ...boosts.flatMap(({ expression }) => foreignInExpression(expression)),
    ...foreignInExpression(excluded ?? ""),
  ];
}

const LAST_CODE_POINT = 0x10ffff;
const spellings = (character: string) => [character, `q${character}1xw`, `a-${character}1x_b`];
function queryOf(character: string): string {
  const q = `q${character}1xw`;
  return `${spellings(character).join(" ")} "${character} ${q}" ${q}* title:${q} -${q} a OR ${q}`;
}

/** Code points without their own mapping are combined in one query; without FUZZ_RUNS, so are most others. */
const isAlone = (code: number, character: string) =>
  (env.FUZZ_RUNS || code % 8 === 0) && !NO_CHARACTER.test(character) && !IDEOGRAPH.test(character);
const NO_CHARACTER = /[\p{Cn}\p{Co}]/u;
const IDEOGRAPH = /(?=\p{Lo})[\p{Unified_Ideograph}\p{sc=Hangul}\p{sc=Tangut}\p{sc=Yi}]/u;
const AT_ONCE = 40;

/** Every code point with FUZZ_RUNS; without, of those that stand for no character one in sixteen. */
const CODE_POINTS = Array.from({ length: LAST_CODE_POINT + 1 }, (_, code) => code).filter(
  (code) => env.FUZZ_RUNS || code % 16 === 0 || !NO_CHARACTER.test(String.fromCodePoint(code)),
);

describe("one token stays one token", () => {
  test("in the index, for every character of Unicode", () => {
    const broken: string[] = [];
    for (let first = 0; first < CODE_POINTS.length; first += 64) {
      const characters = CODE_POINTS.slice(first, first + 64).map((code) => String.fromCodePoint(code));
      const text = characters.flatMap(spellings).join("\n");
      if (foreignInIndex(text).length > 0) {
        broken.push(...characters.filter((one) => foreignInIndex(spellings(one).join("\n")).length > 0));
      }
    }
    expect(broken.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
  }, 120_000);

  test("in a query, for every character of Unicode", () => {
    const alone = CODE_POINTS.filter((code) => isAlone(code, String.fromCodePoint(code)));
    const isSingle = new Set(alone);
    const plain = CODE_POINTS.filter((code) => !isSingle.has(code)).map((code) => String.fromCodePoint(code));
    const queries = alone.map((code) => queryOf(String.fromCodePoint(code)));
    for (let at = 0; at < plain.length; at += AT_ONCE)
      queries.push(
        plain
          .slice(at, at + AT_ONCE)
          .flatMap((one) => [one, `q${one}1xw`])
          .join(" "),
      );
    expect(queries.filter((query) => foreignInQuery(query).length > 0)).toEqual([]);
  }, 120_000);

  test("for any text and any query", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.constantFrom(..."\u037aﷺ½⑴'\\\"-_.字กŀ‼", "1x", "\ud800"),
    );
    const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        expect(foreignInIndex(text)).toEqual([]);
        expect(foreignInQuery(text.slice(0, 500))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("no account writes into another account's index", () => {
  /** Characters that fold into a space, and some that fold into punctuation. */
  const SPLITTING = [..."\u037aﱞﱟﱠﱡﱢﱣﷺﷻﹰﹲﹴﹶﹸﹺﹼﹾ", ..."½⑴⒈ŀŉ‼㏂", "\u00a0", "\u2028", "'", "\\"];

  const note = (client: Client, text: string) => write(client, text, text, { tags: ["note"] });
  const totalOf = async (client: Client, q: string) => (await search(client, q, { type: "all" })).total;
  const suggested = async (client: Client, q: string) =>
    (await client.ok(suggestRoute, { query: { q } })).suggestions.map(({ text }) => text);

  test("with a document, a record or a tag", async () => {
    const [ada, bob] = [await person(), await person()];
    const victim = await numberOf(ada);
    await note(ada, "a wall");
    for (const character of SPLITTING) {
      const text = `q${character}${victim}xwalrus q${character}${victim}x~wall`;
      await note(bob, text);
      await remember(bob, text, { content: text });
    }
    expect(await suggested(ada, "walr")).toEqual([]);
    expect(await totalOf(ada, "walrus")).toBe(0);
    const { corrected, total } = await search(ada, "wallrus", { type: "all" });
    expect([corrected, total]).toEqual([undefined, 0]);
  });

  test("nor reads it with a query", async () => {
    const [ada, bob] = [await person(), await person()];
    const victim = await numberOf(ada);
    await note(ada, "walrus");
    await note(bob, "something else");
    for (const character of SPLITTING) {
      const q = `q${character}${victim}xwalrus`;
      for (const query of [q, `"${q}"`, `${q}*`, `title:${q}`, `a OR ${q}`])
        expect(await totalOf(bob, query)).toBe(0);
      expect(await suggested(bob, q)).toEqual([]);
    }
  });

  test("and what an older version wrote there is removed by reindexing", async () => {
    const [admin, bob] = [await person(), await person()];
    await note(bob, "mine");
    const [own, foreign] = [await numberOf(bob), await numberOf(admin)];
    await env.DB.batch([
      env.DB.prepare(`INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
        SELECT entry, '${own}xq ${foreign}xwalrus', '', '', '' FROM search_entries`),
      env.DB.prepare("UPDATE search_entries SET index_version = 1"),
    ]);
    expect(await suggested(admin, "walr")).toEqual(["walrus"]);
    expect(await admin.ok(reindexRoute, { json: {} })).toEqual({ indexed: 1, remaining: 0 });
    expect(await suggested(admin, "walr")).toEqual([]);
    expect(await totalOf(bob, "mine")).toBe(1);
  });
});
