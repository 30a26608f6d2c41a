import type { Document } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { Conflict, writeOver } from "./data.ts";
import { mergeWith } from "./merging.ts";
import { contentWith, writingOf } from "./writing.ts";

type Send = <T>(write: () => Promise<T>) => Promise<T>;

/**
 * Writes a text over a document, merged with what somebody else has written meanwhile. Throws ApiError, or Conflict where
 * both have changed the same passage.
 *
 * @param send how often it is tried: until it is answered, unless somebody else repeats it
 */
export async function writeText(
  document: Document,
  text: string,
  by: { sitting?: string; changes: string[] },
  send: Send = untilAnswered,
): Promise<Document> {
  const { kind } = writingOf(document.content);
  try {
    const content = contentWith(document.content, { kind, text });
    return await send(() => writeOver(document, { content }, by));
  } catch (problem) {
    if (!(problem instanceof Conflict)) throw problem;
    const { theirs } = problem;
    const merged = mergeWith(theirs, document, { mine: { title: document.title, text }, sent: [] });
    if (!merged.text) throw problem;
    // Somebody may have written once more meanwhile.
    return writeText(theirs, merged.text.text, by, send);
  }
}
