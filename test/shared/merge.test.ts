import fc from "fast-check";
import { expect, test } from "vitest";
import {
  editsBetween,
  isTextConflict,
  joinMergedParts,
  mergeTexts,
  type TextReplacement,
} from "../../src/shared/text/merge.ts";
import { runs } from "../kit/time-limits.ts";

/** What two changes become, or how many passages overlap. */
function merged(base: string, mine: string, theirs: string): string | number {
  const parts = mergeTexts(base, mine, theirs);
  return parts.filter(isTextConflict).length || joinMergedParts(parts, "mine");
}

test.each([
  ["different lines", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"],
  ["neighbouring lines", "one\ntwo", "one!\ntwo", "one\ntwo!", "one!\ntwo!"],
  ["different words of a line", "old hut by sea", "new hut by sea", "old hut by lake", "new hut by lake"],
  ["the same change", "a\nb", "a\nB", "a\nB", "a\nB"],
  ["lines that both put at the end", "a", "a\nmine", "a\ntheirs", "a\ntheirs\nmine"],
  [
    "a line that goes on, and lines behind it",
    "a\nlast",
    "a\nlast, and",
    "a\nlast\n\nb\n",
    "a\nlast, and\n\nb\n",
  ],
  ["a line that begins otherwise, and lines before it", "a\nb", "new\n\na\nb", "My a\nb", "new\n\nMy a\nb"],
  ["words that both put at the end of a line", "two", "two and eggs", "two, bread", "two, bread and eggs"],
  ["words that both put before a line", "milk", "cold milk", "fresh milk", "fresh cold milk"],
  ["words that both put between two", "buy milk", "buy cold milk", "buy new milk", "buy new cold milk"],
  ["words that both put without a space", "see (): all", "see (a): all", "see (b): all", "see (b a): all"],
  ["a word that one goes on with, and words behind it", "two eg", "two eggs", "two eg, ham", "two eggs, ham"],
  [
    "words at the end of a line, and more with a line behind it",
    "a b",
    "a b c",
    "a b d\nnew",
    "a b c d\nnew",
  ],
  ["a word that both go on with", "two eg", "two eggs", "two egret", 1],
  ["words and lines that both put at the same place", "a b", "a b c\nd", "a b e\nf", 1],
  ["a word that one replaces where the other adds", "two eggs", "two apples", "two eggs, ham", 1],
  ["what both write in an empty line", "a\n\nb", "a\nmine\nb", "a\ntheirs\nb", 1],
  ["a line deleted and another one changed", "a\nb\nc", "b\nc", "a\nb\nC", "b\nC"],
  ["everything deleted by one", "a\nb", "", "a\nb", ""],
  ["the same word", "the old house by the sea", "the new house by the sea", "the big house by the sea", 1],
  ["a line that is deleted and changed", "a\nb b b\nc", "a\nc", "a\nb x b\nc", 1],
  ["two first texts", "", "mine", "theirs", 1],
  [
    "a passage that one has written anew",
    "one two three four",
    "five six seven eight nine four",
    "one two three FOUR",
    1,
  ],
] as const)("%s", (...[, base, mine, theirs, result]) => {
  expect(merged(base, mine, theirs)).toBe(result);
});

test("a person sees both sides of what overlaps, and the rest is merged", () => {
  const parts = mergeTexts("a\n\nb\n\nc", "A\n\nmine\n\nc", "a\n\ntheirs\n\nC");
  expect(joinMergedParts(parts, "mine")).toBe("A\n\nmine\n\nC");
  expect(joinMergedParts(parts, "theirs")).toBe("A\n\ntheirs\n\nC");
  expect(joinMergedParts(parts, "both")).toContain("mine");
  expect(joinMergedParts(parts, "both")).toContain("theirs");
});

const Line = fc.constantFrom("", "one", "two words", "- item", "- item", "# Head", "three more words");
const Text = fc.array(Line, { maxLength: 12 }).map((lines) => lines.join("\n"));

test("what only one side has changed is as that side has it", () => {
  fc.assert(
    fc.property(Text, Text, (base, changed) => {
      expect(merged(base, changed, base)).toBe(changed);
      expect(merged(base, base, changed)).toBe(changed);
      expect(merged(base, changed, changed)).toBe(changed);
    }),
    { numRuns: runs(1000) },
  );
});

const Put = fc.tuple(Text, fc.nat({ max: 11 }));

const put = ([text, at]: [string, number], line: string) => {
  const lines = text.split("\n");
  lines.splice(Math.min(at, lines.length), 0, line);
  return lines.join("\n");
};

test("a line that either side has written is in the result, whatever the other side has done", () => {
  fc.assert(
    fc.property(Text, Put, Put, (base, mine, theirs) => {
      const parts = mergeTexts(base, put(mine, "MINE"), put(theirs, "THEIRS"));
      const both = joinMergedParts(parts, "both");
      expect(both.match(/MINE/g)).toHaveLength(1);
      expect(both.match(/THEIRS/g)).toHaveLength(1);
      expect(joinMergedParts(parts, "mine")).toContain("MINE");
      expect(joinMergedParts(parts, "theirs")).toContain("THEIRS");
    }),
    { numRuns: runs(2000) },
  );
});

const Word = fc.constantFrom("one", "two,", "(three)", "four.", "\n", "- ", "five");
const Words = fc.array(Word, { minLength: 1, maxLength: 10 });
/** Words of one side and where they are put, in places between those of the base. */
const Added = fc.array(fc.tuple(fc.nat({ max: 10 }), fc.nat({ max: 2 })), { minLength: 1, maxLength: 4 });

/** The base with numbered words of a side, each at a place of its own or beside others. */
const added = (base: string[], places: [number, number][], side: string) => {
  const words = base.map((word) => [word]);
  words.push([]);
  for (const [index, [at, count]] of places.entries())
    words[Math.min(at, base.length)]?.unshift(
      ...Array.from({ length: count + 1 }, (_, n) => `${side}${index}x${n}`),
    );
  return words.flat().join(" ");
};

test("no word that either side has added is lost, and each is there once", () => {
  fc.assert(
    fc.property(Words, Added, Added, (base, mine, theirs) => {
      const [one, other] = [added(base, mine, "M"), added(base, theirs, "T")];
      const parts = mergeTexts(base.join(" "), one, other);
      const wanted = (text: string) => text.match(/[MT]\d+x\d+/g) ?? [];
      const both = joinMergedParts(parts, "both");
      expect(wanted(both).sort()).toEqual([...wanted(one), ...wanted(other)].sort());
      if (!base.includes("\n")) expect(parts.filter(isTextConflict)).toEqual([]);
    }),
    { numRuns: runs(500) },
  );
});

test("a word that both have replaced is always a question", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 10 }), fc.nat(), Added, (length, at, mine) => {
      // Of two words that are alike, it is not known which was replaced.
      const base = Array.from({ length }, (_, index) => `word${index}`);
      const replaced = (word: string) => base.with(at % length, word);
      const one = added(replaced("MINE"), mine, "M");
      expect(merged(base.join(" "), one, replaced("THEIRS").join(" "))).toBe(1);
    }),
    { numRuns: runs(500) },
  );
});

test("two texts that have nothing to do with each other overlap as a whole, in bounded time, and are edited at once", () => {
  const lines = (word: string) => Array.from({ length: 5000 }, (_, number) => `${word}${number}`).join("\n");
  expect(merged(lines("base"), lines("mine"), lines("theirs"))).toBe(1);
  expect(editsBetween(lines("mine"), lines("theirs"))).toHaveLength(1);
});

/** The text after these edits, from the last to the first. */
const edited = (text: string, edits: readonly TextReplacement[]): string =>
  edits.reduceRight((left, { from, to, insert }) => left.slice(0, from) + insert + left.slice(to), text);

test("the edits between two texts make one the other, and leave alone what both have", () => {
  expect(editsBetween("the old house", "the new house by 🌊")).toEqual([
    { from: 4, to: 7, insert: "new" },
    { from: 13, to: 13, insert: " by 🌊" },
  ]);
  fc.assert(
    fc.property(Text, Text, (text, other) => {
      expect(edited(text, editsBetween(text, other))).toBe(other);
    }),
  );
});
