import type { Document } from "../../api/documents.ts";
import { retryUntilAnswered } from "../../api/retry.ts";
import { Conflict, updateFromBase } from "./data.ts";
import { mergeDocument } from "./merging.ts";
import { withSourceText, writingOf } from "./writing.ts";

type Send = <T>(write: () => Promise<T>) => Promise<T>;

/** Saves a text, merged with newer versions. `send` runs the request. Throws ApiError, or Conflict if a passage changed twice. */
export async function mergeAndSaveText(
  document: Document,
  text: string,
  by: { editSession?: string; changes: string[] },
  send: Send = retryUntilAnswered,
): Promise<Document> {
  const { kind } = writingOf(document.content);
  try {
    const content = withSourceText(document.content, { kind, text });
    return await send(() => updateFromBase(document, { content }, by));
  } catch (problem) {
    if (!(problem instanceof Conflict)) throw problem;
    const { theirs } = problem;
    const merged = mergeDocument(theirs, document, { mine: { title: document.title, text }, sent: [] });
    if (!merged.text) throw problem;
    // There may be an even newer version.
    return mergeAndSaveText(theirs, merged.text.text, by, send);
  }
}
