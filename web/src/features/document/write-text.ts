import type { Document } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { Conflict, writeOver } from "./data.ts";
import { mergeWith } from "./merging.ts";
import { contentWith, writingOf } from "./writing.ts";

type Send = <T>(write: () => Promise<T>) => Promise<T>;

/**
 * Saves a text, merged with newer versions of the document. Throws ApiError, or Conflict if both changed the same passage.
 *
 * @param send runs the request: by default it is repeated until it is answered
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
    // There may be an even newer version.
    return writeText(theirs, merged.text.text, by, send);
  }
}
