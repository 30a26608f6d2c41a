import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState, type TransactionSpec } from "@codemirror/state";
import { expect, test } from "vitest";
import { markdownSupport } from "../src/features/document/editor/language.ts";

// What the editor takes for front matter, also when a text becomes front matter while it is typed.

const blocksOf = (state: EditorState): string[] => {
  const names: string[] = [];
  const tree = ensureSyntaxTree(state, state.doc.length, 5000);
  for (let node = tree?.topNode.firstChild; node; node = node.nextSibling)
    names.push(`${node.name} ${node.from}-${node.to}`);
  return names;
};

const stateOf = (doc: string) => EditorState.create({ doc, extensions: markdownSupport() });

test.for([
  ["---\ntitle: Tea\n---\n# Tea", ["FrontMatter 0-18", "ATXHeading1 19-24"]],
  ["+++\ntitle = 1\n+++", ["FrontMatter 0-17"]],
  ["---\n---\n\nText", ["FrontMatter 0-7", "Paragraph 9-13"]],
  ["---\ntitle: Tea", ["HorizontalRule 0-3", "Paragraph 4-14"]],
  ["--- \ntitle: Tea\n---", ["HorizontalRule 0-4", "SetextHeading2 5-19"]],
  ["Text\n\n---\ntitle: Tea\n---", ["Paragraph 0-4", "HorizontalRule 6-9", "SetextHeading2 10-24"]],
] as const)("%j", ([text, blocks]) => {
  expect(blocksOf(stateOf(text))).toEqual(blocks);
});

test("it begins and ends to be front matter with its last fence", () => {
  let state = stateOf("---\ntitle: Tea\n\n# Tea\n\nText\n");
  const before = blocksOf(state);
  const change = (spec: TransactionSpec) => {
    state = state.update(spec).state;
    return blocksOf(state);
  };
  expect(before[0]).toBe("HorizontalRule 0-3");
  expect(change({ changes: { from: 15, insert: "---" } })[0]).toBe("FrontMatter 0-18");
  expect(change({ changes: { from: 10, insert: " and" } })).toEqual([
    "FrontMatter 0-22",
    "ATXHeading1 23-28",
    "Paragraph 30-34",
  ]);
  expect(change({ changes: { from: 21, to: 22 } })[0]).toBe("HorizontalRule 0-3");
});
