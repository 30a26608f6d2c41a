import fc from "fast-check";
import { expect, test } from "vitest";
import { buildHighlightQuery } from "../../src/engine/highlight.ts";
import { makeSnippet } from "../../src/engine/snippet.ts";
import { parseQuery } from "../../src/shared/query/query.ts";
import {
  type Filter,
  filtersInQuery,
  formatFilter,
  withFilter,
  withLiteralWord,
  withOnlyFilter,
  withoutFilter,
  withPrefixMatch,
} from "../../web/src/features/search/query-text.ts";
import { parseMarks } from "../../web/src/features/search/snippet.ts";

const word = fc.stringMatching(/^[a-zäé]{1,8}$/);
const name = fc.constantFrom("tag", "folder", "project", "type", "status", "source");
const filter: fc.Arbitrary<Filter> = fc
  .record({ name, value: fc.array(word, { minLength: 1, maxLength: 3 }) })
  .map(({ name, value }) => ({ name, value: value.join(" ") }) as Filter);
const text = fc
  .array(
    fc.oneof(
      word,
      word.map((one) => `"${one} x"`),
      word.map((one) => `-${one}`),
      fc.constant("OR"),
    ),
    { maxLength: 5 },
  )
  .map((pieces) => pieces.join(" "));

test("a filter that is written into a query is read from it, and goes without a trace", () => {
  fc.assert(
    fc.property(text, filter, (q, added) => {
      const filtered = withFilter(q, added);
      expect(filtersInQuery(filtered)).toContainEqual(added);
      expect(parseQuery(filtered).wanted).toEqual(parseQuery(q).wanted);
      expect(withoutFilter(filtered, added)).toBe(withoutFilter(q, added));
    }),
  );
});

test("a filter that can occur only once replaces the others", () => {
  fc.assert(
    fc.property(text, fc.array(filter, { maxLength: 4 }), filter, (q, others, added) => {
      const before = others.reduce(withFilter, q);
      const after = filtersInQuery(withOnlyFilter(before, added));
      expect(after.filter((one) => one.name === added.name)).toEqual([added]);
      const rest = (filters: readonly Filter[]) => filters.filter((one) => one.name !== added.name);
      expect(rest(after)).toEqual(rest(filtersInQuery(before)));
    }),
  );
});

test("a filter that is written twice is shown once, and removed everywhere", () => {
  fc.assert(
    fc.property(fc.array(filter, { maxLength: 4 }), (filters) => {
      const q = [...filters, ...filters].map(formatFilter).join(" ");
      expect(filtersInQuery(q).length).toBe(new Set(filters.map(formatFilter)).size);
      expect(filtersInQuery(q).reduce(withoutFilter, q)).toBe("");
    }),
  );
});

test("an unfinished word keeps everything else of its query, filters too", () => {
  fc.assert(
    fc.property(text, fc.array(filter, { maxLength: 2 }), (q, filters) => {
      const whole = filters.reduce(withFilter, q);
      const read = parseQuery(withPrefixMatch(whole));
      const asTyped = parseQuery(whole);
      expect(read.filters).toEqual(asTyped.filters);
      expect(read.unwanted).toEqual(asTyped.unwanted);
      expect(read.wanted.flat().filter(({ kind }) => kind !== "prefix")).toEqual(asTyped.wanted.flat());
    }),
  );
});

test.each([
  ["pack", "pack OR pack*"],
  ["grace sli tag:apollo", "grace sli OR sli* tag:apollo"],
  ["pack ", "pack "],
  ["p", "p"],
  ['"grace sli', '"grace sli'],
  ["tea OR", "tea OR"],
  ["title:pla", "title:pla"],
  ["-dra", "-dra"],
])("%s is searched for as %s", (typed, asked) => expect(withPrefixMatch(typed)).toBe(asked));

test("a word that is meant as it is written is put in quotation marks", () => {
  expect(withLiteralWord("Pakcing list tag:x", "pakcing")).toBe('"Pakcing" list tag:x');
});

test("whatever a text holds, its snippet is shown as that text, with only the matches marked", () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom(..."<mark>|</mark>|&lt;|&amp;lt;|<script>alert(1)</script>|pack| |\"|'".split("|")),
  );
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 8 }), (pieces) => {
      const source = pieces.join("");
      const parts = parseMarks(
        makeSnippet(source, buildHighlightQuery(parseQuery("pack"), new Map(), new Set()), "mark"),
      );
      expect(source.toWellFormed()).toContain(parts.map(({ text: part }) => part).join(""));
      for (const { text: part, isMatch } of parts) if (isMatch) expect(part.toLowerCase()).toContain("pack");
    }),
  );
});
