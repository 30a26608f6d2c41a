import type { StateCommand } from "@codemirror/state";
import { type EditorView, WidgetType } from "@codemirror/view";

// The boxes of tasks in a text that is being written.

/** The beginning of a task's line, up to its words. */
export const TASK = /^[\s>]*(?:[-+*]|\d{1,9}[.)])\s+\[([ \txX])\](?=\s)/;

const MAX_NAME = 100;

/** A checkbox in the place of `[ ]`, which writes one character when it is ticked. */
export class TaskBox extends WidgetType {
  readonly isDone: boolean;
  readonly name: string;

  constructor(isDone: boolean, name: string) {
    super();
    this.isDone = isDone;
    this.name = name.trim().slice(0, MAX_NAME) || "Task";
  }

  override eq(other: TaskBox): boolean {
    return other.isDone === this.isDone && other.name === this.name;
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("input");
    box.type = "checkbox";
    // Mod-Enter ticks, too; with many tasks the way out of the text would be long.
    box.tabIndex = -1;
    box.className = "live-box";
    this.updateDOM(box);
    // The cursor stays in the text, and no keyboard comes up on a phone.
    box.addEventListener("mousedown", (event) => event.preventDefault());
    box.addEventListener("change", () => {
      const at = view.posAtDOM(box) + 1;
      const insert = box.checked ? "x" : " ";
      view.dispatch({ changes: { from: at, to: at + 1, insert }, userEvent: "input.tick" });
    });
    return box;
  }

  override updateDOM(box: HTMLElement): boolean {
    const input = box as HTMLInputElement;
    input.checked = this.isDone;
    input.setAttribute("aria-label", this.name);
    return true;
  }
}

/** Ticks the tasks on the selected lines, or unticks them when all are ticked. Does nothing where there is none. */
export const tickTasks: StateCommand = ({ state, dispatch }) => {
  const found = new Map<number, boolean>();
  for (const { from, to } of state.selection.ranges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const task = TASK.exec(line.text);
      if (task) found.set(line.from + task[0].length - 2, Boolean(task[1]?.trim()));
      at = line.to + 1;
    }
  }
  if (found.size === 0) return false;
  const insert = [...found.values()].every(Boolean) ? " " : "x";
  const changes = [...found.keys()].map((from) => ({ from, to: from + 1, insert }));
  dispatch(state.update({ changes, userEvent: "input.tick" }));
  return true;
};
