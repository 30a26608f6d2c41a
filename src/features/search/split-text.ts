import type { ItemReference } from "../../contract/links.ts";
import { findSections, sectionsOf } from "../../shared/markdown/sections.ts";
import { requireSection } from "../documents/edit-text.ts";

/** Length of a part in UTF-16 units; about 10,000 tokens. */
export const PART_LENGTH = 40_000;

/** A boundary between two parts, never inside a surrogate pair. */
function partBoundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

export const countParts = (text: string): number => Math.max(1, Math.ceil(text.length / PART_LENGTH));

/** The part that contains a position; undefined if the text has only one part. */
export const partNumberAt = (text: string, at: number): number | undefined =>
  text.length > PART_LENGTH ? Math.floor(at / PART_LENGTH) + 1 : undefined;

/** One part of a text; `part` counts from 1. */
export const textOfPart = (text: string, part: number): string =>
  text.slice(partBoundary(text, (part - 1) * PART_LENGTH), partBoundary(text, part * PART_LENGTH));

const MAX_HEADINGS = 40;

/** The headings of a text, for reading one section of a long text. */
export const listHeadings = (text: string): string[] =>
  sectionsOf(text)
    .slice(0, MAX_HEADINGS)
    .map(({ name, depth }) => `${"#".repeat(depth)} ${name}`);

/** The section or part that a reference names. Throws 400 for an unknown section. */
export function referencedText(text: string, { section, part }: Pick<ItemReference, "section" | "part">) {
  // A heading may be a number, such as a year.
  const isHeading = section === undefined && part > countParts(text);
  const name = section ?? (isHeading ? String(part) : undefined);
  const sections = name === undefined ? [] : sectionsOf(text);
  if (name === undefined || (isHeading && findSections(sections, name).length === 0))
    return { shown: text, part };
  const { start, end } = requireSection(text, sections, name);
  return { shown: text.slice(start, end).trimEnd(), part: isHeading ? 1 : part, section: name };
}
