import type { EditorState, Line } from "@codemirror/state";
import { Decoration } from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";

// What the parts of live.ts draw with.

/** One for each name: the editor compares all that are in sight at every key, and the same object at once. */
function each(make: (name: string) => Decoration): (name: string) => Decoration {
  const made = new Map<string, Decoration>();
  return (name) => {
    const one = made.get(name) ?? make(name);
    made.set(name, one);
    return one;
  };
}

export const mark = each((name) => Decoration.mark({ class: `live-${name}` }));
export const line = each((name) => Decoration.line({ class: `live-${name}` }));

/** A cell of a table with this style. */
export const cell = each((style) => Decoration.mark({ class: "live-cell", attributes: { style } }));

/** A mark that has no size. */
export const HIDDEN = mark("hidden");

export type Drawing = {
  state: EditorState;
  /** The part that is drawn. */
  from: number;
  to: number;
  isCursorAt: (from: number, to?: number) => boolean;
  levels: ReadonlyMap<number, number>;
  add: (decoration: Decoration, from: number, to?: number) => void;
};

/** Hides a mark, except on a line where the cursor is. */
export function hide(drawing: Drawing, from: number, to: number): void {
  if (from < to && !drawing.isCursorAt(from)) drawing.add(HIDDEN, from, to);
}

/** The lines of a node in the part that is drawn; those that it only touches are none of them. */
export function* linesOf({ state, from, to }: Drawing, node: SyntaxNodeRef): Generator<Line> {
  const end = Math.min(node.to, to);
  for (let at = Math.max(node.from, from); at <= end; ) {
    const one = state.doc.lineAt(at);
    yield one;
    at = one.to + 1;
  }
}
