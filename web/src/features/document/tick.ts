import type { Document } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { attempt } from "../../state/attempt.ts";
import { Conflict, showAtOnce, showWritten, writeOver } from "./data.ts";
import { mergeWith } from "./merging.ts";
import { withTicked } from "./tasks.tsx";
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

/** Ticks a task of a document, or unticks it: shown at once, and taken back if it is refused. */
export const tickTask = (document: Document, place: number): Promise<boolean> =>
  attempt(async (changes) => {
    const text = withTicked(writingOf(document.content).text, place);
    if (text === undefined) return undefined;
    const { kind } = writingOf(document.content);
    showAtOnce({ ...document, content: contentWith(document.content, { kind, text }) });
    showWritten(await put(document, text, changes));
    return undefined;
  });
