import { syntaxTree } from "@codemirror/language";
import type { EditorState, Line } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { BELOW_SIGNS_PX, type Seen } from "../begin-at.ts";

/** What is one block when it is read, however many lines it is written in. */
const ONE_BLOCK = new Set(["Paragraph", "FencedCode", "CodeBlock"]);

/** Where the block begins that a line is in; one without words belongs to what is above it. */
function blockAt(state: EditorState, { number }: Line): { line: Line; at: number } {
  let line = state.doc.line(number);
  while (line.text.trim() === "" && line.number > 1) line = state.doc.line(line.number - 1);
  let block = line.to;
  const inside = line.from + line.text.search(/\S|$/);
  for (let node = syntaxTree(state).resolveInner(inside, 1).node; node.parent; node = node.parent)
    if (ONE_BLOCK.has(node.name)) block = node.from;
  return { line: block < line.from ? state.doc.lineAt(block) : line, at: block };
}

/** What somebody sees who writes: the block with the cursor if that is in sight, or else the first one that is. */
export function seenIn(view: EditorView): Seen | undefined {
  if (scrollY === 0) return undefined;
  const { state } = view;
  const cursor = view.coordsAtPos(state.selection.main.head);
  const isInSight = cursor !== null && cursor.top >= BELOW_SIGNS_PX && cursor.bottom <= innerHeight;
  const first = view.lineBlockAtHeight(BELOW_SIGNS_PX - view.documentTop);
  const place = isInSight ? state.selection.main.head : Math.min(first.to + 1, state.doc.length);
  const { line, at } = blockAt(state, state.doc.lineAt(place));
  return { at, top: view.documentTop + view.lineBlockAt(line.from).top };
}

/** How long the heights of the lines of a new editor may change: once they are drawn, and once their Markdown has been read. */
const SETTLING_FRAMES = 30;
const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

/** Shows a place of the text as far below the top of the window as it was seen, until somebody goes on from there. */
export function showSeen(view: EditorView, { at, top }: Seen): void {
  const place = Math.min(at, view.state.doc.length);
  const moved = new AbortController();
  for (const move of MOVES) addEventListener(move, () => moved.abort(), { signal: moved.signal });
  let frames = 0;
  const settle = () => {
    if (moved.signal.aborted || !view.dom.isConnected || frames === SETTLING_FRAMES) return moved.abort();
    frames += 1;
    const now = view.coordsAtPos(place)?.top ?? top;
    if (Math.abs(now - top) >= 1) scrollBy({ top: now - top, behavior: "instant" });
    requestAnimationFrame(settle);
  };
  view.dispatch({ effects: EditorView.scrollIntoView(place, { y: "start", yMargin: top }) });
  requestAnimationFrame(settle);
}
