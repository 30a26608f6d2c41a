import type { StateCommand } from "@codemirror/state";
import { TASK_START } from "./task-box.ts";

/** Ticks the tasks on the selected lines, or unticks them if all are ticked. */
export const tickTasks: StateCommand = ({ state, dispatch }) => {
  /** Whether each task is done, by the offset of its checkbox character. */
  const tasks = new Map<number, boolean>();
  for (const { from, to } of state.selection.ranges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const task = TASK_START.exec(line.text);
      if (task) tasks.set(line.from + task[0].length - 2, Boolean(task[1]?.trim()));
      at = line.to + 1;
    }
  }
  if (tasks.size === 0) return false;
  const insert = [...tasks.values()].every(Boolean) ? " " : "x";
  const changes = [...tasks.keys()].map((from) => ({ from, to: from + 1, insert }));
  dispatch(state.update({ changes, userEvent: "input.tick" }));
  return true;
};
