import type { NoteLink } from "../../../../../src/shared/markdown/note-links.ts";

/** The words that stand for a link to a document if it has none of its own. */
export function linkWords({
  target,
  heading,
  words,
}: Pick<NoteLink, "target" | "heading" | "words">): string {
  if (words !== undefined) return words;
  if (heading === undefined) return target;
  return target === "" ? heading : `${target} › ${heading}`;
}
