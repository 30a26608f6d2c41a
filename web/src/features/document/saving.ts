import { type Document, documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { ApiError, isApiError, isPassing } from "../../api/request.ts";
import { createdBefore } from "./creation.ts";
import { type Written, writeOver } from "./data.ts";
import type { Keeping } from "./keeping.ts";
import type { Text } from "./merging.ts";
import type { Start } from "./start.ts";
import { contentWith, sameWriting } from "./writing.ts";

const firstWords = (text: string) =>
  text
    .split("\n")
    .map((line) => line.replace(/^[#>*\s-]+/, "").trim())
    .find(Boolean)
    ?.slice(0, 100);

/** The text as it is sent: one that was given no title has its first words as one. */
export const titled = ({ title, text }: Text): Text => ({
  title: title.trim() || firstWords(text) || "Untitled",
  text,
});

/** What is written, as the service takes it. */
const written = ({ kind, like }: Pick<Start, "kind" | "like">, base: Document | undefined, text: Text) => ({
  title: titled(text).title,
  content: contentWith((base ?? like)?.content, { kind, text: text.text }),
});

/** Whether a document already says what is written. */
export const isWrittenIn = (document: Document, start: Start, text: Text): boolean =>
  sameWriting(document, { ...document, ...written(start, document, text) });

/** Whether a request, or an earlier attempt at it, may have been carried out all the same. */
const isUndecided = (problem: unknown) => isPassing(problem) || isApiError(problem, 401, 409);

/** What is kept in this browser until the service has it. */
type Kept = Pick<Keeping, "creation" | "keep" | "moveTo">;

/**
 * Creates the document with what is written now; while such a request has no answer, that one is repeated, whatever has
 * been written since.
 */
async function create(start: Start, { creation, keep, moveTo }: Kept, text: Text): Promise<Document> {
  const of = { folder_id: start.folder ?? null, ...(start.like && { tags: start.like.tags }) };
  const body = { ...written(start, undefined, text), ...of };
  const isRepeated = creation.current !== undefined;
  creation.current ??= { key: randomId(), sent: new Date().toISOString(), body };
  await keep();
  const before = isRepeated ? await createdBefore(creation.current) : undefined;
  try {
    const created = before ?? (await documentsApi.create(creation.current.body, creation.current.key));
    await moveTo(created);
    return created;
  } catch (problem) {
    if (!isUndecided(problem)) creation.current = undefined;
    await keep();
    throw problem;
  }
}

export type Saved = { over: Document | undefined; text: Text; sitting: string };

/** A title that nobody changed in the text is not the text's: it may be that of a change that waits. */
const newIn = (over: Document, { title, content }: Written): Partial<Written> =>
  title === over.title ? { content } : { title, content };

/** Creates the document, or writes over the one that it is based on. Throws ApiError, Conflict, SyntaxError. */
export async function write(start: Start, draft: Kept, { over, text, sitting }: Saved): Promise<Document> {
  if (over) return writeOver(over, newIn(over, written(start, over, text)), { sitting });
  const created = await create(start, draft, text);
  return isWrittenIn(created, start, text)
    ? created
    : writeOver(created, newIn(created, written(start, created, text)), { sitting });
}

const GONE = "This document has been deleted meanwhile. Your text is still here.";

export function explained(problem: Error): Error {
  if (problem instanceof SyntaxError) return new ApiError(422, `This is not valid JSON: ${problem.message}`);
  return isApiError(problem, 404) ? new ApiError(404, GONE) : problem;
}
