import type { DocumentRow } from "../../contract/document.ts";
import { markdownOf } from "../../contract/markdown/content-text.ts";
import { countTasks } from "../../contract/markdown/tasks.ts";

/** The columns of a document that follow from its content. Whoever writes the content writes them with it. */
export function taskCounts(content: DocumentRow["content"]): { open_tasks: number; done_tasks: number } {
  const { open, done } = countTasks(markdownOf(content));
  return { open_tasks: open, done_tasks: done };
}
