import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import remarkGfm from "remark-gfm";
import { expect, test } from "vitest";
import { countTasks, tasksOf, withTaskState } from "../../src/shared/markdown/tasks.ts";
import { runs } from "../kit/time-limits.ts";

type Extensions = NonNullable<Parameters<typeof fromMarkdown>[1]>;

/** GFM as the app renders it. */
const GFM: Extensions = (() => {
  const data: { micromarkExtensions?: never[]; fromMarkdownExtensions?: never[] } = {};
  remarkGfm.call({ data: () => data } as never);
  return { extensions: data.micromarkExtensions ?? [], mdastExtensions: data.fromMarkdownExtensions ?? [] };
})();

type Parsed = { item: number; isDone: boolean };
type Node = ReturnType<typeof fromMarkdown>["children"][number];

/** The tasks that a full parser finds. */
const parsed = (text: string): Parsed[] => {
  const tasksIn = (node: Node): Parsed[] => {
    const own =
      node.type === "listItem" && typeof node.checked === "boolean"
        ? [{ item: node.position?.start.offset ?? -1, isDone: node.checked }]
        : [];
    return "children" in node ? [...own, ...(node.children as Node[]).flatMap(tasksIn)] : own;
  };
  return fromMarkdown(text, GFM).children.flatMap(tasksIn);
};

const found = (text: string): Parsed[] => tasksOf(text).map(({ item, isDone }) => ({ item, isDone }));

const PIECES = (
  "[ ] |[x] |[X] |[ ]|[x]|[x]: |- [ ] a|* [x] b|1. [ ] c|2) [x] d|a|b |- |* |+ |1. |10)|> |>|#|# a| |  |    |\t|" +
  "-|---|===|```|~~~|`|<!--|-->|<div>|</div>|<b>|<pre>|</pre>|[a]: b|(|*|_|\\|\u00a0"
).split("|");
const LINE_ENDS = ["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n  ", "\n    ", "\n- ", "\n  - ", "\n> "];
const Text = fc
  .array(fc.constantFrom(...PIECES, ...LINE_ENDS), { maxLength: 24 })
  .map((pieces) => pieces.join(""));

// As for headings: see sections.test.ts. A mark that is a tab or a line break is not one of ours.
const isUnclosed = (text: string) => /^(---|\+\+\+)[ \t]*[\r\n]/.test(text);
const LAZY_TAG =
  /^[ \t]*(?:>|[-*+]|\d+[.)])[^\r\n]*(?:\r\n?|\n)(?:[ \t]*[^\s][^\r\n]*(?:\r\n?|\n))*[ \t>]*<\/?[a-z][^<>]*>[ \t]*$/m;
const isBroken = (text: string) => /\[(?:\t|[ \t]*[\r\n])/.test(text);
// The parser finds some of the tasks that begin on the line after their item's marker.
const BELOW = /(?:[-+*]|\d[.)])[ \t]*[\r\n]/;
// After indented code, whether a list may begin with another number than 1 depends on what was before the code.
const AFTER_CODE = /(?: {4}|\t)[^\r\n]*(?:\r\n?|\n)[ \t>]*(?:2|10)[.)]/;
const ODDITIES = [LAZY_TAG, BELOW, AFTER_CODE];
const isOdd = (text: string) =>
  isUnclosed(text) || isBroken(text) || ODDITIES.some((oddity) => oddity.test(text));

test("tasks are those that a full parser of GFM finds", () => {
  fc.assert(
    fc.property(Text, (text) => {
      fc.pre(!isOdd(text));
      expect(found(text)).toEqual(parsed(text));
    }),
    { numRuns: runs(6_000) },
  );
});

test("a task that is done, or open again, differs in one character, and the other tasks stay as they are", () => {
  fc.assert(
    fc.property(Text, fc.boolean(), (text, isDone) => {
      const tasks = tasksOf(text);
      for (const [place, task] of tasks.entries()) {
        const next = withTaskState(text, task, isDone);
        expect(next.length).toBe(text.length);
        expect(tasksOf(next)).toEqual(
          tasks.map((other, at) => (at === place ? { ...other, isDone } : other)),
        );
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test.each([
  ["- [ ] a\n- [x] b", ["a", "b"]],
  ["* [X] **b** and [c](d)", ["**b** and [c](d)"]],
  ["1. [ ] a\n   - [x] b\n2) [ ] c", ["a", "b", "c"]],
  ["> - [ ] quoted", ["quoted"]],
  ["- [ ] over\n  two lines", ["over\ntwo lines"]],
  ["---\na: 1\n---\n- [ ] after front matter", ["after front matter"]],
  // A tag alone on its line goes on with the paragraph, also without the item's indentation (CommonMark 0.31.2, 4.6).
  ["- [ ] a\n\n  b\n<b>\n* [x] c", ["a", "c"]],
  ["- [ ] a\n<b>\n- [x] c", ["a\n<b>", "c"]],
])("%j has the tasks %j", (text, tasks) => {
  expect(tasksOf(text).map(({ markdown }) => markdown)).toEqual(tasks);
});

test.each([
  ...["[ ] in no list", "- [ ]", "- [ ] ", "- [ ]a", "-\n  [ ] below", "- [  ] a", "- [y] a", "- \\[ ] a"],
  ...["- a [ ] b", "- a\n\n  [ ] second paragraph", "    - [ ] code", "```\n- [ ] code\n```"],
  ...["- ```\n  - [ ] code", "<!--\n- [ ] a comment\n-->", "- # [ ] heading", "- [ ] underlined\n  ==="],
  ...["- > [ ] quoted in an item", "---\n- [ ] front matter\n---\n"],
])("%j has no task", (text) => {
  expect(tasksOf(text)).toEqual([]);
});

test("the words of a task end in the last line of its paragraph", () => {
  const text = "- [ ] over  \n  two lines \n  - [x] inner\n\n> - [ ] quoted\n> - more";
  const behind = tasksOf(text).map(({ end }) => text.slice(0, end).split("\n").at(-1));
  expect(behind).toEqual(["  two lines", "  - [x] inner", "> - [ ] quoted"]);
});

test("tasks are counted, the open and the done ones", () => {
  expect(countTasks("- [ ] a\n- [x] b\n  - [X] c\n\ntext [ ] d")).toEqual({ open: 1, done: 2 });
  expect(countTasks("no tasks")).toEqual({ open: 0, done: 0 });
});
