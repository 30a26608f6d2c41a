import type { DocumentRow } from "../../contract/document.ts";
import { nameKey, normalizeName } from "../../contract/name-key.ts";
import { markdownBody } from "../../shared/markdown/content-text.ts";
import { documentExcerpt } from "../../shared/markdown/excerpt.ts";
import { countTasks } from "../../shared/markdown/tasks.ts";

// Columns computed from a document's title and content. All code that writes these must write the derived ones too.

export function taskCounts(content: DocumentRow["content"]): { open_tasks: number; done_tasks: number } {
  const { open, done } = countTasks(markdownBody(content));
  return { open_tasks: open, done_tasks: done };
}

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Longer titles get no key: next to the largest content a row has no room for it. */
const MAX_KEYED_TITLE = 60;

/** Stands for no key: the title is only found in its exact spelling. */
export const NO_TITLE_KEY = "";

/** The key that all spellings of a title share. Null for trimmed printable ASCII, which the index of titles finds anyway. */
export function titleKey(title: string): string | null {
  if (PRINTABLE_ASCII.test(title) && title.trim() === title) return null;
  return title.length > MAX_KEYED_TITLE ? NO_TITLE_KEY : nameKey(normalizeName(title));
}

export const derivedColumns = (document: Pick<DocumentRow, "title" | "content">) => ({
  ...taskCounts(document.content),
  excerpt: documentExcerpt(document),
  title_key: titleKey(document.title),
});
