import {
  isTextConflict,
  joinMergedParts,
  type MergePart,
  mergeTexts,
} from "../../../../src/shared/text/merge.ts";
import type { Document } from "../../api/documents.ts";
import type { ConflictingVersion } from "../../state/document-drafts.ts";
import { withSourceText, writingOf } from "./writing.ts";

// Merges an edited text with a newer version of its document.

export type TitledText = { title: string; text: string };

/**
 * A conflict. `mine`, `other` and their common base `before` differ only in the passages that both sides changed; `both` has
 * both versions of these passages.
 */
export type MergeConflict = {
  theirs: Document;
  mine: TitledText;
  other: TitledText;
  before: TitledText;
  both: string;
};

type MergeResult = { text: TitledText; overlapping?: never } | { text?: never; overlapping: MergeConflict };

const titleAndText = ({ title, content }: Document): TitledText => ({ title, text: writingOf(content).text });

function joinParts(
  { title, text }: Record<keyof TitledText, MergePart[]>,
  side: "base" | "mine" | "theirs",
): TitledText {
  return { title: joinMergedParts(title, side), text: joinMergedParts(text, side) };
}

export const isSameText = (one: TitledText, other: TitledText): boolean =>
  one.title === other.title && one.text === other.text;

/**
 * Merges a text that is based on one version of a document with another version. JSON is not merged.
 *
 * @param sent texts that were sent without an answer: a version with one of these texts is the user's own
 */
export function mergeDocument(
  theirs: Document,
  base: Document,
  { sent, mine }: { mine: TitledText; sent: TitledText[] },
): MergeResult {
  const [before, other] = [titleAndText(base), titleAndText(theirs)];
  if (sent.some((one) => isSameText(one, other))) return { text: mine };
  const kinds = [base, theirs].map(({ content }) => writingOf(content).kind);
  const isText = kinds.every((kind) => kind !== "json") && kinds[0] === kinds[1];
  if (!isText) return { overlapping: { theirs, mine, other, before, both: mine.text } };
  const parts = {
    title: mergeTexts(before.title, mine.title, other.title),
    text: mergeTexts(before.text, mine.text, other.text),
  };
  const sides = {
    mine: joinParts(parts, "mine"),
    other: joinParts(parts, "theirs"),
    before: joinParts(parts, "base"),
  };
  if (![...parts.title, ...parts.text].some(isTextConflict)) return { text: sides.mine };
  return { overlapping: { theirs, ...sides, both: joinMergedParts(parts.text, "both") } };
}

/** The version that changed the passage, not a later one that changed the text around it. */
export const conflictingVersion = (
  state: Document,
  known: ConflictingVersion | undefined,
): ConflictingVersion => {
  const { id, version, updated_at } = state;
  return known?.latest === version ? known : { id, version, updated_at, latest: version };
};

/**
 * The base of a text once everything but the conflicting passages is saved: the document with the common base of these
 * passages.
 */
export const unmergedBase = (base: Document, { before }: MergeConflict): Document => ({
  ...base,
  title: before.title,
  content: withSourceText(base.content, { kind: writingOf(base.content).kind, text: before.text }),
});
