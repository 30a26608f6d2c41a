import { expect, test } from "vitest";
import { nthWordOffset } from "../src/features/document/clicked-offset.ts";

// Where a word that is double-clicked stands in the text from which it was rendered.

const TEXT = "# A list\n\nSome **bold** words, a [word](https://words.example/word) and\nmore words\n";

test("the word is found by how often it stands before the click", () => {
  const after = TEXT.indexOf("Some");
  expect(nthWordOffset(TEXT, after, { word: "bold", nth: 0 })).toBe(TEXT.indexOf("bold"));
  expect(nthWordOffset(TEXT, after, { word: "words", nth: 0 })).toBe(TEXT.indexOf("words,"));
  expect(nthWordOffset(TEXT, after, { word: "word", nth: 0 })).toBe(TEXT.indexOf("word]"));
  expect(nthWordOffset(TEXT, after, { word: "list", nth: 0 })).toBeUndefined();
});
