import type { Document } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { ApiError, isApiError, isTransientError } from "../../api/request.ts";
import type { CreateRequest } from "../../state/document-drafts.ts";
import type { TitleAndContent } from "./data.ts";
import type { TitledText } from "./merging.ts";
import type { EditStart } from "./start.ts";
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

/** The body of the request that saves a text. Throws SyntaxError. */
const requestBody = (
  { kind, like }: EditStart,
  base: Document | undefined,
  text: TitledText,
): TitleAndContent => ({
  title: withTitle(text).title,
  content: withSourceText((base ?? like)?.content, { kind, text: text.text }),
});

/** Whether a document already has this text. */
export const isSavedIn = (document: Document, start: EditStart, text: TitledText): boolean =>
  isSameWriting(document, { ...document, ...requestBody(start, document, text) });

/** The body without a title that was not changed: it may come from a pending rename. Throws SyntaxError. */
export function changedPart(over: Document, start: EditStart, text: TitledText): Partial<TitleAndContent> {
  const { title, content } = requestBody(start, over, text);
  return title === over.title ? { content } : { title, content };
}

/** The request that creates a document. Throws SyntaxError. */
export const newDocument = (start: EditStart, text: TitledText): CreateRequest => ({
  key: randomId(),
  sent: new Date().toISOString(),
  body: {
    ...requestBody(start, undefined, text),
    folder_id: start.folder ?? null,
    ...(start.like && { tags: start.like.tags }),
  },
});

/** Whether the request, or an earlier attempt at it, may have been carried out despite the error. */
export const mayBeDone = (problem: unknown): boolean =>
  isTransientError(problem) || isApiError(problem, 401, 409);

const GONE = "This document was deleted. Your text is still here.";

/** The error as it is shown to the user. */
export function explainError(problem: Error): Error {
  if (problem instanceof SyntaxError) return new ApiError(422, `This is not valid JSON: ${problem.message}`);
  return isApiError(problem, 404) ? new ApiError(404, GONE) : problem;
}
