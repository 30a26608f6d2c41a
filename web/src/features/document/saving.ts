import { type Document, documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { ApiError, isApiError, isTransientError } from "../../api/request.ts";
import { findAlreadyCreated } from "./creation.ts";
import { type TitleAndContent, updateFromBase } from "./data.ts";
import type { TitledText } from "./merging.ts";
import type { EditStart } from "./start.ts";
import type { DraftStorage } from "./use-draft-storage.ts";
import { isSameWriting, withSourceText } from "./writing.ts";

const firstWords = (text: string) =>
  text
    .split("\n")
    .map((line) => line.replace(/^[#>*\s-]+/, "").trim())
    .find(Boolean)
    ?.slice(0, 100);

/** A text without a title gets its first words as title. */
export const withTitle = ({ title, text }: TitledText): TitledText => ({
  title: title.trim() || firstWords(text) || "Untitled",
  text,
});

/** The body of the request that saves a text. */
const requestBody = (
  { kind, like }: Pick<EditStart, "kind" | "like">,
  base: Document | undefined,
  text: TitledText,
) => ({
  title: withTitle(text).title,
  content: withSourceText((base ?? like)?.content, { kind, text: text.text }),
});

/** Whether a document already has this text. */
export const isSavedIn = (document: Document, start: EditStart, text: TitledText): boolean =>
  isSameWriting(document, { ...document, ...requestBody(start, document, text) });

/** Whether the request, or an earlier attempt at it, may have been carried out despite the error. */
const mayBeDone = (problem: unknown) => isTransientError(problem) || isApiError(problem, 401, 409);

/** How a draft is kept in this browser until the service has it. */
type DraftStore = Pick<DraftStorage, "creation" | "keep" | "moveTo">;

/**
 * Creates the document. While a creation request has no answer, the same request is repeated, even if the text has changed
 * since.
 */
async function create(
  start: EditStart,
  { creation, keep, moveTo }: DraftStore,
  text: TitledText,
): Promise<Document> {
  const placement = { folder_id: start.folder ?? null, ...(start.like && { tags: start.like.tags }) };
  const body = { ...requestBody(start, undefined, text), ...placement };
  const isRepeated = creation.current !== undefined;
  creation.current ??= { key: randomId(), sent: new Date().toISOString(), body };
  await keep();
  const before = isRepeated ? await findAlreadyCreated(creation.current) : undefined;
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

export type SaveRequest = { over: Document | undefined; text: TitledText; editSession: string };

/** Leaves out a title that was not changed: it may come from a pending rename. */
const changedPart = (over: Document, { title, content }: TitleAndContent): Partial<TitleAndContent> =>
  title === over.title ? { content } : { title, content };

/** Creates the document, or overwrites the version that it is based on. Throws ApiError, Conflict, SyntaxError. */
export async function saveText(
  start: EditStart,
  draft: DraftStore,
  { over, text, editSession }: SaveRequest,
): Promise<Document> {
  if (over) return updateFromBase(over, changedPart(over, requestBody(start, over, text)), { editSession });
  const created = await create(start, draft, text);
  return isSavedIn(created, start, text)
    ? created
    : updateFromBase(created, changedPart(created, requestBody(start, created, text)), { editSession });
}

const GONE = "This document was deleted. Your text is still here.";

/** The error as it is shown to the user. */
export function explainError(problem: Error): Error {
  if (problem instanceof SyntaxError) return new ApiError(422, `This is not valid JSON: ${problem.message}`);
  return isApiError(problem, 404) ? new ApiError(404, GONE) : problem;
}
