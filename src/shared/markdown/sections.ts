import { runSteps, type Steps } from "../text/steps.ts";
import { headingsInSteps } from "./headings.ts";
import { oneLine, plainLine } from "./plain-text.ts";

/** A heading and the text below it, as positions. The body starts after the line of the heading. */
export type Section = { depth: number; name: string; start: number; bodyStart: number; end: number };

export function* sectionsInSteps(text: string): Steps<Section[]> {
  const sections: Section[] = [];
  const open: Section[] = [];
  for (const { depth, text: heading, start, next } of yield* headingsInSteps(text)) {
    while ((open.at(-1)?.depth ?? 0) >= depth) (open.pop() as Section).end = start;
    const section = { depth, name: plainLine(heading), start, bodyStart: next, end: text.length };
    sections.push(section);
    open.push(section);
  }
  return sections;
}

export const sectionsOf = (text: string): Section[] => runSteps(sectionsInSteps(text));

/** `Notes [2]`: the second section of that name. */
const NUMBERED = /^(.*\S)\s*\[([1-9]\d{0,5})\]\s*$/s;

/** The sections with this heading. `#` signs match only that level; `[2]` selects the second of several. */
export function findSections(sections: Section[], name: string): Section[] {
  const named = sectionsNamed(sections, name);
  const [, plain = "", number = ""] = NUMBERED.exec(name) ?? [];
  if (named.length > 0 || plain === "") return named;
  const section = sectionsNamed(sections, plain)[Number(number) - 1];
  return section ? [section] : [];
}

function sectionsNamed(sections: Section[], name: string): Section[] {
  const [, signs = "", rest = ""] = /^\s*(#{1,6}(?=\s))?(.*)$/s.exec(name) ?? [];
  const requested = oneLine(rest);
  const wanted = new Set([requested, plainLine(requested.replace(/ #+$/, ""))]);
  return sections.filter(
    (section) => wanted.has(section.name) && (signs === "" || section.depth === signs.length),
  );
}

/** The name by which `findSections` finds the section at a position; undefined before the first heading. */
export function* sectionNameAtInSteps(text: string, at: number): Steps<string | undefined> {
  const sections = yield* sectionsInSteps(text);
  const section = sections.findLast(({ start }) => start <= at);
  if (!section?.name) return undefined;
  const named = sections.filter(({ name }) => name === section.name);
  return named.length > 1 ? `${section.name} [${named.indexOf(section) + 1}]` : section.name;
}
