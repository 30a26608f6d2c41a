import { expect, test } from "vitest";
import {
  linkContext,
  linkKey,
  linkNameKey,
  MAX_CONTEXT,
  type NoteLink,
  noteLinksIn,
  readNoteAddress,
  wikiLinksIn,
} from "../../../src/shared/markdown/note-links.ts";

const ID = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42";

const shown = ({ target, heading, words, isEmbed }: NoteLink) =>
  [isEmbed ? "!" : "", target, heading && `#${heading}`, words && `|${words}`].filter(Boolean).join("");

test.each([
  ["[[Ada]]", ["Ada"]],
  ["[[ Ada | her words ]] and ![[Plan]]", ["Ada|her words", "!Plan"]],
  ["[[People/Ada#Early life|Ada]] [[Ada#^block]]", ["People/Ada#Early life|Ada", "Ada#^block"]],
  ["| [[Ada\\|her]] | [[Ada#Life\\|her]] |", ["Ada|her", "Ada#Life|her"]],
  [`[[doc:${ID.toUpperCase()}]] [it](doc:${ID}#Plan)`, [`doc:${ID}`, `doc:${ID}#Plan`]],
  ["[it](People/Ada%20Lovelace.md#early%20life)", ["People/Ada Lovelace#early life"]],
  ["[it](<../My notes/./A (1).md>) [x](a_(b).md)", ["My notes/A (1)", "a_(b)"]],
  ["[it]: Note.MD\n[[Note.md]]", ["Note", "Note"]],
  ["[[#Heading]] [[]] [[|x]] [a](#b) [a](https://a.b/c.md) [a](c.pdf) ![[x.png]] [[mem:4]]", []],
  ["[a](http://a.b) [[https://a.b]] [[doc:12]] [[file:a]] [[a\nb]]", []],
  ["`[[a]]`\n\n```\n[[b]]\n```\n\n    [[c]]\n\n[[d]]", ["d"]],
  ["[words [[Ada]]](Note.md)", ["Ada", "Note"]],
  ["[x](100%.md)", ["100%"]],
  [`[[${"a".repeat(501)}]] [x](${"a".repeat(600)}.md)`, []],
])("the links in %j", (text, expected) => {
  expect(noteLinksIn(text).map(shown)).toEqual(expected);
});

test("a heading of the same document is a link without a target", () => {
  expect([...wikiLinksIn("[[#Plan|see]]")]).toMatchObject([{ target: "", heading: "Plan", words: "see" }]);
});

test("an address leads to a note, or is none", () => {
  expect(readNoteAddress("A%20b.md#C%20d")).toEqual({ target: "A b", heading: "C d" });
  expect(readNoteAddress("a.html")).toBeUndefined();
});

test("all spellings of a target have one key", () => {
  expect(linkKey("STRASSE/Jose\u0301")).toBe(linkKey("Straße/josé"));
  expect(linkNameKey("People/Ada")).toBe(linkKey("ADA"));
});

const contextOf = (text: string) => linkContext(text, noteLinksIn(text)[0] as NoteLink);

test.each([
  ["# Plan\n\nFirst. We met [[People/Ada|her]] **today** in `x`. Then more.\n", "We met her today in x."],
  ["- [ ] Ask [[Ada]] about it\n- other", "Ask Ada about it"],
  ["> See [the note](Note.md) and ![[Plan]]!", "See the note and Plan!"],
  ["[[Ada]]", "Ada"],
])("the sentence around the link in %j", (text, expected) => {
  expect(contextOf(text)).toBe(expected);
});

test("a long sentence is cut around its link", () => {
  const context = contextOf(`${"word ".repeat(100)}[[Ada]] ${"more ".repeat(100)}`);
  expect(context.length).toBeLessThanOrEqual(MAX_CONTEXT);
  expect(context).toMatch(/^…word .* Ada more .* more…$/);
  expect(contextOf(`${"😀".repeat(300)}[[Ada]]`).isWellFormed()).toBe(true);
});
