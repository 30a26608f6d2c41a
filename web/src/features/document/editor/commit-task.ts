import { type EditorState, StateEffect, StateField } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { BLOCK_ID } from "../../../../../src/shared/markdown/note-links.ts";
import { linkedRecordId } from "../commitments/link.ts";
import { TASK_START } from "./task-box.ts";

// Turns the task at the cursor into a commitment, and inserts a link to it once it is created.

/** Inserts the link after the task, or removes it. Returns false if the editor is closed. */
export type TaskLinker = Record<"insert" | "remove", (link: string) => boolean>;

export type MakeCommitment = (words: string, linking: TaskLinker) => Promise<void>;

/** The offset at which a link will be inserted, when the request began. The object identifies it. */
type LinkPosition = { at: number };

const addPosition = StateEffect.define<LinkPosition>();
const removePosition = StateEffect.define<LinkPosition>();

/** The positions of pending links and their current offsets. */
const pendingLinks = StateField.define<ReadonlyMap<LinkPosition, number>>({
  create: () => new Map(),
  update: (positions, { changes, effects }) => {
    if (positions.size === 0 && effects.length === 0) return positions;
    // Text typed after the task in the meantime stays after the link.
    const moved = new Map([...positions].map(([position, at]) => [position, changes.mapPos(at, -1)]));
    for (const effect of effects) {
      if (effect.is(addPosition)) moved.set(effect.value, effect.value.at);
      if (effect.is(removePosition)) moved.delete(effect.value);
    }
    return moved;
  },
});

type OpenTask = { words: string; end: number };

/** The open task at an offset that is not a commitment yet; undefined if there is none. */
export function openTaskAt({ doc }: EditorState, at: number): OpenTask | undefined {
  const { text, from } = doc.lineAt(at);
  const [mark, tick = ""] = TASK_START.exec(text) ?? [];
  const words = mark === undefined ? "" : text.slice(mark.length).trim();
  if (words === "" || tick.trim() !== "" || linkedRecordId(words) !== undefined) return undefined;
  // The id of a block stays at its end.
  return { words, end: from + text.replace(BLOCK_ID, "").trimEnd().length };
}

async function insertLink(view: EditorView, { words, end }: OpenTask, commit: MakeCommitment): Promise<void> {
  const position = { at: end };
  view.dispatch({ effects: addPosition.of(position) });
  const change = (from: number, to: number, insert: string, userEvent: string) => {
    const isOpen = view.dom.isConnected;
    if (isOpen && from >= 0) view.dispatch({ changes: { from, to, insert }, userEvent });
    return isOpen;
  };
  const linking: TaskLinker = {
    insert: (link) => {
      const at = view.state.field(pendingLinks).get(position) ?? end;
      return change(at, at, ` ${link}`, "input.complete");
    },
    remove: (link) => {
      const from = view.state.doc.toString().indexOf(` ${link}`);
      return change(from, from + link.length + 1, "", "delete");
    },
  };
  await commit(words, linking).finally(() => view.dispatch({ effects: removePosition.of(position) }));
}

/** Turns the task at an offset into a commitment. Does nothing if there is none. */
export function commitTaskAt(view: EditorView, at: number, commit: MakeCommitment): void {
  if (!view.state.field(pendingLinks, false))
    view.dispatch({ effects: StateEffect.appendConfig.of(pendingLinks) });
  const { state } = view;
  const task = openTaskAt(state, Math.min(at, state.doc.length));
  const isPending = [...state.field(pendingLinks).values()].includes(task?.end ?? -1);
  if (task && !isPending) void insertLink(view, task, commit);
}
