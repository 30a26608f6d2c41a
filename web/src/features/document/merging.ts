import { isOverlap, mergedText, mergeTexts, type Part } from "../../../../src/contract/text/merge.ts";
import type { Document } from "../../api/documents.ts";
import type { Theirs } from "../../state/document-drafts.ts";
import { contentWith, writingOf } from "./writing.ts";

// Merges an edited text with a newer version of its document.

export type Text = { title: string; text: string };

/**
 * A conflict. `mine`, `other` and their common base `before` differ only in the passages that both sides changed; `both` has
 * both versions of these passages.
 */
export type Overlapping = { theirs: Document; mine: Text; other: Text; before: Text; both: string };

type MergeResult = { text: Text; overlapping?: never } | { text?: never; overlapping: Overlapping };

const titleAndText = ({ title, content }: Document): Text => ({ title, text: writingOf(content).text });

function joinParts({ title, text }: Record<keyof Text, Part[]>, side: "base" | "mine" | "theirs"): Text {
  return { title: mergedText(title, side), text: mergedText(text, side) };
}

const isSame = (one: Text, other: Text) => one.title === other.title && one.text === other.text;

/**
 * Merges a text that is based on one version of a document with another version. JSON is not merged.
 *
 * @param sent texts that were sent without an answer: a version with one of these texts is the user's own
 */
export function mergeWith(
  theirs: Document,
  base: Document,
  { sent, mine }: { mine: Text; sent: Text[] },
): MergeResult {
  const [before, other] = [titleAndText(base), titleAndText(theirs)];
  if (sent.some((one) => isSame(one, other))) return { text: mine };
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
  if (![...parts.title, ...parts.text].some(isOverlap)) return { text: sides.mine };
  return { overlapping: { theirs, ...sides, both: mergedText(parts.text, "both") } };
}

/** The version that changed the passage, not a later one that changed the text around it. */
export const theirsIn = (state: Document, known: Theirs | undefined): Theirs => {
  const { id, version, updated_at } = state;
  return known?.latest === version ? known : { id, version, updated_at, latest: version };
};

/**
 * The base of a text once everything but the conflicting passages is saved: the document with the common base of these
 * passages.
 */
export const leftOver = (base: Document, { before }: Overlapping): Document => ({
  ...base,
  title: before.title,
  content: contentWith(base.content, { kind: writingOf(base.content).kind, text: before.text }),
});
