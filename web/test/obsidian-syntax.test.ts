import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import Markdown from "react-markdown";
import { describe, expect, test } from "vitest";
import { blankComments } from "../../src/shared/markdown/comments.ts";
import { RENDERING_PLUGINS, SYNTAX_PLUGINS } from "../src/features/document/markdown-plugins.ts";

const html = (text: string) =>
  renderToStaticMarkup(
    createElement(Markdown, { remarkPlugins: [...SYNTAX_PLUGINS, ...RENDERING_PLUGINS] }, text),
  ).replaceAll("\n", "");

test.each([
  ["a ==b== c", "<p>a <mark>b</mark> c</p>"],
  ["==a *b* c==", "<p><mark>a <em>b</em> c</mark></p>"],
  ["==a *b== c*", "<p><mark>a *b</mark> c*</p>"],
  ["*a ==b* c==", "<p><em>a ==b</em> c==</p>"],
  ["==a== b==c", "<p><mark>a</mark> b==c</p>"],
  ["a == b == c, === d ===, ====", "<p>a == b == c, === d ===, ====</p>"],
  ["`==a== [[b]] %%c%%`", "<p><code>==a== [[b]] %%c%%</code></p>"],
  ["```\n==a== [[b]]\n%%\nc\n%%\n```", "<pre><code>==a== [[b]]%%c%%</code></pre>"],
  ["Title\n==", "<p>Title==</p>"],
])("%j is shown with its marked words", (text, shown) => {
  expect(html(text)).toBe(shown === "<p>Title==</p>" ? "<h1>Title</h1>" : shown);
});

test.each([
  ["[[Ada]]", '<p><a href="" data-target="Ada">Ada</a></p>'],
  ["[[Ada|she]]!", '<p><a href="" data-target="Ada" data-words="">she</a>!</p>'],
  ["![[A/Ada#Life|x]]", '<p><a href="" data-target="A/Ada" data-heading="Life" data-words="">x</a></p>'],
  ["[[#Life]]", '<p><a href="" data-target="" data-heading="Life">Life</a></p>'],
  [
    "[[a_b_c]] *[[d*e]]*",
    '<p><a href="" data-target="a_b_c">a_b_c</a> <em><a href="" data-target="d*e">d*e</a></em></p>',
  ],
  ["[see [[Ada]] now](https://a.example)", '<p><a href="https://a.example">see Ada now</a></p>'],
  ["\\[[Ada]] [[]] [[a\nb]] [[a", "<p>[[Ada]] [[]] [[a<br/>b]] [[a</p>"],
  [
    "| a |\n| - |\n| [[Ada\\|she]] |",
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><a href="" data-target="Ada" data-words="">she</a></td></tr></tbody></table>',
  ],
])("%j is a link to a document", (text, shown) => {
  expect(html(text)).toBe(shown);
});

test.each([
  ["a %%b%% c", "<p>a  c</p>"],
  ["%%b%%", ""],
  ["a\n\n%%\n- b\n\n# c\n%%\n\nd", "<p>a</p><p>d</p>"],
  ["a\n\n%%\n- b\n%%\nd", "<p>a</p><p>d</p>"],
  ["> %%\n> b\n> %%", ""],
  ["- %%b%% a", "<ul><li> a</li></ul>"],
  ["50%% of\n\nall", "<p>50%% of</p><p>all</p>"],
  ["50%% of\n\nall %%b%% c", "<p>50%% of</p><p>all  c</p>"],
  ["%%\nnever closed\n\n- a", "<p>%%<br/>never closed</p><ul><li>a</li></ul>"],
])("%j is shown without its comments", (text, shown) => {
  expect(html(text)).toBe(shown);
});

test.each([
  [
    "> [!note] Title\n> Text\n>\n> - a",
    '<blockquote data-callout="note" data-fold="" data-titled="true"><p>Title</p><p>Text</p><ul><li>a</li></ul></blockquote>',
  ],
  [
    "> [!WARNING]-\n> Text",
    '<blockquote data-callout="warning" data-fold="-" data-titled="false"><p>Warning</p><p>Text</p></blockquote>',
  ],
  [
    "> [!tip] *So*",
    '<blockquote data-callout="tip" data-fold="" data-titled="true"><p><em>So</em></p></blockquote>',
  ],
  ["> [!note]x", "<blockquote><p>[!note]x</p></blockquote>"],
  ["> a\n> [!note] b", "<blockquote><p>a<br/>[!note] b</p></blockquote>"],
])("%j is a callout", (text, shown) => {
  expect(html(text)).toBe(shown);
});

const PIECES = fc.constantFrom(
  ...[
    "==",
    "=",
    "[[",
    "]]",
    "[",
    "]",
    "![[",
    "%%",
    "%",
    "*",
    "**",
    "_",
    "`",
    "a",
    " b ",
    "\n",
    "\n\n",
    "> ",
    "- ",
  ],
  ...["[!note]", "|", "#", "\\", "](x)", "~~", "```\n", "<!--", "https://a.example "],
);
const TEXTS = fc.array(PIECES, { maxLength: 40 }).map((pieces) => pieces.join(""));

test.each([
  ["a *b* ^Id-1", '<p id="^id-1">a <em>b</em></p>'],
  ["a **b** ^i", '<p id="^i">a <strong>b</strong></p>'],
  ["a\n^i\n\nb", '<p id="^i">a</p><p>b</p>'],
  ["- a ^i\n- [ ] b ^j\n  - c ^k", null],
  ["1. a\n2. b\n\n^i\n\nc", '<ol id="^i"><li>a</li><li>b</li></ol><p>c</p>'],
  ["> a\n> b\n\n^i", '<blockquote id="^i"><p>a<br/>b</p></blockquote>'],
  ["> a ^i", '<blockquote><p id="^i">a</p></blockquote>'],
  ["| a | b |\n| - | - |\n| c | d |\n^i", null],
  ["| a |\n| - |\n| b |\n\n^i", null],
  ["```\na ^i\n```\n\n^j", '<pre><code id="^j">a ^i</code></pre>'],
  ["^i", '<p id="^i"></p>'],
  ["x^2, a ^ b, a ^i b, `a ^i`", "<p>x^2, a ^ b, a ^i b, <code>a ^i</code></p>"],
  ["a \\^i\n\n[^i]", "<p>a ^i</p><p>[^i]</p>"],
])("%j has the ids of its blocks, which are not shown", (text, shown) => {
  const words = html(text).replace(/<[^>]*>/g, "");
  if (shown === null)
    expect([words.includes("^"), [...html(text).matchAll(/ id="\^/g)].length]).toEqual([
      false,
      text.split("^").length - 1,
    ]);
  else expect(html(text)).toBe(shown);
});

test("a footnote can follow an exclamation mark", () => {
  expect(html("So![^1] And ![^2]\n\n[^1]: told")).toMatch(/^<p>So!<sup><a .*<\/sup> And !\[\^2\]<\/p>.*told/);
});

describe("any text", () => {
  test("is rendered, in well-formed HTML", () => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        const shown = html(text);
        const page = new DOMParser().parseFromString(`<div>${shown}</div>`, "text/html");
        expect(page.querySelector("a a")).toBeNull();
      }),
    );
  });

  test("keeps its length and lines when its comments are blanked out", () => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        const blanked = blankComments(text);
        expect(blanked.length).toBe(text.length);
        expect(blanked.split("\n").length).toBe(text.split("\n").length);
      }),
    );
  });
});

test
  .runIf(process.env.NIGHTLY)
  .for(["==a ", "a== ", "==", "[[", "[[a", "[[a]] ", "%%", "%% ", "a %%\n\n", "> [!note] a\n> ", "==a== "])(
  "%j repeated takes no more than linear time",
  (piece) => {
    const timeOf = (length: number) => {
      const text = piece.repeat(length / piece.length);
      // Processor time, which does not grow while other processes run.
      const start = process.cpuUsage();
      html(text);
      return process.cpuUsage(start).user / 1000;
    };
    timeOf(2000);
    const ratios = [1, 2, 3].map(() => timeOf(16_000) / Math.max(1, timeOf(4000)));
    expect(Math.min(...ratios)).toBeLessThan(9);
  },
);
