import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyse } from "../../../src/engine/analyse.ts";
import { camelCaseParts, findCompounds } from "../../../src/engine/forms.ts";
import { buildHighlightQuery } from "../../../src/engine/highlight.ts";
import { planQuery } from "../../../src/engine/plan-query.ts";
import { makeSnippet } from "../../../src/engine/snippet.ts";
import { findPhoneNumbers, transliterate } from "../../../src/engine/spellings.ts";
import { QUERY_FACTS } from "../../../src/features/indexed/facts.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { countParts, textOfPart } from "../../../src/features/search/split-text.ts";
import { searchableText } from "../../../src/shared/markdown/content-text.ts";
import { parseQuery } from "../../../src/shared/query/query.ts";
import { splitWords } from "../../../src/shared/text/words.ts";
import { person } from "../../kit/client.ts";
import { slownessOf } from "../../kit/linear.ts";

// Reading a user's text takes time proportional to its length, whatever it contains.

/** Repetitions of each construct of the analysis and the query language, and of lookalikes. */
const SHAPES = {
  "one letter": "a",
  "one digit": "1",
  words: "lorem ipsum ",
  "short words": "a ",
  "all distinct": "",
  humps: "aB",
  capitals: "ABc",
  hyphens: "a-",
  apostrophes: "a'",
  underscores: "a_b_",
  versions: "1.2.",
  dates: "2026-05-03 ",
  "telephone numbers": "0170 ",
  "groups of digits": "(0",
  signs: "c++",
  points: ".",
  spaces: " ",
  newlines: "\n",
  quotes: '"',
  phrases: '"a b" ',
  "open phrases": '"a ',
  minus: "-",
  exclusions: "-a ",
  alternatives: "a OR ",
  stars: "a* ",
  filters: "tag:x ",
  "half filters": "tag:",
  due: "due:<2026-12-01 ",
  "half due": 'due:<"',
  colons: ":",
  marks: "\u0301",
  "marked letters": "e\u0301\u0302",
  "soft hyphens": "a\u00ad",
  joiners: "\u200d",
  "folds into a space": "q\u037a",
  ligatures: "ﷺ",
  fractions: "½",
  "full-width": "ＡＢ",
  emoji: "👍🏽",
  families: "👩‍👩‍👧",
  flags: "🇩🇪",
  "half pairs": "\ud83d",
  German: "Donaudampfschifffahrt ",
  Cyrillic: "ёлка ",
  Arabic: "والمدرسة ",
  Hangul: "학생들이 ",
  Han: "天地玄黄",
  "one Han": "字",
  kana: "ひらがなカタカナ",
  "long vowels": "ー",
  Thai: "ทดสอบ",
  "one Thai": "ก",
  "Thai vowels": "เ",
  "Thai with spaces": "ทด สอบ ",
  Khmer: "ខ្មែរ",
  "Han and Latin": "字a",
  "Han far apart": `字${"lorem ipsum ".repeat(50)}`,
};

const MOST_QUERY = 500;
const QUERY_MS = 50;
/** The fastest of a few runs shows the function's own time, regardless of other load. */
const MOST_RUNS = 20;

const encoder = new TextEncoder();

/** A shape repeated to about the given number of UTF-8 bytes, as in a request. */
function textOf(shape: string, bytes: number): string {
  if (shape !== "") return shape.repeat(Math.floor(bytes / encoder.encode(shape).length));
  let text = "";
  for (let word = 0; text.length < bytes; word++) text += `w${word.toString(36)} `;
  return text;
}

const needles = buildHighlightQuery(parseQuery('lorem "ipsum dolor" x* 字 ก ทดสอบ'), new Map(), new Set());

/** Every function of search that reads user input. */
const READERS: Record<string, (text: string) => unknown> = {
  "words and compounds": (text) => findCompounds(text, splitWords(text)),
  "telephone numbers": (text) => findPhoneNumbers(text, splitWords(text)),
  "a word without umlauts": transliterate,
  "the parts of a name": camelCaseParts,
  analysis: (text) => analyse(1, { title: "", tags: [], body: text }),
  "a snippet": (text) => makeSnippet(text, needles, "mark"),
  "the text of a content": (text) => searchableText({ text, more: [text] }),
  "parts of a text": (text) => textOfPart(text, countParts(text)),
};

describe.for(Object.entries(READERS))("%s", ([, read]) => {
  test("takes linear time for any shape of text", async () => {
    for (const [shape, piece] of Object.entries(SHAPES)) {
      const slowness = await slownessOf((bytes) => {
        const text = textOf(piece, bytes);
        return () => read(text);
      });
      expect(slowness, shape).toBeUndefined();
    }
  }, 120_000);
});

/** Milliseconds of the fastest run. The runtime's clock does not advance while nothing is awaited. */
async function time(work: () => unknown, enough: number): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < MOST_RUNS && fastest > enough; run++) {
    await scheduler.wait(0);
    const began = performance.now();
    work();
    await scheduler.wait(0);
    fastest = Math.min(fastest, performance.now() - began);
  }
  return fastest;
}

test("a query of 500 characters is parsed in negligible time", async () => {
  const slow: string[] = [];
  for (const [shape, piece] of Object.entries(SHAPES)) {
    const read = (text: string) => {
      const query = parseQuery(text.slice(0, MOST_QUERY));
      const plan = planQuery(1, query, { vocabulary: QUERY_FACTS });
      return [plan, buildHighlightQuery(query, new Map(), plan.ignoredWords)];
    };
    const text = textOf(piece, 4 * MOST_QUERY);
    const ms = await time(() => read(text), QUERY_MS);
    if (ms > QUERY_MS) slow.push(`${shape}: ${ms} ms`);
  }
  expect(slow).toEqual([]);
});

test("any query of 500 characters is answered", async () => {
  const ada = await person();
  const Pieces = fc.array(fc.constantFrom(...Object.values(SHAPES), "b ", "cd ", "ef "), { minLength: 1 });
  const property = fc.asyncProperty(Pieces, fc.boolean(), async (pieces, isRepeated) => {
    const text = isRepeated ? pieces.join("").repeat(MOST_QUERY) : pieces.join(" ");
    const q = text.slice(0, MOST_QUERY).trim() || "a";
    expect((await ada.call(searchRoute, { query: { q } })).status, q).toBeOneOf([200, 422]);
  });
  const examples: [string[], boolean][] = [
    [["2026-01-01"], true],
    [["ab cd "], true],
    [["a b c d e f g h i j k l m n o p q r s t u v w x y z ", "b d f h j l n p r t v x z "], true],
  ];
  await fc.assert(property, { numRuns: 100, examples });
}, 60_000);
