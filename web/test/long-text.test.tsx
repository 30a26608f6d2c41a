import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import Markdown from "react-markdown";
import { expect, test } from "vitest";
import { markdownSupport } from "../src/features/document/editor/language.ts";
import {
  continueNumbers,
  isSameChunk,
  numberFootnotes,
  onlyFootnotes,
  placeInText,
  plainText,
  readLongText,
} from "../src/features/document/long-text.ts";
import { RENDERING_PLUGINS, SYNTAX_PLUGINS } from "../src/features/document/markdown-plugins.ts";

// A long text that is rendered in chunks looks like the whole of it.

const PLUGINS = [...SYNTAX_PLUGINS, ...RENDERING_PLUGINS];

const renderWhole = (text: string): string =>
  renderToStaticMarkup((<Markdown remarkPlugins={PLUGINS}>{text}</Markdown>) as ReactNode);

const renderChunks = (text: string): string[] =>
  readLongText(text, "").chunks.map((chunk) =>
    renderToStaticMarkup(
      (
        <Markdown
          remarkPlugins={[...PLUGINS, numberFootnotes(chunk)]}
          rehypePlugins={[() => placeInText(chunk), () => continueNumbers(chunk), () => onlyFootnotes(chunk)]}
        >
          {chunk.source}
        </Markdown>
      ) as ReactNode,
    ),
  );

/** React also preloads the pictures. */
const withoutSpace = (html: string) => html.replace(/<link [^>]*>|\s+/g, "");

const BLOCKS = [
  "# A heading\n\nWords with **bold**, *soft*, `code`, ~~not~~ and https://example.com.",
  "- one\n- two\n  - inner\n\n    more of it\n- [ ] a task",
  "1. one\n2. two\n\n   a paragraph of it\n3. three",
  "> a quotation\n> of two lines\n\n> another one",
  "```js\nconst a = 1;\n\n# not a heading\n```",
  "    indented code\n\n    and more",
  "| a | b |\n|---|--:|\n| 1 | **2** |",
  "Underlined\n==========\n\nWords\n---\n\n***",
  "A [reference][Plan] and another [plan], an ![image][plan].",
  "* other list\n+ another list\n\n<div>\nhtml\n\n</div>",
  "A note[^first] and another[^Second note here].",
  "A line  \nbroken\\\nthrice\nand `code\nover` lines",
];

const DEFINITIONS = `[plan]: https://example.com/plan "The plan"

[^first]: It says *much*.

    In two paragraphs, with a note[^last].

[^last]: The [plan] again.
[^unused]: Nobody refers to it.`;

test("chunks are what the whole text would be", () => {
  const text = Array.from({ length: 300 }, (_, n) => BLOCKS[(n * 7) % BLOCKS.length]).join("\n\n");
  for (const whole of [`${text}\n\n${DEFINITIONS}`, `${DEFINITIONS}\n\n${text}\n`]) {
    const chunks = renderChunks(whole);
    expect(chunks.length).toBeGreaterThan(5);
    const [shown, expected] = [withoutSpace(chunks.join("")), withoutSpace(renderWhole(whole))];
    const at = [...shown].findIndex((letter, index) => letter !== expected[index]);
    // Only what differs: the whole would be a page of HTML.
    expect(shown.slice(at).slice(0, 300)).toBe(expected.slice(at).slice(0, 300));
  }
});

test("a chunk whose footnotes have other numbers is another one", () => {
  const chunksOf = (first: string) =>
    readLongText(`${first}\n\n${"Words.\n\n".repeat(2000)}A[^a].\n\n[^a]: a\n\n[^b]: b`, "").chunks;
  const [before, same, after] = [chunksOf("One[^a]."), chunksOf("One[^a]."), chunksOf("One[^b].")];
  const last = before.length - 2;
  const isSame = (chunks: typeof before) => isSameChunk(before[last] as never, chunks[last] as never);
  expect([isSame(same), isSame(after)]).toEqual([true, false]);
});

test("what is not formatted yet has no comments either", () => {
  const { chunks } = readLongText(`${"Words.\n\n".repeat(2000)}One %%two%% three.\n\n%%\nfour\n%%`, "");
  expect(chunks.map(plainText).join("")).toMatch(/Words\.\s+One {2}three\.\s+$/);
});

test("comments are not shown, in a text or in its headings", () => {
  const text = "## Ada %%who%%\n\nOne %%two%% three.";
  for (const whole of [text, `${text}\n\n${"Words.\n\n".repeat(2000)}`]) {
    const { chunks, headings } = readLongText(whole, "");
    expect(headings.map(({ text: shown }) => shown)).toEqual(["Ada"]);
    expect(chunks.length > 1).toBe(whole.length > 10_000);
    const [html = ""] = renderChunks(whole);
    expect(withoutSpace(html)).toMatch(/^<h2>Ada<\/h2><p>Onethree\.<\/p>/);
  }
});

test("links and marks are words in the outline", () => {
  const { headings } = readLongText("## [[People/Ada|Her]] ==life==\n\n## [[Grace]]", "");
  expect(headings.map(({ text }) => text)).toEqual(["Her life", "Grace"]);
});

test("nobody sees in a long paragraph how it is read, or written", () => {
  const part = `${"some words ".repeat(12)}**in bold** \`or code\` ==and marked== [a link](https://a.example) [[Ada|her]] `;
  const line = part.repeat(45);
  const chunks = renderChunks(line);
  expect([chunks.length, chunks[0]?.match(/<(?:strong|code|mark|a)\b/g)?.length]).toEqual([1, 5 * 45]);
  const state = EditorState.create({ doc: line, extensions: markdownSupport() });
  const marks: string[] = [];
  ensureSyntaxTree(state, line.length, 5000)?.iterate({
    enter: ({ name }) =>
      void (/^(?:StrongEmphasis|InlineCode|Marked|Link|NoteLink)$/.test(name) && marks.push(name)),
  });
  expect(marks).toHaveLength(5 * 45);
});

test("a list, a table and code that are too long are all there", () => {
  const items = Array.from({ length: 3000 }, (_, n) => `${n + 7}. item of ${n}`);
  const lists = renderChunks(items.join("\n")).join("");
  expect(lists.match(/<li>/g)?.length).toBe(3000);
  for (const [, start, first] of lists.matchAll(/<ol start="(\d+)">\s*<li>item of (\d+)</g))
    expect(Number(start)).toBe(Number(first) + 7);
  const rows = `| a | b |\n|---|---|\n${"| one | two |\n".repeat(3000)}`;
  expect(
    renderChunks(rows)
      .join("")
      .match(/<td>one<\/td>/g)?.length,
  ).toBe(3000);
  const code = `\`\`\`js\n${"const a = 1;\n".repeat(6000)}\`\`\`\n\nafter`;
  const html = renderChunks(code).join("");
  expect(html.match(/const a = 1;/g)?.length).toBe(6000);
  expect(html.replace(/<pre>[\s\S]*?<\/pre>/g, "").trim()).toBe("<p>after</p>");
});
