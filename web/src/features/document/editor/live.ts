import { syntaxTree } from "@codemirror/language";
import { Annotation, type EditorState, type Extension, type Line, type Range } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import type { SyntaxNodeRef, Tree } from "@lezer/common";
import {
  linkedId,
  linkWords,
  readNoteAddress,
  wikiLinksIn,
} from "../../../../../src/shared/markdown/note-links.ts";
import { titleText } from "../../../kit/title-text.ts";
import { drawCallout } from "./callouts.ts";
import { directionIn, drawContainers } from "./containers.ts";
import {
  type DrawContext,
  directed,
  drawnLines,
  HIDDEN,
  hide,
  lineDecoration,
  markDecoration,
} from "./decorations.ts";
import { LinkTitle, linkResolver } from "./known-links.ts";
import { enclosingNode } from "./lists.ts";
import { liveTheme } from "./live-look.ts";
import { drawTable } from "./live-table.ts";
import { TaskBox } from "./task-box.ts";
import { titleHeading } from "./title-heading.ts";

// Live preview: the edited text looks like the rendered one. Marks of lines are hidden except on the cursor's lines, and marks of
// words except where the cursor touches them, so that a click moves nothing else in its paragraph. They have no size but stay in
// the DOM for screen readers, copying and input methods.

const LINK = markDecoration("link");
const MISSING = markDecoration("link live-missing");
const MARKED = markDecoration("marked");
const COMMENT = markDecoration("comment");
const CODE = markDecoration("code");
const BULLET = markDecoration("mark live-bullet");
const NUMBER = markDecoration("mark live-number");
const DASH = markDecoration("mark live-dash");
const QUOTED = markDecoration("quoted");
const UNSEEN_QUOTED = markDecoration("quoted live-pipe");

function drawLines(drawing: DrawContext, node: SyntaxNodeRef, name: string): void {
  for (const { from } of drawnLines(drawing, node)) drawing.add(lineDecoration(name), from);
}

const spaceAfter = ({ state }: DrawContext, at: number) =>
  /^ */.exec(state.sliceDoc(at, at + 8))?.[0].length ?? 0;

function drawHeading(drawing: DrawContext, node: SyntaxNodeRef): void {
  const level = drawing.levels.get(node.from) ?? levelOf(node.name);
  drawLines(drawing, node, `heading live-h${Math.min(level, 3)}`);
}

function drawHeaderMark(drawing: DrawContext, { node, from, to }: SyntaxNodeRef): void {
  if (!node.parent?.name.startsWith("ATX")) return;
  const before = / *$/.exec(drawing.state.sliceDoc(node.parent.from, from))?.[0].length ?? 0;
  if (from === node.parent.from) hide(drawing, from, to + spaceAfter(drawing, to));
  else hide(drawing, from - before, to);
}

/** The document to which a link leads; null if there is none, undefined if that is not known. */
const resolved = ({ state }: DrawContext, link: { target: string } | undefined) =>
  link && link.target !== "" ? state.field(linkResolver)(link.target) : undefined;

/** Shows the text of a link without its URL. Brackets without a URL are not a link. */
function drawLink(drawing: DrawContext, { node, from, to }: SyntaxNodeRef): void {
  const [opening, closing] = node.getChildren("LinkMark");
  const url = node.getChild("URL");
  if (!opening || !closing || !url || opening.to === closing.from) return;
  const note = readNoteAddress(drawing.state.sliceDoc(url.from, url.to).replace(/^<|>$/g, ""));
  hide(drawing, from, opening.to, node);
  drawing.add(resolved(drawing, note) === null ? MISSING : LINK, opening.to, closing.from);
  hide(drawing, closing.from, to, node);
}

/** Shows the words of a link to a document without its brackets and folders, and the title for an id. */
function drawNoteLink(drawing: DrawContext, { node, from, to }: SyntaxNodeRef): void {
  const [opening, closing] = node.getChildren("LinkMark");
  if (!opening || !closing) return;
  const link = wikiLinksIn(drawing.state.sliceDoc(from, to)).next().value ?? undefined;
  const found = resolved(drawing, link);
  hide(drawing, from, opening.to, node);
  if (found && link && !link.words && linkedId(link.target) && !drawing.isCursorAt(from, to)) {
    const widget = new LinkTitle(linkWords({ ...link, target: titleText(found.title) }));
    drawing.add(Decoration.replace({ widget }), opening.to, closing.from);
  } else if (opening.to < closing.from)
    drawing.add(found === null ? MISSING : LINK, opening.to, closing.from);
  hide(drawing, closing.from, to, node);
}

function drawQuote(drawing: DrawContext, node: SyntaxNodeRef): void {
  if (drawCallout(drawing, node))
    drawing.add(directed(directionIn(drawing.state, node)), drawing.state.doc.lineAt(node.from).from);
}

/** Hides the mark of a quotation. Behind that of an item, it is as wide as the quotation is indented. */
function drawQuoteMark(drawing: DrawContext, { node, from, to }: SyntaxNodeRef): void {
  const end = to + Math.min(1, spaceAfter(drawing, to));
  const line = drawing.state.doc.lineAt(from).from;
  const item = enclosingNode(node, /^ListItem$/);
  if (!item || item.from < line) hide(drawing, from, end);
  else drawing.add(drawing.isCursorAt(from) ? QUOTED : UNSEEN_QUOTED, from, end);
}

function drawCode(drawing: DrawContext, node: SyntaxNodeRef): void {
  const last = drawing.state.doc.lineAt(node.to).from;
  for (const { from, to } of drawnLines(drawing, node)) {
    const ends = `${from <= node.from && node.from <= to ? " live-first" : ""}${from === last ? " live-last" : ""}`;
    drawing.add(lineDecoration(`block${ends}`), from);
    drawing.add(directed("ltr"), from);
  }
}

/** A fence is as high as the room around code that is read, except while one writes in it. */
function drawFence({ state, isCursorAt, add }: DrawContext, at: number): void {
  const { from } = state.doc.lineAt(at);
  if (/^[\s>]*$/.test(state.sliceDoc(from, at)))
    add(lineDecoration(isCursorAt(from) ? "fence" : "fence live-small"), from);
}

/** Gives the marker of an item, with the space after it, a fixed width. */
function drawListMark(drawing: DrawContext, { node, from, to }: SyntaxNodeRef): void {
  const end = to + spaceAfter(drawing, to);
  const task = node.parent?.getChild("Task");
  const decoration = () => {
    if (task && !drawing.isCursorAt(from, task.from + 3)) return HIDDEN;
    if (node.parent?.parent?.name === "OrderedList") return NUMBER;
    return task || drawing.isCursorAt(from) ? DASH : BULLET;
  };
  drawing.add(decoration(), from, end);
}

function drawTask(drawing: DrawContext, { node, from, to }: SyntaxNodeRef): void {
  const { from: start } = node.parent?.parent ?? node;
  if (drawing.isCursorAt(start, to)) return;
  const name = drawing.state.sliceDoc(to, drawing.state.doc.lineAt(to).to);
  const isDone = drawing.state.sliceDoc(from + 1, from + 2).trim() !== "";
  drawing.add(Decoration.replace({ widget: new TaskBox(isDone, name) }), from, to);
}

const hideMark = (drawing: DrawContext, { node, from, to }: SyntaxNodeRef) =>
  hide(drawing, from, to, node.parent);

const DRAW_BY_NODE: Record<string, (drawing: DrawContext, node: SyntaxNodeRef) => void> = {
  HeaderMark: drawHeaderMark,
  EmphasisMark: hideMark,
  StrikethroughMark: hideMark,
  InlineCode: (drawing, { from, to }) => drawing.add(CODE, from, to),
  CodeMark: (drawing, node) =>
    node.node.parent?.name === "InlineCode" ? hideMark(drawing, node) : drawFence(drawing, node.from),
  Escape: (drawing, { node, from }) => hide(drawing, from, from + 1, node),
  Link: drawLink,
  NoteLink: drawNoteLink,
  Marked: (drawing, { from, to }) => drawing.add(MARKED, from, to),
  MarkedMark: hideMark,
  NoteComment: (drawing, { from, to }) => drawing.add(COMMENT, from, to),
  NoteCommentBlock: (drawing, node) => drawLines(drawing, node, "comment"),
  Image: drawLink,
  Autolink: (drawing, { node, from, to }) => {
    hide(drawing, from, from + 1, node);
    hide(drawing, to - 1, to, node);
  },
  FrontMatter: (drawing, node) => drawLines(drawing, node, "front"),
  FencedCode: drawCode,
  CodeBlock: drawCode,
  Blockquote: drawQuote,
  QuoteMark: drawQuoteMark,
  ListMark: drawListMark,
  TaskMarker: drawTask,
  HorizontalRule: (drawing, node) => {
    if (drawing.isCursorAt(node.from)) return;
    drawing.add(lineDecoration("rule"), drawing.state.doc.lineAt(node.from).from);
    drawing.add(HIDDEN, node.from, node.to);
  },
  Table: drawTable,
};

const levelOf = (name: string) => Number(/Heading(\d)$/.exec(name)?.[1] ?? 0);

/** The levels of rendered headings by offset: at most one below the previous heading. One that repeats the title has none. */
function headingLevels(state: EditorState): Map<number, number> {
  const levels = new Map<number, number>();
  const above: number[] = [];
  const title = state.field(titleHeading, false);
  for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
    const level = levelOf(node.name);
    if (level === 0 || node.from === title?.from) continue;
    while (level <= (above.at(-1) ?? 0)) above.pop();
    above.push(level);
    levels.set(node.from, above.length);
  }
  return levels;
}

/** Returns a function that tells whether the cursor or selection touches a line or range. */
function cursorTest(state: EditorState): DrawContext["isCursorAt"] {
  const lines = state.selection.ranges.map((range) => [
    state.doc.lineAt(range.from).from,
    state.doc.lineAt(range.to).to,
  ]);
  return (from, to) => {
    // With an end, the exact range counts instead of its lines.
    if (to !== undefined) return state.selection.ranges.some((one) => one.from <= to && one.to >= from);
    return lines.some(([start = 0, end = 0]) => start <= from && from <= end);
  };
}

/** Blank lines in these are part of the text. */
const VERBATIM = /Code|HTML|Comment|FrontMatter/;
const HEADING_LINE = /^ {0,3}#{1,6}(?:[ \t]|$)/;

const GAP = lineDecoration("gap");
const HEADING_GAP = lineDecoration("gap live-heading-gap");
const QUOTE_GAP = lineDecoration("gap live-quote-gap");

const isBlank = ({ text }: Line) => /^[\s>]*$/.test(text);
const isQuoted = ({ text }: Line) => text.includes(">");

/** Whether a blank line only separates two blocks. One that is being written on is a line of its own. */
function isGap({ state: { doc }, isCursorAt }: DrawContext, line: Line, tree: Tree): boolean {
  if (!isBlank(line) || line.number === 1 || line.number === doc.lines) return false;
  if (isBlank(doc.line(line.number - 1))) return false;
  if (isCursorAt(line.from) && (isQuoted(line) || isBlank(doc.line(line.number + 1)))) return false;
  return !enclosingNode(tree.resolveInner(line.to, isQuoted(line) ? -1 : 0), VERBATIM);
}

function gapOf(drawing: DrawContext, line: Line, tree: Tree): Decoration | undefined {
  if (!isGap(drawing, line, tree)) return undefined;
  if (isQuoted(line)) return QUOTE_GAP;
  return HEADING_LINE.test(drawing.state.doc.line(line.number + 1).text) ? HEADING_GAP : GAP;
}

/** What depends on whole lines. Blank ones between blocks are as high as the space between the rendered blocks. */
function drawEachLine(drawing: DrawContext, tree: Tree): void {
  const { doc } = drawing.state;
  for (let line = doc.lineAt(drawing.from); ; line = doc.line(line.number + 1)) {
    drawContainers(drawing, line, tree);
    const gap = gapOf(drawing, line, tree);
    if (gap) drawing.add(gap, line.from);
    if (line.to >= drawing.to || line.number === doc.lines) return;
  }
}

type Levels = DrawContext["levels"];

/** A line that may begin or end a heading, or a code block, which has no headings. */
const HEADING_SYNTAX = /^[ \t>]*(?:#|=+[ \t]*$|-+[ \t]*$|```|~~~)/m;

/** Whether a change may add, remove or change headings. */
function touchesHeadings({ changes, startState, state }: ViewUpdate): boolean {
  let isTouched = false;
  const linesIn = ({ doc }: EditorState, from: number, to: number) =>
    doc.sliceString(doc.lineAt(from).from, doc.lineAt(to).to);
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    isTouched ||=
      HEADING_SYNTAX.test(linesIn(startState, fromA, toA)) || HEADING_SYNTAX.test(linesIn(state, fromB, toB));
  });
  return isTouched;
}

/** The levels after a change. Computing them is linear in the text, and most keystrokes only move them. */
function levelsAfter(levels: Levels, update: ViewUpdate): Levels {
  const { docChanged, changes, state, startState } = update;
  const isTitle = state.field(titleHeading, false) !== undefined;
  if (isTitle !== (startState.field(titleHeading, false) !== undefined)) return headingLevels(state);
  if (!docChanged) return syntaxTree(state) === syntaxTree(startState) ? levels : headingLevels(state);
  if (touchesHeadings(update)) return headingLevels(state);
  return new Map([...levels].map(([from, level]) => [changes.mapPos(from, 1), level]));
}

function draw({ state, visibleRanges }: EditorView, levels: Levels, isEntered: boolean): DecorationSet {
  const tree = syntaxTree(state);
  const ranges: Range<Decoration>[] = [];
  const isCursorAt = isEntered ? cursorTest(state) : () => false;
  const add: DrawContext["add"] = (decoration, from, to = from) => ranges.push(decoration.range(from, to));
  for (const { from, to } of visibleRanges) {
    const drawing: DrawContext = { state, from, to, levels, isCursorAt, add };
    drawEachLine(drawing, tree);
    tree.iterate({
      from,
      to,
      enter: (node) => {
        if (levelOf(node.name) > 0) drawHeading(drawing, node);
        else DRAW_BY_NODE[node.name]?.(drawing, node);
      },
    });
  }
  return Decoration.set(ranges, true);
}

const released = Annotation.define<true>();

class LivePreview {
  decorations: DecorationSet;
  private levels: Levels;
  /** Whether the text has had the focus. Before that the cursor is at its start, where it must not reveal markers. */
  private isEntered: boolean;
  /** While the pointer's button is down, nothing is redrawn, so that the text under it does not move. */
  private isPressed = false;
  private readonly view: EditorView;

  constructor(view: EditorView) {
    this.view = view;
    this.isEntered = view.hasFocus;
    this.levels = headingLevels(view.state);
    this.decorations = draw(view, this.levels, this.isEntered);
  }

  update(update: ViewUpdate) {
    const { view, docChanged, viewportChanged, selectionSet, focusChanged, startState, state } = update;
    const isParsed = syntaxTree(startState) !== syntaxTree(state);
    const isResolved = startState.field(linkResolver) !== state.field(linkResolver);
    const isReleased = update.transactions.some((one) => one.annotation(released));
    if (this.isPressed && !docChanged && !viewportChanged && !isParsed) return;
    const isNew = docChanged || viewportChanged || isParsed || isResolved;
    if (!isNew && !selectionSet && !focusChanged && !isReleased) return;
    this.isEntered ||= view.hasFocus;
    this.levels = levelsAfter(this.levels, update);
    this.decorations = draw(view, this.levels, this.isEntered);
  }

  press() {
    this.isPressed = true;
    const stop = new AbortController();
    const release = () => {
      stop.abort();
      this.isPressed = false;
      // After the editor has read the pointer's position.
      setTimeout(() => this.view.dispatch({ annotations: released.of(true) }));
    };
    for (const event of ["pointerup", "pointercancel"])
      this.view.dom.ownerDocument.addEventListener(event, release, { capture: true, signal: stop.signal });
  }
}

export const livePreview: Extension = [
  linkResolver,
  ViewPlugin.fromClass(LivePreview, {
    decorations: ({ decorations }) => decorations,
    eventHandlers: {
      pointerdown() {
        this.press();
      },
    },
  }),
  liveTheme,
];
