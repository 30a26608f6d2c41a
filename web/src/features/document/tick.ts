import { type Document, documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { attempt } from "../../state/attempt.ts";
import { offerToResolve } from "./commitments/records-of.ts";
import { showAtOnce, showWritten } from "./data.ts";
import { inTurn, isSettled } from "./in-turn.ts";
import { isSameButTicks, type Ticked, tickedAt, tickedIn } from "./tasks.tsx";
import { writeText } from "./write-text.ts";
import { contentWith, writingOf } from "./writing.ts";

/** What one ticks on a page is one change for some minutes, as what one writes. */
const SITTING = randomId();

type Tick = { document: Document; task: Ticked; changes: string[] };

/**
 * Sends which task is ticked, of the latest state that is known; where its text is another than the one that was clicked,
 * what that becomes. Throws ApiError, Conflict.
 */
async function send(latest: Document, tick: Tick): Promise<Document> {
  const { document, task, changes } = tick;
  const { kind, text } = writingOf(latest.content);
  if (!isSameButTicks(text, writingOf(document.content).text))
    return writeText(document, task.text, { sitting: SITTING, changes });
  const content = contentWith(latest.content, { kind, text: tickedIn(text, task) });
  try {
    const by = { version: latest.version, sitting: SITTING, changes };
    const { version, updated_at } = await documentsApi.tick(document.id, task, by);
    return { ...latest, content, version, updated_at };
  } catch (problem) {
    if (!isApiError(problem, 412)) throw problem;
    return send(await documentsApi.get(document.id), tick);
  }
}

/** Ticks a task of a document, or unticks it: shown at once, and taken back if it is refused. */
export const tickTask = (document: Document, place: number): Promise<boolean> =>
  attempt(async (changes) => {
    const { id } = document;
    const { kind, text } = writingOf(document.content);
    const task = tickedAt(text, place);
    if (!task) return undefined;
    showAtOnce({ ...document, content: contentWith(document.content, { kind, text: task.text }) });
    const ticked = await inTurn(id, (before) => {
      const isNewer = before && before.version > document.version;
      return send(isNewer ? before : document, { document, task, changes });
    });
    // The answer to one of several does not show the others that follow it.
    if (isSettled(id)) showWritten(ticked);
    if (task.done) offerToResolve(id, task.markdown);
    return undefined;
  });
