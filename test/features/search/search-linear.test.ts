import { expect, test } from "vitest";
import { analyse } from "../../../src/engine/analyse.ts";
import { camelCaseParts, findCompounds } from "../../../src/engine/forms.ts";
import { buildHighlightQuery } from "../../../src/engine/highlight.ts";
import { planQuery } from "../../../src/engine/plan-query.ts";
import { makeSnippet } from "../../../src/engine/snippet.ts";
import { findPhoneNumbers, transliterate } from "../../../src/engine/spellings.ts";
import { QUERY_FACTS } from "../../../src/features/indexed/facts.ts";
import { countParts, textOfPart } from "../../../src/features/search/split-text.ts";
import { searchableText } from "../../../src/shared/markdown/content-text.ts";
import { parseQuery } from "../../../src/shared/query/query.ts";
import { splitWords } from "../../../src/shared/text/words.ts";
import { slownessOf } from "../../kit/linear.ts";

// Reading a user's text takes time proportional to its length, whatever it contains.

/** What is repeated: each construct of the analysis and of the query language, and lookalikes. "" is words that all differ. */
const SHAPES = [
  ...["", "a", "1", "lorem ipsum ", "a ", "aB", "ABc", "a-", "a'", "a_b_", "1.2.", ".", " ", "\n"],
  // Dates, telephone numbers, signs of languages.
  ...["2026-05-03 ", "0170 ", "(0", "c++"],
  // Operators and filters, whole and cut off.
  ...['"', '"a b" ', '"a ', "-", "-a ", "a OR ", "a* ", "tag:x ", "tag:", "due:<2026-12-01 ", 'due:<"', ":"],
  // Combining marks, a soft hyphen, a joiner, a space after folding, a ligature, a fraction, full-width letters, half a pair.
  ...["\u0301", "e\u0301\u0302", "a\u00ad", "\u200d", "q\u037a", "ﷺ", "½", "ＡＢ", "\ud83d"],
  ...["👍🏽", "👩‍👩‍👧", "🇩🇪"],
  ...["Donaudampfschifffahrt ", "ёлка ", "والمدرسة ", "학생들이 "],
  ...["天地玄黄", "字", "ひらがなカタカナ", "ー", "ทดสอบ", "ก", "เ", "ทด สอบ ", "ខ្មែរ"],
  ...["字a", `字${"lorem ipsum ".repeat(50)}`],
];

const MOST_QUERY = 500;
const QUERY_MS = 50;
const TIMEOUT = { timeout: 120_000 };
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
  "finding words and compounds": (text) => findCompounds(text, splitWords(text)),
  "finding telephone numbers": (text) => findPhoneNumbers(text, splitWords(text)),
  "writing without umlauts": transliterate,
  "taking a name apart": camelCaseParts,
  analysis: (text) => analyse(1, { title: "", tags: [], body: text }),
  "making a snippet": (text) => makeSnippet(text, needles, "mark"),
  "reading a content": (text) => searchableText({ text, more: [text] }),
  "cutting a text": (text) => textOfPart(text, countParts(text)),
};

test.for(Object.keys(READERS))("%s takes linear time for any shape of text", TIMEOUT, async (name) => {
  for (const shape of SHAPES) {
    const slowness = await slownessOf((bytes) => {
      const text = textOf(shape, bytes);
      return () => READERS[name]?.(text);
    });
    expect(slowness, JSON.stringify(shape)).toBeUndefined();
  }
});

/** Milliseconds of the fastest run: the function's own time, regardless of other load. */
async function time(work: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < MOST_RUNS && fastest > QUERY_MS; run++) {
    // The runtime's clock does not advance while nothing is awaited.
    await scheduler.wait(0);
    const began = performance.now();
    work();
    await scheduler.wait(0);
    fastest = Math.min(fastest, performance.now() - began);
  }
  return fastest;
}

test("a query of 500 characters is parsed in negligible time", async () => {
  for (const shape of SHAPES) {
    const text = textOf(shape, 4 * MOST_QUERY).slice(0, MOST_QUERY);
    const ms = await time(() => {
      const query = parseQuery(text);
      const plan = planQuery(1, query, { vocabulary: QUERY_FACTS });
      return [plan, buildHighlightQuery(query, new Map(), plan.ignoredWords)];
    });
    expect(ms, JSON.stringify(shape)).toBeLessThanOrEqual(QUERY_MS);
  }
});
