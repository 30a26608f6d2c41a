import type { Root } from "mdast";
import { expect, test } from "vitest";
import { sourceOffset } from "../src/features/document/clicked-offset.ts";
import { parseMarkdown } from "../src/features/document/parse-markdown.ts";

// Where a clicked place of a rendered text is in its source.

/** Shown before the click, and the source with the block's start (`{`) and the place (`^`). */
const CASES: Record<string, [shown: string, source: string]> = {
  "the start": ["", "{^Some words"],
  "the middle of a word": ["Some wo", "{Some wo^rds"],
  "after bold text": ["Some bold wo", "{Some **bold** wo^rds"],
  "inside bold text": ["Some bo", "{Some **bo^ld** words"],
  "a space": ["Some ", "{Some ^words"],
  "behind the URL of a link": ["a word an", "{a [word](https://words.example/word) an^d"],
  "inside a link": ["a wo", "{a [wo^rd](https://words.example/word) and"],
  "a heading": ["A li", "{## A li^st"],
  "a task": [" call Gr", "{- [ ] call Gr^ace"],
  "a nested item": ["out", "- one\n  {- out^er"],
  "a second line": ["one\ntw", "{one\ntw^o"],
  "a second line of a quotation": ["one\ntw", "> {one\n> tw^o"],
  "behind a hard break": ["one\ntw", "{one\\\ntw^o"],
  "behind an escape": ["a*b c", "{a\\*b c^d"],
  "behind a character reference": ["a & b", "{a &amp; b^c"],
  "inline code": ["run npm te", "{run `npm te^st` now"],
  "behind inline code": ["run npm test no", "{run `npm test` no^w"],
  "a block of code": ["const a\n  b", "{```js\nconst a\n  b^c\n```"],
  "indented code": ["one\ntw", "{    one\n    tw^o"],
  "the end": ["Some words", "{Some words^\n\nMore"],
  "a cell": ["Lis", "| a | b |\n|---|---|\n| x {| Lis^bon |"],
};

test.each(Object.entries(CASES))("%s", (_, [shown, source]) => {
  const from = source.indexOf("{");
  const place = source.indexOf("^", source.lastIndexOf("{"));
  const text = source.slice(0, from) + source.slice(from + 1, place) + source.slice(place + 1);
  const root: Root = parseMarkdown(text);
  expect(sourceOffset({ text, root }, from, shown)).toBe(place - 1);
});
