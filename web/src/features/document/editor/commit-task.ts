import { type EditorState, type Line, StateEffect, StateField } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { recordIn } from "../commitments/link.ts";
import { TASK } from "./task-box.ts";

// The task that the cursor is on becomes a commitment: once that exists, a link to it comes behind the words.

/** Puts the link behind the words, or takes it out again. False where the text is no longer here. */
export type Linking = Record<"put" | "takeOut", (link: string) => boolean>;

/** Makes a commitment of a task. */
export type Commit = (words: string, linking: Linking) => Promise<void>;

/** Where a link is going to be. */
type Place = { at: number };

const follow = StateEffect.define<Place>();
const forget = StateEffect.define<Place>();

/** The places whose links are on their way, wherever they are by now. */
const followed = StateField.define<ReadonlyMap<Place, number>>({
  create: () => new Map(),
  update: (places, { changes, effects }) => {
    if (places.size === 0 && effects.length === 0) return places;
    // What is written behind the words meanwhile stays behind the link.
    const moved = new Map([...places].map(([place, at]) => [place, changes.mapPos(at, -1)]));
    for (const effect of effects) {
      if (effect.is(follow)) moved.set(effect.value, effect.value.at);
      if (effect.is(forget)) moved.delete(effect.value);
    }
    return moved;
  },
});

export const committing = followed;

type Found = { words: string; end: number };

function taskOn({ text, from }: Line): Found | undefined {
  const [mark, state = ""] = TASK.exec(text) ?? [];
  const words = mark === undefined ? "" : text.slice(mark.length).trim();
  if (words === "" || state.trim() !== "" || recordIn(words) !== undefined) return undefined;
  return { words, end: from + text.trimEnd().length };
}

/** The open task at a place that is no commitment yet; undefined if there is none. */
export const taskAt = (state: EditorState, at: number): Found | undefined => taskOn(state.doc.lineAt(at));

async function insertLink(view: EditorView, { words, end }: Found, commit: Commit): Promise<void> {
  const place = { at: end };
  view.dispatch({ effects: follow.of(place) });
  const change = (from: number, to: number, insert: string, userEvent: string) => {
    const isHere = view.dom.isConnected;
    if (isHere && from >= 0) view.dispatch({ changes: { from, to, insert }, userEvent });
    return isHere;
  };
  const linking: Linking = {
    put: (link) => {
      const at = view.state.field(followed).get(place) ?? end;
      return change(at, at, ` ${link}`, "input.complete");
    },
    takeOut: (link) => {
      const from = view.state.doc.toString().indexOf(` ${link}`);
      return change(from, from + link.length + 1, "", "delete");
    },
  };
  await commit(words, linking).finally(() => view.dispatch({ effects: forget.of(place) }));
}

/** Makes the task that the cursor is on a commitment. Does nothing where there is none. */
export const commitTask =
  (commit: Commit) =>
  (view: EditorView): boolean => {
    const { state } = view;
    const found = taskAt(state, state.selection.main.head);
    const isUnderWay = [...state.field(followed).values()].includes(found?.end ?? -1);
    if (found && !isUnderWay) void insertLink(view, found, commit);
    return found !== undefined;
  };
