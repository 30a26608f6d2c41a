import { headingsOf } from "./headings.ts";
import { plainText } from "./plain-text.ts";

/**
 * A heading and what is below it, up to the next heading of the same or a higher level, as positions in the text. The
 * body starts after the heading's line.
 */
export type Section = { depth: number; name: string; start: number; bodyStart: number; end: number };

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

function nameOf(heading: string): string {
  const line = oneLine(heading);
  const plain = plainText(line);
  return plain === line ? line : oneLine(plain);
}

/** The sections of a Markdown text in order. */
export function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  const open: Section[] = [];
  for (const { depth, text: heading, start, next } of headingsOf(text)) {
    while ((open.at(-1)?.depth ?? 0) >= depth) (open.pop() as Section).end = start;
    const section = { depth, name: nameOf(heading), start, bodyStart: next, end: text.length };
    sections.push(section);
    open.push(section);
  }
  return sections;
}

/** The sections with a given name: a heading's text, optionally with `#` signs to match only that level. */
export function findSections(sections: Section[], name: string): Section[] {
  const [, signs = "", rest = ""] = /^\s*(#{1,6}(?=\s))?(.*)$/s.exec(name) ?? [];
  const asked = oneLine(rest);
  const wanted = new Set([asked, nameOf(asked.replace(/ #+$/, ""))]);
  return sections.filter(
    (section) => wanted.has(section.name) && (signs === "" || section.depth === signs.length),
  );
}
