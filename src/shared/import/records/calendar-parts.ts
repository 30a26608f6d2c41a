import type { ImportProblem, SkippedEntry } from "../item.ts";

// Splits a calendar file (RFC 5545) into components with the line on which each begins, so that an unreadable one does not
// affect the others and messages can say where it is.

/** One event or task, and the name of its calendar. */
export type CalendarPart = {
  line: number;
  kind: "VEVENT" | "VTODO";
  text: string;
  calendar: string | undefined;
};

export type CalendarParts = {
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

class Reader implements CalendarParts {
  readonly parts: CalendarPart[] = [];
  readonly zones: string[] = [];
  readonly refused: ImportProblem[] = [];
  readonly leftOut: SkippedEntry[] = [];
  private calendar: string | undefined;
  /** The open components, outermost first. */
  private openComponents: string[] = [];
  private startLine = 0;
  private lines: string[] = [];

  read(line: string, number: number): void {
    const [, begins] = BEGIN.exec(line) ?? [];
    const [, ends] = END.exec(line) ?? [];
    if (begins) this.begin(begins.toUpperCase(), number);
    if (this.openComponents.length > 1) this.lines.push(line);
    else
      this.calendar =
        NAME.exec(line)?.[1]
          ?.trim()
          .replace(/\\([,;\\])/g, "$1") || this.calendar;
    if (ends) this.end(ends.toUpperCase());
  }

  private begin(name: string, number: number): void {
    if (this.openComponents.length === MAX_DEPTH)
      throw new Error(`has components nested more than ${MAX_DEPTH} levels deep`);
    this.openComponents.push(name);
    if (name === "VCALENDAR") this.calendar = undefined;
    if (this.openComponents.length !== 2) return;
    this.startLine = number;
    this.lines = [];
  }

  private end(name: string): void {
    // The end of a component also closes unclosed components in it.
    const at = this.openComponents.lastIndexOf(name);
    if (at < 0) return;
    const isPart = at === 1;
    this.openComponents = this.openComponents.slice(0, at);
    if (isPart) this.addPart(name, this.lines.join("\r\n"));
  }

  private addPart(kind: string, text: string): void {
    const { startLine: line, calendar } = this;
    if (kind === "VEVENT" || kind === "VTODO") this.parts.push({ line, kind, text, calendar });
    else if (kind === "VTIMEZONE") this.zones.push(text);
    else
      this.leftOut.push({
        where: `line ${line}`,
        leftOut: SKIPPED_KINDS[kind] ?? `an unsupported component (${kind})`,
      });
  }

  finish(): void {
    if (this.openComponents.length > 1)
      this.refused.push({ where: `line ${this.startLine}`, why: "has no END line: the file is incomplete" });
  }
}

/** Splits a calendar file. Throws for other files. */
export function splitCalendar(text: string): CalendarParts {
  if (!/^\ufeff?\s*BEGIN:VCALENDAR\s*$/im.test(text.slice(0, 1000)))
    throw new Error("is not a calendar file (RFC 5545)");
  const reader = new Reader();
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) reader.read(line, index + 1);
  reader.finish();
  return reader;
}
