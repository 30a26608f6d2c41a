import type { DocumentRow } from "../../contract/document.ts";
import { markdownBody } from "../../shared/markdown/content-text.ts";
import { countTasks } from "../../shared/markdown/tasks.ts";

/** The columns derived from a document's content. All code that writes the content must write them too. */
export function taskCounts(content: DocumentRow["content"]): { open_tasks: number; done_tasks: number } {
  const { open, done } = countTasks(markdownBody(content));
  return { open_tasks: open, done_tasks: done };
}
