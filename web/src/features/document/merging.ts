import { isOverlap, mergedText, mergeTexts, type Part } from "../../../../src/contract/text/merge.ts";
import type { Document } from "../../api/documents.ts";
import type { Theirs } from "../../state/document-drafts.ts";
import { contentWith, writingOf } from "./writing.ts";

// What becomes of a text that somebody else has changed meanwhile.

export type Text = { title: string; text: string };

/** Both texts, and the one before them, in which everything but what both have changed is the same. */
export type Overlapping = { theirs: Document; mine: Text; other: Text; before: Text; both: string };

type Merged = { text: Text; overlapping?: never } | { text?: never; overlapping: Overlapping };

const textOf = ({ title, content }: Document): Text => ({ title, text: writingOf(content).text });

function sideOf({ title, text }: Record<keyof Text, Part[]>, side: "base" | "mine" | "theirs"): Text {
  return { title: mergedText(title, side), text: mergedText(text, side) };
}

const isSame = (one: Text, other: Text) => one.title === other.title && one.text === other.text;

/**
 * My text, which was based on one state of a document, and another state of it. JSON is not merged.
 *
 * @param sent what I have sent without an answer: a state that says one of these is my own
 */
export function mergeWith(
  theirs: Document,
  base: Document,
  { sent, mine }: { mine: Text; sent: Text[] },
): Merged {
  const [before, other] = [textOf(base), textOf(theirs)];
  if (sent.some((one) => isSame(one, other))) return { text: mine };
  const kinds = [base, theirs].map(({ content }) => writingOf(content).kind);
  const isText = kinds.every((kind) => kind !== "json") && kinds[0] === kinds[1];
  if (!isText) return { overlapping: { theirs, mine, other, before, both: mine.text } };
  const parts = {
    title: mergeTexts(before.title, mine.title, other.title),
    text: mergeTexts(before.text, mine.text, other.text),
  };
  const [one, others] = [sideOf(parts, "mine"), sideOf(parts, "theirs")];
  const sides = { mine: one, other: others, before: sideOf(parts, "base") };
  if (![...parts.title, ...parts.text].some(isOverlap)) return { text: sides.mine };
  return { overlapping: { theirs, ...sides, both: mergedText(parts.text, "both") } };
}

/** Who has changed the passage: not who has written around it since. */
export const theirsIn = (state: Document, known: Theirs | undefined): Theirs => {
  const { id, version, updated_at } = state;
  return known?.latest === version ? known : { id, version, updated_at, latest: version };
};

/**
 * What a text is based on once everything is sent but the passages that overlap: a state of the document that has the
 * others as they are now.
 */
export const leftOver = (base: Document, { before }: Overlapping): Document => ({
  ...base,
  title: before.title,
  content: contentWith(base.content, { kind: writingOf(base.content).kind, text: before.text }),
});
