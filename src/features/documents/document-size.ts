import { tooLarge } from "../../platform/core/errors.ts";
import { documentBytes, quotaForDocumentChange, ROW_BYTES } from "../billing/sizes.ts";

/** Bytes of title, tags and content together. D1 rows have at most 2,000,000; other columns take up to 1,300. */
export const MAX_DOCUMENT_BYTES = 1_998_600;

type SizedDocument = Parameters<typeof documentBytes>[0];

const formatNumber = (bytes: number) => bytes.toLocaleString("en");

/** Why a document of this size cannot be stored, or undefined. */
export function sizeProblem(bytes: number, most = MAX_DOCUMENT_BYTES): string | undefined {
  const stored = bytes - ROW_BYTES;
  if (stored <= most) return undefined;
  return (
    `The document would take ${formatNumber(stored)} bytes (title, tags and content as JSON), and the limit is ` +
    `${formatNumber(MAX_DOCUMENT_BYTES)}: split it into several documents`
  );
}

function requireFitting(bytes: number): number {
  const problem = sizeProblem(bytes);
  if (problem) throw tooLarge(problem);
  return bytes;
}

/** The bytes of a new document. Throws 413 if it is too large. */
export const newDocumentBytes = (document: SizedDocument): number => requireFitting(documentBytes(document));

/** The bytes that a change adds. Throws 413 if the document becomes too large; one already over the limit must not grow. */
export const documentChangeBytes = (before: SizedDocument, after: SizedDocument): number =>
  requireFitting(quotaForDocumentChange(before, after));
