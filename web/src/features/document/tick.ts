import { type Document, documentsApi } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { attempt } from "../../state/attempt.ts";
import { Conflict, showAtOnce, showWritten, writeOver } from "./data.ts";
import { mergeWith } from "./merging.ts";
import { type Ticked, tickedAt } from "./tasks.tsx";
import { contentWith, writingOf } from "./writing.ts";

/** What one ticks on a page is one change for some minutes, as what one writes. */
const SITTING = randomId();

/** Writes a text over a document, merged with what somebody else has written meanwhile. Throws ApiError, Conflict. */
async function put(document: Document, text: string, changes: string[]): Promise<Document> {
  const { kind } = writingOf(document.content);
  const contentOf = (base: Document, next: string) => contentWith(base.content, { kind, text: next });
  const by = { sitting: SITTING, changes };
  try {
    return await untilAnswered(() => writeOver(document, { content: contentOf(document, text) }, by));
  } catch (problem) {
    if (!(problem instanceof Conflict)) throw problem;
    const { theirs } = problem;
    const merged = mergeWith(theirs, document, { mine: { title: document.title, text }, sent: [] });
    if (!merged.text) throw problem;
    const content = contentOf(theirs, merged.text.text);
    return untilAnswered(() => writeOver(theirs, { content }, by));
  }
}

/** Sends which task is ticked; where the text is another by now, what it becomes. Throws ApiError, Conflict. */
async function send(
  document: Document,
  ticked: Document,
  task: Ticked,
  changes: string[],
): Promise<Document> {
  try {
    const by = { version: document.version, sitting: SITTING, changes };
    const { version, updated_at } = await documentsApi.tick(document.id, task, by);
    return { ...ticked, version, updated_at };
  } catch (problem) {
    if (!isApiError(problem, 412)) throw problem;
    return put(document, task.text, changes);
  }
}

/** Ticks a task of a document, or unticks it: shown at once, and taken back if it is refused. */
export const tickTask = (document: Document, place: number): Promise<boolean> =>
  attempt(async (changes) => {
    const { kind, text } = writingOf(document.content);
    const task = tickedAt(text, place);
    if (!task) return undefined;
    const content = contentWith(document.content, { kind, text: task.text });
    const ticked = { ...document, content };
    showAtOnce(ticked);
    showWritten(await send(document, ticked, task, changes));
    return undefined;
  });
