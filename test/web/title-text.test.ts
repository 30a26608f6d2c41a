import fc from "fast-check";
import { expect, test } from "vitest";
import { snippetParts } from "../../web/src/features/search/snippet.ts";
import { titleText } from "../../web/src/kit/title-text.ts";

// Titles and snippets from Markdown and HTML, shown as text.

test("a title is text", () => {
  for (const [title, text] of [
    ["Plan for the launch", "Plan for the launch"],
    [
      "# gopd <sup>[![Version Badge](https://x.example/v.svg)](https://npm.example)</sup>",
      "gopd Version Badge",
    ],
    ["## **Bold** and _slanted_ `code`", "Bold and slanted code"],
    ["[the list](https://example.com/a_b_c) of things", "the list of things"],
    ["# gopd <sup>[![Version", "gopd Version"],
    ["A [link](https://exam", "A link"],
    ["a &amp; b &lt;c&gt;", "a & b <c>"],
    ["Fish \\& chips \\*raw\\*", "Fish & chips *raw*"],
    ["One<br/>two <!-- hidden --> three", "One two three"],
    ["# Heading #", "Heading"],
    // What only looks like markup stays.
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["List<T> and a<b>c", "List<T> and a c"],
    ["C# for F# people", "C# for F# people"],
    ["#12 is closed", "#12 is closed"],
    ["1. Introduction", "1. Introduction"],
    ["- [ ] call", "- [ ] call"],
    ["[draft] Budget", "[draft] Budget"],
    ["5 < 6 > 4", "5 < 6 > 4"],
    ["<br>", "<br>"],
    ["***", "***"],
  ]) {
    expect(titleText(title ?? ""), title).toBe(text);
  }
});

test("a title is never shown as nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (title) => {
      const text = titleText(title);
      if (title.trim()) expect(text).not.toBe("");
    }),
  );
});

test("a snippet is text, with its matches still marked", () => {
  for (const [snippet, text] of [
    [
      "## What has to <mark>happen</mark>\n\n- [x] **Contract**\n- Slides",
      "What has to {happen} · Contract · Slides",
    ],
    ["see [the <mark>list</mark>](https://example.com/a) and `code`", "see the {list} and code"],
    ["**<mark>Bold</mark>** words", "{Bold} words"],
    [
      "&lt;sup&gt;[![<mark>Version</mark>](https://x.example/v.svg)](https://n.example)&lt;/sup&gt;",
      "{Version}",
    ],
    ["…example.com/v.svg)](https://n.example) about <mark>gopd</mark>", "… about {gopd}"],
    ["| Week | Open |\n|-----:|:---|\n| <mark>48</mark> | 12 |", "Week Open · {48} 12"],
    ["1 &lt; 2 &amp;&amp; <mark>x</mark>", "1 < 2 && {x}"],
    ["say <mark>what</mark> ^ab-1\n- more ^<mark>list</mark>\nand x^2", "say {what} · more ^{list} and x^2"],
    ["![A <mark>map</mark>|300](file:1) and ![b\\|20x30](file:2)", "A {map} and b"],
    ["---\ntags: [a]\n---\nThe <mark>plan</mark>", "The {plan}"],
    ["<mark>One</mark>\n\n---\ntwo\n\n---\nthree", "{One} · two · three"],
    ["---\ntags: [<mark>plan</mark>]\n---\nIt", "tags: [{plan}] · It"],
    ["&lt;img src=x onerror=<mark>alert</mark>(1)&gt; text", "text"],
  ]) {
    const parts = snippetParts(snippet ?? "");
    expect(parts.map(({ text: part, isMatch }) => (isMatch ? `{${part}}` : part)).join(""), snippet).toBe(
      text,
    );
  }
});
