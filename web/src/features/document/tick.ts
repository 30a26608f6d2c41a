import { type Document, documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { attempt } from "../../state/attempt.ts";
import { offerToResolve } from "./commitments/records-of.ts";
import { showAtOnce, showWritten } from "./data.ts";
import { type Ticked, tickedAt } from "./tasks.tsx";
import { writeText } from "./write-text.ts";
import { contentWith, writingOf } from "./writing.ts";

/** What one ticks on a page is one change for some minutes, as what one writes. */
const SITTING = randomId();

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
    return writeText(document, task.text, { sitting: SITTING, changes });
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
    if (task.done) offerToResolve(document.id, task.markdown);
    return undefined;
  });
