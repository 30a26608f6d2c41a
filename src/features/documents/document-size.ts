import { tooLarge } from "../../platform/core/errors.ts";
import { changeBytes, documentBytes, ROW_BYTES } from "../billing/sizes.ts";

/** Bytes of title, tags and content together: D1 stores rows of 2,000,000, of which other columns take up to 1,300. */
export const MAX_DOCUMENT_BYTES = 1_998_600;

type SizedDocument = Parameters<typeof documentBytes>[0];

const formatNumber = (bytes: number) => bytes.toLocaleString("en");

/** Why a document with these bytes cannot be stored, or undefined. */
export function sizeProblem(bytes: number, most = MAX_DOCUMENT_BYTES): string | undefined {
  const stored = bytes - ROW_BYTES;
  if (stored <= most) return undefined;
  return (
    `The document would have ${formatNumber(stored)} bytes as it is stored (title, tags and content as JSON), and at most ` +
    `${formatNumber(MAX_DOCUMENT_BYTES)} are possible: divide it into several documents`
  );
}

function requireFitting(bytes: number): number {
  const problem = sizeProblem(bytes);
  if (problem) throw tooLarge(problem);
  return bytes;
}

/** The bytes of a new document. Throws 413 for one that is too large to be stored. */
export const bytesOfNew = (document: SizedDocument): number => requireFitting(documentBytes(document));

/** Throws 413 if a document gets too large; one from before the limit may change unless it grows. */
export const bytesOfChange = (before: SizedDocument, after: SizedDocument): number => requireFitting(changeBytes(before, after));
