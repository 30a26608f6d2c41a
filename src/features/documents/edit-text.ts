import { badRequest, payloadTooLarge } from "../../platform/core/errors.ts";
import { findSections, type Section, sectionsOf } from "../../contract/markdown/sections.ts";

export type TextEdit = {
  operation: "append" | "prepend" | "find_replace" | "replace_section" | "replace_all";
  text: string;
  find_text?: string | undefined;
  expected_replacements?: number | undefined;
  section?: string | undefined;
};

/** The maximum length of an edited text in UTF-16 code units, about as much as fits into a request body. */
export const MAX_TEXT = 1024 * 1024;

const LINE_END = /\r\n|\n|\r/g;
const STARTS_WITH_LINE_END = /^[\r\n]/;
const ENDS_WITH_LINE_END = /[\r\n]$/;
const NAMED_HEADINGS = 20;

/** The line ending of a text, if it is the same everywhere. */
function lineEndOf(text: string): string | undefined {
  const ends = new Set(text.match(LINE_END));
  return ends.size === 1 ? [...ends][0] : undefined;
}

/** Converts the line endings of a new text to those of the existing one. */
function inStyleOf(text: string, written: string): string {
  const end = lineEndOf(text);
  return end ? written.replace(LINE_END, end) : written;
}

/** Concatenates two pieces, adding a line break between them if there is none. */
function joinLines(first: string, second: string, lineEnd: string): string {
  const apart =
    first === "" || second === "" || ENDS_WITH_LINE_END.test(first) || STARTS_WITH_LINE_END.test(second);
  return apart ? first + second : first + lineEnd + second;
}

/** The blank lines that a text begins with. */
function blankLinesOf(text: string): string {
  const ink = text.search(/[^ \t\r\n]/);
  const blank = ink < 0 ? text : text.slice(0, ink);
  return blank.slice(0, Math.max(blank.lastIndexOf("\n"), blank.lastIndexOf("\r")) + 1);
}

/** Checks before the text is built, because a short request could produce gigabytes. */
function checkLength(length: number): void {
  if (length > MAX_TEXT) throw payloadTooLarge("1 MiB once edited");
}

/** What `find_replace` looks for in a text and what it writes instead, with the text's own line endings. */
export function exactTexts(text: string, edit: TextEdit): { find: string; written: string } {
  const { find_text: asked = "" } = edit;
  return {
    find: text.includes(asked) ? asked : inStyleOf(text, asked),
    written: inStyleOf(text, edit.text),
  };
}

function findReplace(text: string, edit: TextEdit): string {
  const { find, written } = exactTexts(text, edit);
  const parts = text.split(find);
  const count = parts.length - 1;
  const { expected_replacements: expected } = edit;
  if (expected !== undefined && expected !== count) {
    throw badRequest(`find_text occurs ${count} times, not ${expected}: nothing was changed`);
  }
  if (count === 0) {
    const inAnyCase = text.toLowerCase().split(find.toLowerCase()).length - 1;
    const hint = inAnyCase > 0 ? `; in another case ${inAnyCase} ${inAnyCase === 1 ? "time" : "times"}` : "";
    throw badRequest(`find_text occurs 0 times: nothing was changed${hint}`);
  }
  checkLength(text.length + count * (written.length - find.length));
  return parts.join(written);
}

function theSection(sections: Section[], name: string): Section {
  const [section, ...others] = findSections(sections, name);
  if (!section) {
    const names = sections.slice(0, NAMED_HEADINGS).map(({ name, depth }) => `${"#".repeat(depth)} ${name}`);
    const known = names.length > 0 ? `its headings are ${names.join("; ")}` : "the text has no headings";
    throw badRequest(`There is no section "${name}": ${known}`);
  }
  if (others.length > 0) {
    throw badRequest(
      `${others.length + 1} sections are called "${name}": include the level (## ${section.name}) or use find_replace`,
    );
  }
  return section;
}

/** The part of the new text that goes below the heading, without a repetition of that heading. */
function bodyOf(written: string, section: Section): string {
  const [first] = sectionsOf(written);
  const repeats = first?.depth === section.depth && first.name === section.name;
  return repeats && written.slice(0, first.start).trim() === "" ? written.slice(first.bodyStart) : written;
}

/** The gap between a section's body and what follows it. */
function gapAfter(old: string, rest: string, lineEnd: string): string {
  const blank = old.slice(old.trimEnd().length);
  if (rest === "") return blank;
  // An underlined heading needs a blank line before it, or the text becomes part of it.
  const needed = rest.startsWith("#") ? 1 : 2;
  return (blank.match(LINE_END)?.length ?? 0) >= needed ? blank : lineEnd.repeat(2);
}

const outline = (sections: Section[]) => sections.map(({ depth, name }) => `${depth} ${name}`);

/** Refuses a text with an unclosed code fence or comment, which would include everything after it. */
function checkTail(before: Section[], edited: string, end: number): void {
  const tail = outline(before.filter(({ start }) => start >= end));
  const now = outline(sectionsOf(edited)).slice(-tail.length);
  if (tail.length > 0 && tail.join("\n") !== now.join("\n")) {
    throw badRequest(
      "The text would swallow the headings after the section: close its code fences and comments",
    );
  }
}

function replaceSection(text: string, edit: TextEdit): string {
  const sections = sectionsOf(text);
  const section = theSection(sections, edit.section ?? "");
  const lineEnd = lineEndOf(text) ?? "\n";
  const written = bodyOf(inStyleOf(text, edit.text), section);
  const body = written.slice(blankLinesOf(written).length).trimEnd();
  const old = text.slice(section.bodyStart, section.end);
  const rest = text.slice(section.end);
  const isEmpty = old.trim() === "";
  const gapBefore = isEmpty ? lineEnd : blankLinesOf(old);
  const head = joinLines(text.slice(0, section.bodyStart), gapBefore, lineEnd);
  const ending = rest === "" && ENDS_WITH_LINE_END.test(text) ? lineEnd : "";
  const after = gapAfter(isEmpty ? ending : old, rest, lineEnd);
  const edited = body === "" ? head + rest : joinLines(head, body, lineEnd) + after + rest;
  checkTail(sections, edited, section.end);
  return edited;
}

function apply(text: string, edit: TextEdit): string {
  const lineEnd = lineEndOf(text) ?? "\n";
  switch (edit.operation) {
    case "append":
      return joinLines(text, inStyleOf(text, edit.text), lineEnd);
    case "prepend":
      return joinLines(inStyleOf(text, edit.text), text, lineEnd);
    case "find_replace":
      return findReplace(text, edit);
    case "replace_section":
      return replaceSection(text, edit);
    case "replace_all":
      return edit.text;
  }
}

/**
 * The text after an edit. Throws 400 with the reason when the edit cannot be applied or changes nothing, 413 when the
 * text would become too long.
 */
export function editText(text: string, edit: TextEdit): string {
  const edited = apply(text, edit);
  if (edited === text) throw badRequest("The edit changes nothing");
  checkLength(edited.length);
  return edited;
}
