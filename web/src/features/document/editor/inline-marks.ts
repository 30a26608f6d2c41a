import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type Line,
  type SelectionRange,
} from "@codemirror/state";
import type { SyntaxNode, Tree } from "@lezer/common";
import { enclosingNode, PARSE_TIMEOUT_MS } from "./lists.ts";
import { tableSegments } from "./table.ts";

// Marks over a selection, as in a word processor: set if a part of it lacks them, removed if all of it has them.

type Range = { from: number; to: number };

const NODES: Record<string, string> = {
  "**": "StrongEmphasis",
  "*": "Emphasis",
  "`": "InlineCode",
  "~~": "Strikethrough",
};

/** The markers of quotations, items, tasks, headings, callouts and footnotes at the beginning of a line. */
const LINE_START =
  /^\s*(?:>\s*|(?:[-+*](?: \[[ xX]\])?|\d{1,9}[.)]|#{1,6})\s+)*(?:\[![^\]]+\][-+]?\s*|\[\^[^\]]+\]:\s*)?/;

/** A table’s delimiter row, a thematic break or a setext underline. */
const RULE = /^(?:[-=*_|:+]\s*)+$/;

const NOT_PROSE = /^(?:FencedCode|.+Block|LinkReference|FrontMatter|Table)$/;

/** The parts of a line that marks may be set around: not code, and the cells of a table one by one. */
function partsOf(tree: Tree, { from, to, text }: Line): Range[] {
  const start = from + (LINE_START.exec(text)?.[0].length ?? 0);
  const rest = text.slice(start - from);
  const block = enclosingNode(tree.resolveInner(start, 1), NOT_PROSE);
  if (RULE.test(rest) || (block && block.name !== "Table")) return [];
  if (!block) return [{ from: start, to }];
  return tableSegments(rest).map((cell) => ({ from: start + cell.from, to: start + cell.to }));
}

/** The words of each selected line: marks do not reach over lines and their markers. */
function wordsIn(state: EditorState, tree: Tree, { from, to }: Range): Range[] {
  const words: Range[] = [];
  for (let at = from; at <= to; ) {
    const line = state.doc.lineAt(at);
    for (const part of partsOf(tree, line)) {
      const start = Math.max(from, part.from);
      const text = state.sliceDoc(start, Math.max(start, Math.min(to, part.to)));
      const space = /^\s*/.exec(text)?.[0].length ?? 0;
      const { length } = text.trimEnd();
      if (space < length && start < to) words.push({ from: start + space, to: start + length });
    }
    at = line.to + 1;
  }
  return words;
}

/** The marked texts that touch a range. */
function markedIn(tree: Tree, { from, to }: Range, name: string): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  tree.iterate({
    from,
    to,
    enter: ({ node }) => {
      if (node.name === name) nodes.push(node);
    },
  });
  return nodes;
}

function isAllMarked(state: EditorState, { from, to }: Range, nodes: readonly Range[]): boolean {
  let done = from;
  for (const node of nodes) {
    if (node.from > done && state.sliceDoc(done, Math.min(node.from, to)).trim() !== "") return false;
    done = Math.max(done, node.to);
  }
  return done >= to;
}

const withoutMarks = (nodes: readonly Range[], { length }: string): ChangeSpec[] =>
  nodes.flatMap(({ from, to }) => [
    { from, to: from + length },
    { from: to - length, to },
  ]);

/** Where a mark is set so that it does not stand beside a space. */
const outside = (state: EditorState, { from, to }: Range): Range => {
  const text = state.sliceDoc(from, to);
  return { from: from + text.length - text.trimStart().length, to: to - text.length + text.trimEnd().length };
};

/** Removes marks from a range; what is marked beside it stays so. */
function removeFrom(state: EditorState, range: Range, nodes: readonly Range[], mark: string): ChangeSpec[] {
  const { length } = mark;
  const parts = nodes.flatMap(({ from, to }) => [
    { from: from + length, to: Math.max(from + length, range.from) },
    { from: Math.min(to - length, range.to), to: to - length },
  ]);
  const hasWords = (part: Range) => /[^*_~`\s]/.test(state.sliceDoc(part.from, part.to));
  const kept = parts.filter(hasWords).map((part) => outside(state, part));
  return [
    ...withoutMarks(nodes, mark),
    ...kept.flatMap(({ from, to }) => [
      { from, insert: mark },
      { from: to, insert: mark },
    ]),
  ];
}

/** A range together with what is marked already and touches it. */
const united = (range: Range, nodes: readonly Range[]): Range => ({
  from: Math.min(range.from, ...nodes.map((node) => node.from)),
  to: Math.max(range.to, ...nodes.map((node) => node.to)),
});

function addTo(range: Range, nodes: readonly Range[], mark: string): ChangeSpec[] {
  const { from, to } = united(range, nodes);
  return [...withoutMarks(nodes, mark), { from, insert: mark }, { from: to, insert: mark }];
}

/** Toggles a mark over the selected words; undefined if there are none. */
export function toggleOver(
  state: EditorState,
  selection: SelectionRange,
  mark: string,
): { changes: ChangeSpec; range: SelectionRange } | undefined {
  const name = NODES[mark] ?? "";
  const { from, to } = selection;
  const tree = ensureSyntaxTree(state, state.doc.lineAt(to).to, PARSE_TIMEOUT_MS) ?? syntaxTree(state);
  // What is not parsed yet may be code.
  const known = { from, to: Math.min(to, tree.length) };
  const words = wordsIn(state, tree, known).map((range) => ({ range, nodes: markedIn(tree, range, name) }));
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return undefined;
  const isMarked = words.every(({ range, nodes }) => isAllMarked(state, range, nodes));
  const changes = state.changes(
    words.flatMap(({ range, nodes }) =>
      isMarked ? removeFrom(state, range, nodes, mark) : addTo(range, nodes, mark),
    ),
  );
  // Between the marks that are set.
  const inside = isMarked ? 0 : mark.length;
  const start = changes.mapPos(united(first.range, first.nodes).from, -1) + inside;
  const end = changes.mapPos(united(last.range, last.nodes).to, 1) - inside;
  const anchor = Math.max(changes.mapPos(first.range.from, 1), start);
  const head = Math.max(anchor, Math.min(changes.mapPos(last.range.to, -1), end));
  return { changes, range: EditorSelection.range(anchor, head) };
}
