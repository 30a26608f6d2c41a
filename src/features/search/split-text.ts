import type { Reference } from "../../contract/links.ts";
import { findSections, sectionsOf } from "../../contract/markdown/sections.ts";
import { theSection } from "../documents/edit-text.ts";

/** About 10,000 tokens. */
export const PART_LENGTH = 40_000;

/** A boundary between two parts, never inside a surrogate pair. */
function border(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

export const countParts = (text: string): number => Math.max(1, Math.ceil(text.length / PART_LENGTH));

/** The part that a position is in; undefined if the text has only one. */
export const partAt = (text: string, at: number): number | undefined =>
  text.length > PART_LENGTH ? Math.floor(at / PART_LENGTH) + 1 : undefined;

/** One part of a text; `part` counts from 1. */
export const partOf = (text: string, part: number): string =>
  text.slice(border(text, (part - 1) * PART_LENGTH), border(text, part * PART_LENGTH));

const MAX_LISTED = 40;

/** The headings of a text that has several parts, so that one can be read alone. */
export const headingsIn = (text: string): string[] =>
  sectionsOf(text)
    .slice(0, MAX_LISTED)
    .map(({ name, depth }) => `${"#".repeat(depth)} ${name}`);

/** What a reference names of a text, with the section's name. Throws 400 for a section that there is not. */
export function placeIn(text: string, { section, part }: Pick<Reference, "section" | "part">) {
  // A heading may be a number, such as a year.
  const isHeading = section === undefined && part > countParts(text);
  const name = section ?? (isHeading ? String(part) : undefined);
  const sections = name === undefined ? [] : sectionsOf(text);
  if (name === undefined || (isHeading && findSections(sections, name).length === 0))
    return { shown: text, part };
  const { start, end } = theSection(text, sections, name);
  return { shown: text.slice(start, end).trimEnd(), part: isHeading ? 1 : part, section: name };
}
