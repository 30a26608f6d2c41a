import { type Document, documentsApi } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { attempt } from "../../state/attempt.ts";
import { Conflict, showAtOnce, showWritten, writeOver } from "./data.ts";
import { inTurn, isSettled } from "./in-turn.ts";
import { mergeWith } from "./merging.ts";
import { isSameButTicks, type Ticked, tickedAt, tickedIn } from "./tasks.tsx";
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

type Tick = { document: Document; task: Ticked; changes: string[] };

/**
 * Sends which task is ticked, of the latest state that is known; where its text is another than the one that was clicked,
 * what that becomes. Throws ApiError, Conflict.
 */
async function send(latest: Document, tick: Tick): Promise<Document> {
  const { document, task, changes } = tick;
  const { kind, text } = writingOf(latest.content);
  if (!isSameButTicks(text, writingOf(document.content).text)) return put(document, task.text, changes);
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
    return undefined;
  });
