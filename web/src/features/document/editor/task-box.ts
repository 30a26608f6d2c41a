import { type EditorView, WidgetType } from "@codemirror/view";

/** The marker and checkbox at the start of a task's line. */
export const TASK_START = /^[\s>]*(?:[-+*]|\d{1,9}[.)])\s+\[([ \txX])\](?=\s)/;

const MAX_NAME = 100;

/** A checkbox in place of `[ ]`. Ticking it changes one character of the text. */
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
    // Not in the tab order, because a text may have many tasks; Mod-Enter ticks with the keyboard.
    box.tabIndex = -1;
    box.className = "live-box";
    this.updateDOM(box);
    // Keeps the cursor in the text, and does not open the keyboard on a phone.
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
