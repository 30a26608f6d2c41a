import { isTextConflict, joinMergedParts, mergeTexts } from "../../../../src/shared/text/merge.ts";
import { textChangedAt } from "../../api/document-times.ts";
import type { Document } from "../../api/documents.ts";
import type { ConflictingVersion } from "../../state/document-drafts.ts";
import { isSameWriting, withSourceText, writingOf } from "./writing.ts";

export type TitledText = { title: string; text: string };

/** `mine`, `other` and their base `before` differ only in passages that both sides changed; `both` has both versions of them. */
export type MergeConflict = {
  theirs: Document;
  mine: TitledText;
  other: TitledText;
  before: TitledText;
  both: string;
};

type MergeResult = { text: TitledText; overlapping?: never } | { text?: never; overlapping: MergeConflict };

const titleAndText = ({ title, content }: Document): TitledText => ({ title, text: writingOf(content).text });

export const isSameText = (one: TitledText, other: TitledText): boolean =>
  one.title === other.title && one.text === other.text;

/** Merges a text with a newer version. One with a text of `sent`, which got no answer, is the user's own. JSON is not merged. */
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
  const title = mergeTexts(before.title, mine.title, other.title);
  const text = mergeTexts(before.text, mine.text, other.text);
  const side = (name: "base" | "mine" | "theirs"): TitledText => ({
    title: joinMergedParts(title, name),
    text: joinMergedParts(text, name),
  });
  if (![...title, ...text].some(isTextConflict)) return { text: side("mine") };
  const sides = { mine: side("mine"), other: side("theirs"), before: side("base") };
  return { overlapping: { theirs, ...sides, both: joinMergedParts(text, "both") } };
}

type Merging = {
  base: Document | undefined;
  theirs: ConflictingVersion | undefined;
  /** The last version that was seen. */
  other: Document | undefined;
};

/** The version that changed the passage, not a later one that changed only the text around it, tags or folder. */
export function conflictingVersion(newer: Document, { base, theirs, other }: Merging): ConflictingVersion {
  const { id, version } = newer;
  if (theirs && (theirs.latest === version || (other && isSameWriting(other, newer))))
    return { ...theirs, latest: version };
  const changedAt = textChangedAt(newer);
  // A restored text is as old as it was.
  const isRestored = base !== undefined && changedAt <= base.updated_at;
  return { id, version, updated_at: isRestored ? newer.updated_at : changedAt, latest: version };
}

/** The base of a text once everything but the conflicting passages is saved: the document with their common base. */
export const unmergedBase = (base: Document, { before }: MergeConflict): Document => ({
  ...base,
  title: before.title,
  content: withSourceText(base.content, { kind: writingOf(base.content).kind, text: before.text }),
});
