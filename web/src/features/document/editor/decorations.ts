import type { EditorState, Line } from "@codemirror/state";
import { Decoration } from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";

// What the parts of the live preview (live.ts) share.

/** Caches decorations by name and style: the editor compares all visible ones at every keystroke, and identical objects are fast. */
function cached(create: (name: string, style: string) => Decoration) {
  const known = new Map<string, Decoration>();
  return (name: string, style = ""): Decoration => {
    const key = `${name}|${style}`;
    const decoration = known.get(key) ?? create(name, style);
    known.set(key, decoration);
    return decoration;
  };
}

const look = (name: string, style: string) => ({
  class: `live-${name}`,
  ...(style && { attributes: { style } }),
});

export const markDecoration = cached((name, style) => Decoration.mark(look(name, style)));
export const lineDecoration = cached((name, style) => Decoration.line(look(name, style)));

/** A line with this direction. */
export const directed = cached((dir) => Decoration.line({ attributes: { dir } }));

/** The direction is set so that a line gets that of the words that are shown. */
export const HIDDEN = Decoration.mark({ class: "live-hidden", attributes: { dir: "ltr" } });

type Marked = { from: number; to: number };

export type DrawContext = {
  state: EditorState;
  /** The range to draw. */
  from: number;
  to: number;
  isCursorAt: (from: number, to?: number) => boolean;
  levels: ReadonlyMap<number, number>;
  add: (decoration: Decoration, from: number, to?: number) => void;
};

/** Hides a mark, except on the cursor's line, or where the cursor is in what is marked. */
export function hide(drawing: DrawContext, from: number, to: number, marked?: Marked | null): void {
  if (from < to && !drawing.isCursorAt(marked?.from ?? from, marked?.to)) drawing.add(HIDDEN, from, to);
}

/** The lines of a node inside the drawn range. */
export function* drawnLines({ state, from, to }: DrawContext, node: SyntaxNodeRef): Generator<Line> {
  const end = Math.min(node.to, to);
  for (let at = Math.max(node.from, from); at <= end; ) {
    const one = state.doc.lineAt(at);
    yield one;
    at = one.to + 1;
  }
}
