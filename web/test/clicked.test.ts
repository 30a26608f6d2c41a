import { expect, test } from "vitest";
import { blankComments } from "../../src/shared/markdown/comments.ts";
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
  "a cell with a line break": ["onetw", "| a | b |\n|---|---|\n| x {| one<br>tw^o |"],
  "a cell with an escaped bar": ["a|b c", "| a | b |\n|---|---|\n| x {| a\\|b c^d |"],
  "behind code with an escaped bar in a cell": ["a|b c", "| a | b |\n|---|---|\n| x {| `a\\|b` c^ |"],
  "in code with an escaped bar in a cell": ["a|b", "| a | b |\n|---|---|\n| x {| `a\\|b^` |"],
  "in code over two lines of a quotation": ["a b", "> {`a\n> b^`"],
  "in code that begins with a space": [" `a", "{`` `a^ ``"],
  "behind something like a reference": ["&nope; a", "{&nope; a^b"],
  "behind a reference to an emoji": ["😀 a", "{&#128512; a^b"],
  "in HTML": ["<div>\n<b>a", "{<div>\n<b>a^b</b>\n</div>"],
  "behind a comment in HTML": ["<br> a  b", "{<br> a %%no%% b^"],
  "in HTML within a line": ['<a href="?a&amp;b">wo', '{<a href="?a&amp;b">wo^rds</a>'],
  "behind an escaped callout": ["[!note] wo", "> {\\[!note] wo^rds"],
  "in a line with marks that are text": ["a\n10) > b\n> c", "> {a\n> 10) > b\n>     > c^d"],
  "behind an inline comment": ["one  tw", "{one %%not shown%% tw^o"],
  "in a word with a comment": ["Fo", "{F%%not shown%%o^ur"],
  "behind a comment that begins a line": [" tw", "{%%not shown%% tw^o"],
  "a list item behind a comment": [" Gr", "{- %%who%% Gr^ace"],
  "behind a comment in a quotation": ["one\ntwo  th", "> {one\n> two %%no%% th^ree"],
  "a callout's title": ["Ti", "> {[!note] Ti^tle\n> Body"],
  "behind bold in a callout's title": ["A bold ti", "> {[!note]- A **bold** ti^tle"],
  "a callout without a title": ["No", "> {^[!note]\n> Body"],
  "a callout's body": ["Bo", "> [!note] Title\n> {Bo^dy"],
  "a second line of a callout's body": ["Body\nmo", "> [!note] Title\n> {Body\n> mo^re"],
  "a callout's body without a title": ["Bo", "> [!note]\n> {Bo^dy"],
  "a callout's body behind an escape": ["Bo", "> [!note] A \\* B\n> {Bo^dy"],
  "a callout's body behind a comment": ["Bo", "> [!note] A %%no%% B\n> {Bo^dy"],
  "a callout's body behind a link": ["Body", "> [!note] See [it](https://a.example)\n> {Body^ too"],
  "a callout's second paragraph": ["Mo", "> [!note] Title\n> Body\n>\n> {Mo^re"],
  "a list in a callout": ["tw", "> [!note] Title\n> - one\n> {- tw^o"],
  "a callout in a callout": ["In", "> [!note] Title\n> > [!tip] Tip\n> > {In^ner"],
  "behind a link to a document": ["to Folder/Ada an", "{to [[Folder/Ada]] an^d"],
  "behind a link to a heading": ["to Ada › Life an", "{to [[Ada#Life]] an^d"],
  "behind a link to a document with its own words": ["to her an", "{to [[Folder/Ada|her]] an^d"],
  "right behind a link to a document": ["to Folder/Ada", "{to [[Folder/Ada]]^"],
  "a link to a document in a cell": ["her wo", "| a | b |\n|---|---|\n| x {| [[Ada\\|her]] wo^rds |"],
  "inside a mark": ["a ma", "{a ==ma^rk== and"],
  "behind a mark": ["a mark an", "{a ==mark== an^d"],
};

test.each(Object.entries(CASES))("%s", (_, [shown, source]) => {
  const from = source.indexOf("{");
  const place = source.indexOf("^", source.lastIndexOf("{"));
  const text = source.slice(0, from) + source.slice(from + 1, place) + source.slice(place + 1);
  const read = { text: blankComments(text), root: parseMarkdown(text) };
  expect(sourceOffset(read, from, shown)).toBe(place - 1);
});
