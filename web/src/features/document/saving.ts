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

/** A text without a title gets its first words as title. */
export const titled = ({ title, text }: Text): Text => ({
  title: title.trim() || firstWords(text) || "Untitled",
  text,
});

/** The body of the request that saves a text. */
const requestBody = (
  { kind, like }: Pick<Start, "kind" | "like">,
  base: Document | undefined,
  text: Text,
) => ({
  title: titled(text).title,
  content: contentWith((base ?? like)?.content, { kind, text: text.text }),
});

/** Whether a document already has this text. */
export const isWrittenIn = (document: Document, start: Start, text: Text): boolean =>
  sameWriting(document, { ...document, ...requestBody(start, document, text) });

/** Whether the request, or an earlier attempt at it, may have been carried out despite the error. */
const mayBeDone = (problem: unknown) => isPassing(problem) || isApiError(problem, 401, 409);

/** How a draft is kept in this browser until the service has it. */
type DraftStore = Pick<Keeping, "creation" | "keep" | "moveTo">;

/**
 * Creates the document. While a creation request has no answer, the same request is repeated, even if the text has changed
 * since.
 */
async function create(start: Start, { creation, keep, moveTo }: DraftStore, text: Text): Promise<Document> {
  const placement = { folder_id: start.folder ?? null, ...(start.like && { tags: start.like.tags }) };
  const body = { ...requestBody(start, undefined, text), ...placement };
  const isRepeated = creation.current !== undefined;
  creation.current ??= { key: randomId(), sent: new Date().toISOString(), body };
  await keep();
  const before = isRepeated ? await createdBefore(creation.current) : undefined;
  try {
    const created = before ?? (await documentsApi.create(creation.current.body, creation.current.key));
    await moveTo(created);
    return created;
  } catch (problem) {
    if (!mayBeDone(problem)) creation.current = undefined;
    await keep();
    throw problem;
  }
}

export type Saved = { over: Document | undefined; text: Text; sitting: string };

/** Leaves out a title that was not changed: it may come from a pending rename. */
const changedPart = (over: Document, { title, content }: Written): Partial<Written> =>
  title === over.title ? { content } : { title, content };

/** Creates the document, or overwrites the version that it is based on. Throws ApiError, Conflict, SyntaxError. */
export async function write(
  start: Start,
  draft: DraftStore,
  { over, text, sitting }: Saved,
): Promise<Document> {
  if (over) return writeOver(over, changedPart(over, requestBody(start, over, text)), { sitting });
  const created = await create(start, draft, text);
  return isWrittenIn(created, start, text)
    ? created
    : writeOver(created, changedPart(created, requestBody(start, created, text)), { sitting });
}

const GONE = "This document was deleted. Your text is still here.";

/** The error as it is shown to the user. */
export function explained(problem: Error): Error {
  if (problem instanceof SyntaxError) return new ApiError(422, `This is not valid JSON: ${problem.message}`);
  return isApiError(problem, 404) ? new ApiError(404, GONE) : problem;
}
