import type { DocumentEditRequest } from "../../contract/document.ts";
import { badRequest, tooLarge } from "../../platform/core/errors.ts";
import { findSections, type Section, sectionsOf } from "../../shared/markdown/sections.ts";
import { MAX_DOCUMENT_BYTES } from "./document-size.ts";

const LINE_END = /\r\n|\n|\r/g;
const STARTS_WITH_LINE_END = /^[\r\n]/;
const ENDS_WITH_LINE_END = /[\r\n]$/;
const MAX_LISTED_HEADINGS = 20;

function uniformLineEnd(text: string): string | undefined {
  const ends = new Set(text.match(LINE_END));
  return ends.size === 1 ? [...ends][0] : undefined;
}

function withLineEndsOf(text: string, written: string): string {
  const end = uniformLineEnd(text);
  return end ? written.replace(LINE_END, end) : written;
}

function joinLines(first: string, second: string, lineEnd: string): string {
  const isSeparated =
    first === "" || second === "" || ENDS_WITH_LINE_END.test(first) || STARTS_WITH_LINE_END.test(second);
  return isSeparated ? first + second : first + lineEnd + second;
}

function leadingBlankLines(text: string): string {
  const ink = text.search(/[^ \t\r\n]/);
  const blank = ink < 0 ? text : text.slice(0, ink);
  return blank.slice(0, Math.max(blank.lastIndexOf("\n"), blank.lastIndexOf("\r")) + 1);
}

/** Throws 413 before the text is built, because a short request could produce gigabytes. A character has at least a byte. */
function requireFittingLength(length: number): void {
  if (length <= MAX_DOCUMENT_BYTES) return;
  const [is, most] = [length, MAX_DOCUMENT_BYTES].map((number) => number.toLocaleString("en"));
  throw tooLarge(
    `The text would have ${is} characters, but a document can have at most ${most} bytes: replace less at a time, or split ` +
      "it into several documents",
  );
}

/** What `find_replace` finds and what it writes, with the line endings of the text. */
export function findAndReplacement(
  text: string,
  edit: DocumentEditRequest,
): { find: string; written: string } {
  const { find_text: requested = "" } = edit;
  return {
    find: text.includes(requested) ? requested : withLineEndsOf(text, requested),
    written: withLineEndsOf(text, edit.text),
  };
}

function findReplace(text: string, edit: DocumentEditRequest): string {
  const { find, written } = findAndReplacement(text, edit);
  const parts = text.split(find);
  const count = parts.length - 1;
  const { expected_replacements: expected } = edit;
  if (expected !== undefined && expected !== count) {
    throw badRequest(`find_text occurs ${count} times, not ${expected}: nothing was changed`);
  }
  if (count === 0) {
    const inAnyCase = text.toLowerCase().split(find.toLowerCase()).length - 1;
    const hint = inAnyCase > 0 ? `; ignoring case, ${inAnyCase} ${inAnyCase === 1 ? "time" : "times"}` : "";
    throw badRequest(
      `find_text occurs 0 times: nothing was changed${hint || "; it must be written exactly as in the text, with its line breaks and Markdown"}`,
    );
  }
  requireFittingLength(text.length + count * (written.length - find.length));
  return parts.join(written);
}

const MAX_LISTED_SECTIONS = 10;

type AmbiguousSection = { name: string; found: Section[] };

function listChoices(text: string, sections: Section[], { name, found }: AmbiguousSection): string {
  const lines = found.slice(0, MAX_LISTED_SECTIONS).map((section, place) => {
    const line = (text.slice(0, section.start).match(LINE_END)?.length ?? 0) + 1;
    const above = sections.findLast(({ start, depth }) => start < section.start && depth < section.depth);
    const below = above ? `, below ${"#".repeat(above.depth)} ${above.name}` : "";
    return `"${name.trim()} [${place + 1}]" (${"#".repeat(section.depth)}, line ${line}${below})`;
  });
  const more = found.length > MAX_LISTED_SECTIONS ? `; and ${found.length - MAX_LISTED_SECTIONS} more` : "";
  return `${lines.join("; ")}${more}`;
}

/** The only section with a name. Throws 400 if there is none, or several, which the error lists. */
export function requireSection(text: string, sections: Section[], name: string, isEdited = false): Section {
  const found = findSections(sections, name);
  const [section, ...others] = found;
  if (!section) {
    const names = sections
      .slice(0, MAX_LISTED_HEADINGS)
      .map(({ name, depth }) => `${"#".repeat(depth)} ${name}`);
    const known = names.length > 0 ? `its headings are ${names.join("; ")}` : "the text has no headings";
    throw badRequest(`section: there is no "${name}"; ${known}`);
  }
  if (others.length > 0) {
    throw badRequest(
      `section: ${found.length} sections are called "${name}"${isEdited ? ", and nothing was changed" : ""}; which one? ` +
        `Send its name with its number: ${listChoices(text, sections, { name, found })}`,
    );
  }
  return section;
}

/** The new text without a repetition of the section's heading. */
function withoutHeading(written: string, section: Section): string {
  const [first] = sectionsOf(written);
  const repeats = first?.depth === section.depth && first.name === section.name;
  return repeats && written.slice(0, first.start).trim() === "" ? written.slice(first.bodyStart) : written;
}

function gapAfter(old: string, rest: string, lineEnd: string): string {
  const blank = old.slice(old.trimEnd().length);
  if (rest === "") return blank;
  // An underlined heading needs a blank line before it, or the text becomes part of it.
  const needed = rest.startsWith("#") ? 1 : 2;
  return (blank.match(LINE_END)?.length ?? 0) >= needed ? blank : lineEnd.repeat(2);
}

const outline = (sections: Section[]) => sections.map(({ depth, name }) => `${depth} ${name}`);

/** Throws 400 for a text with an unclosed code fence or comment, which would hide the headings after it. */
function requireSameHeadingsAfter(before: Section[], edited: string, end: number): void {
  const tail = outline(before.filter(({ start }) => start >= end));
  const now = outline(sectionsOf(edited)).slice(-tail.length);
  if (tail.length > 0 && tail.join("\n") !== now.join("\n")) {
    throw badRequest(
      "The text would hide the headings after the section: close its code fences and comments",
    );
  }
}

/** The body of the section after the edit. */
function editedBody(
  old: string,
  written: string,
  { operation }: DocumentEditRequest,
  lineEnd: string,
): string {
  const ink = old.slice(leadingBlankLines(old).length).trimEnd();
  if (operation === "append") return ink === "" ? written : ink + lineEnd + written;
  return operation === "prepend" ? joinLines(written, ink, lineEnd) : written;
}

function editSection(text: string, edit: DocumentEditRequest): string {
  const sections = sectionsOf(text);
  const section = requireSection(text, sections, edit.section ?? "", true);
  const lineEnd = uniformLineEnd(text) ?? "\n";
  const old = text.slice(section.bodyStart, section.end);
  const written = editedBody(old, withoutHeading(withLineEndsOf(text, edit.text), section), edit, lineEnd);
  const body = written.slice(leadingBlankLines(written).length).trimEnd();
  const rest = text.slice(section.end);
  const isEmpty = old.trim() === "";
  const gapBefore = isEmpty ? lineEnd : leadingBlankLines(old);
  const head = joinLines(text.slice(0, section.bodyStart), gapBefore, lineEnd);
  const ending = rest === "" && ENDS_WITH_LINE_END.test(text) ? lineEnd : "";
  const after = gapAfter(isEmpty ? ending : old, rest, lineEnd);
  const edited = body === "" ? head + rest : joinLines(head, body, lineEnd) + after + rest;
  requireSameHeadingsAfter(sections, edited, section.end);
  return edited;
}

function applyEdit(text: string, edit: DocumentEditRequest): string {
  const lineEnd = uniformLineEnd(text) ?? "\n";
  if (edit.section !== undefined) return editSection(text, edit);
  switch (edit.operation) {
    case "append":
      return joinLines(text, withLineEndsOf(text, edit.text), lineEnd);
    case "prepend":
      return joinLines(withLineEndsOf(text, edit.text), text, lineEnd);
    case "find_replace":
      return findReplace(text, edit);
    case "replace_section":
      return editSection(text, edit);
    case "replace_all":
      return edit.text;
  }
}

/** The text after an edit. Throws 400 if the edit cannot be applied or changes nothing, 413 if the text becomes too long. */
export function editText(text: string, edit: DocumentEditRequest): string {
  const edited = applyEdit(text, edit);
  if (edited === text) throw badRequest("The edit changes nothing: the text already is as requested");
  requireFittingLength(edited.length);
  return edited;
}
