import type { ImportProblem, SkippedEntry } from "../item.ts";

// Splits a calendar file (RFC 5545) into components with the line on which each begins, so that an unreadable one does not
// affect the others and messages can say where it is.

export type CalendarPart = {
  line: number;
  kind: "VEVENT" | "VTODO";
  text: string;
  calendar: string | undefined;
};

type CalendarParts = {
  parts: CalendarPart[];
  zones: string[];
  refused: ImportProblem[];
  leftOut: SkippedEntry[];
};

const SKIPPED_KINDS: Record<string, string> = {
  VJOURNAL: "a journal entry",
  VFREEBUSY: "free/busy times",
  VAVAILABILITY: "free/busy times",
};

/** Maximum nesting. RFC 5545 (section 3.6) defines components of components, and nothing deeper. */
const MAX_DEPTH = 10;

const BEGIN = /^BEGIN:([\w-]+)\s*$/i;
const END = /^END:([\w-]+)\s*$/i;
const NAME = /^X-WR-CALNAME(?:;[^:]*)?:(.*)$/i;

/** Splits a calendar file. Throws for other files. */
export function splitCalendar(text: string): CalendarParts {
  if (!/^\ufeff?\s*BEGIN:VCALENDAR\s*$/im.test(text.slice(0, 1000)))
    throw new Error("is not a calendar file (RFC 5545)");
  const read: CalendarParts = { parts: [], zones: [], refused: [], leftOut: [] };
  let calendar: string | undefined;
  /** The open components, outermost first. */
  let open: string[] = [];
  let part = { line: 0, lines: [] as string[] };
  const begin = (name: string, line: number) => {
    if (open.length === MAX_DEPTH)
      throw new Error(`has components nested more than ${MAX_DEPTH} levels deep`);
    open.push(name);
    if (name === "VCALENDAR") calendar = undefined;
    if (open.length === 2) part = { line, lines: [] };
  };
  const addPart = (kind: string) => {
    const { line, lines } = part;
    const partText = lines.join("\r\n");
    const leftOut = SKIPPED_KINDS[kind] ?? `an unsupported component (${kind})`;
    if (kind === "VEVENT" || kind === "VTODO") read.parts.push({ line, kind, text: partText, calendar });
    else if (kind === "VTIMEZONE") read.zones.push(partText);
    else read.leftOut.push({ where: `line ${line}`, leftOut });
  };
  const end = (name: string) => {
    // The end of a component also closes unclosed components in it.
    const at = open.lastIndexOf(name);
    if (at < 0) return;
    open = open.slice(0, at);
    if (at === 1) addPart(name);
  };
  const calendarName = (line: string) =>
    NAME.exec(line)?.[1]
      ?.trim()
      .replace(/\\([,;\\])/g, "$1");
  for (const [index, line] of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const [, begins] = BEGIN.exec(line) ?? [];
    const [, ends] = END.exec(line) ?? [];
    if (begins) begin(begins.toUpperCase(), index + 1);
    if (open.length > 1) part.lines.push(line);
    else calendar = calendarName(line) || calendar;
    if (ends) end(ends.toUpperCase());
  }
  if (open.length > 1)
    read.refused.push({ where: `line ${part.line}`, why: "has no END line: the file is incomplete" });
  return read;
}
