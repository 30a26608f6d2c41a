import { type EditorState, findColumn, type Line } from "@codemirror/state";
import type { SyntaxNode, SyntaxNodeRef, Tree } from "@lezer/common";
import { directionOf } from "../direction.ts";
import { type DrawContext, directed, hide, lineDecoration, markDecoration } from "./decorations.ts";
import { enclosingNode } from "./lists.ts";

// The list items and quotations around a line: how far they indent it, and their bars.

/** Its marker or bar, and its indentation, are on the side where its words begin. `width`: in rem. */
type Container = { from: number; isItem: boolean; side: "left" | "right"; width: number };

/** How many of them are indented. */
const MAX_NESTING = 12;
/** A longer beginning of a line is not of lists and quotations. */
const MAX_PREFIX = 200;
/** Widths as in prose.module.css, in rem. */
const [ITEM, TASK, QUOTE] = [1.59375, 1.434375, 1];

export const directionIn = (state: EditorState, { from, to }: { from: number; to: number }) =>
  directionOf(state.sliceDoc(from, Math.min(to, from + 500)));

const CONTAINER = /^(?:ListItem|Blockquote)$/;

function containerOf(state: EditorState, node: SyntaxNode): Container {
  const isItem = node.name === "ListItem";
  const side = directionIn(state, node) === "rtl" ? "right" : "left";
  return { from: node.from, isItem, side, width: !isItem ? QUOTE : node.getChild("Task") ? TASK : ITEM };
}

/** The items and quotations that a node is in, and itself, the outermost first. */
function containersAround(state: EditorState, node: SyntaxNode | null): Container[] {
  const around: SyntaxNode[] = [];
  for (let at = node; at; at = at.parent) if (CONTAINER.test(at.name)) around.unshift(at);
  return around.slice(0, MAX_NESTING).map((one) => containerOf(state, one));
}

/** The marks of quotations and items at the beginning of a line. */
const LINE_MARKS = /^(?:[\s>]|(?:[-+*]|\d{1,9}[.)])(?=\s|$))*/;

/** The items and quotations around a line. */
function containersOf(state: EditorState, { from, text }: Line, tree: Tree): Container[] {
  const marks = LINE_MARKS.exec(text.slice(0, MAX_PREFIX))?.[0] ?? "";
  const side = marks.length < text.length ? 1 : -1;
  return containersAround(state, tree.resolveInner(from + marks.trimEnd().length, side));
}

const sum = (containers: readonly Container[], side: Container["side"]) =>
  containers.reduce((total, one) => (one.side === side ? total + one.width : total), 0);

/** How far the items and quotations around a quotation indent it on either side, as its style. */
export function indentOf(state: EditorState, { node }: SyntaxNodeRef): string {
  const around = containersAround(state, node.parent);
  return `--from: ${sum(around, "left")}rem; --to: ${sum(around, "right")}rem`;
}

const barsOf = (all: readonly Container[]): string =>
  all
    .flatMap(({ isItem, side }, index) => {
      const at = `${side} ${sum(all.slice(0, index), side)}rem top / 3px 100% repeat-y`;
      return isItem ? [] : [`linear-gradient(var(--tone, var(--control)) 0 0) ${at}`];
    })
    .join();

const CODE = /^(?:FencedCode|CodeBlock)$/;

/** Hides what indents a line in the source. Code is indented as far as the text of its item; further spaces are its own. */
function hideIndentation(drawing: DrawContext, { from, text }: Line, tree: Tree, item: Container): void {
  const { doc, tabSize } = drawing.state;
  const [prefix = ""] = /^[\s>]*/.exec(text.slice(0, MAX_PREFIX)) ?? [];
  let end = prefix.length;
  if (enclosingNode(tree.resolveInner(from + end, 1), CODE)) {
    const marker = /^\S+(?: {1,4}(?! )| ?)/.exec(doc.sliceString(item.from, item.from + 15))?.[0] ?? "";
    end = findColumn(prefix, item.from - doc.lineAt(item.from).from + marker.length, tabSize);
  }
  for (const { 0: spaces, index } of prefix.matchAll(/^[ \t]+|(?<=^[\s>]*> )[ \t]+/g))
    hide(drawing, from + index, from + Math.min(index + spaces.length, end));
}

/** Draws where an item begins, whose marker stands outside its text. Returns how far. */
function drawBeginning(
  drawing: DrawContext,
  { from, text }: Line,
  { around, begun: [item, ...inside] }: { around: Container[]; begun: Container[] },
): number {
  if (!item) return 0;
  const outer = around.filter(({ isItem }) => isItem);
  const indent = /[ \t]*$/.exec(text.slice(0, item.from - from))?.[0].length ?? 0;
  drawing.add(directed(item.side === "right" ? "rtl" : "ltr"), from);
  const width = sum([item, ...inside], item.side);
  if (outer.length === 0 || indent === 0) return width;
  // In the source, it is indented as far as the items around it are.
  const outside = sum(outer, item.side);
  drawing.add(markDecoration("indent", `width: ${outside}rem`), item.from - indent, item.from);
  return width + outside;
}

/** Indents a line as the items and quotations around it do, and draws their bars. */
export function drawContainers(drawing: DrawContext, line: Line, tree: Tree): void {
  const all = containersOf(drawing.state, line, tree);
  if (all.length === 0) return;
  const bars = barsOf(all);
  const place = all.findIndex(({ isItem, from }) => isItem && from >= line.from);
  const begins = place >= 0;
  const item = all.findLast(({ isItem }) => isItem);
  let style = `--left: ${sum(all, "left")}rem; --right: ${sum(all, "right")}rem`;
  if (bars) style += `; --bars: ${bars}`;
  if (begins) {
    const hang = drawBeginning(drawing, line, { around: all.slice(0, place), begun: all.slice(place) });
    style += `; --hang: ${-hang}rem`;
  } else if (item) hideIndentation(drawing, line, tree, item);
  drawing.add(
    lineDecoration(`inside${bars && " live-quote"}${begins ? " live-begin" : ""}`, style),
    line.from,
  );
}
