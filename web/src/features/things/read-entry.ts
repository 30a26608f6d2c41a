import type { z } from "zod";
import type { MemoryCreateRequest, MemoryType } from "../../../../src/contract/memory.ts";
import { readWhen, type WhenPart } from "../../../../src/shared/when/when.ts";

type NewMemory = z.input<typeof MemoryCreateRequest>;

// Parses a record from one line: "decision: stay with SQLite #apollo", "send Grace the slides by Friday at 5 @work". The
// recognized parts are shown before saving, and each can be turned back into plain words.

/** A recognized part; `source` is the text it was read from. */
export type EntryPart = {
  kind: WhenPart["kind"] | "memory_type" | "project" | "tag" | "scope";
  value: string;
  source: string;
  /** The other meaning of an ambiguous time or day. */
  other?: string;
};

export type ParsedEntry = {
  record: NewMemory;
  parts: EntryPart[];
  /** A past day and its words. It is not used as the due date unless the user says so. */
  offer: { value: string; source: string } | undefined;
  /** Words about repeating that were not understood. */
  unread: string | undefined;
};

export type EntryContext = {
  /** Today in the user's time zone. */
  today: string;
  /** Existing projects: `#apollo` means the project Apollo if there is one, otherwise a tag. */
  projects: readonly string[];
  /** Words that must not be interpreted. */
  plain: readonly string[];
  /** The user's current time, HH:MM. */
  now?: string;
  /** The due date unless the words name another one, and the start of a repetition. */
  from?: string;
  /** Words for which the user chose the other hour or day, or the past day. */
  others?: readonly string[];
};

const MAX_TOPIC = 500;
const TYPE = /^\s*(commitment|decision|blocker|pattern|preference|context)\s*:\s*/iu;
const SCOPE = /(?<!\S)@(work|personal)(?![\p{L}\p{N}_])/giu;
const TAG = /(?<!\S)#([\p{L}\p{N}_][\p{L}\p{N}_/-]*)/gu;
const PROJECT = /(?<!\S)\+(?:"([^"]+)"|“([^”]+)”|(\p{L}[\p{L}\p{N}_-]*))/gu;

type FoundPart = EntryPart & { start: number; end: number };

/** The key under which spellings of a name match: "Mountain trip" is #mountain-trip or #mountaintrip. */
const nameKey = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, "");

const findProject = (name: string, projects: readonly string[]) =>
  projects.find((project) => nameKey(project) === nameKey(name));

const foundPart = (match: RegExpMatchArray, kind: EntryPart["kind"], value: string): FoundPart => {
  const start = match.index ?? 0;
  return { kind, value, source: match[0].trim(), start, end: start + match[0].length };
};

function readHashTag(match: RegExpMatchArray, projects: readonly string[]): FoundPart[] {
  const name = (match[1] ?? "").replace(/[/-]+$/, "");
  // "#12" is a number, not a tag.
  if (/^\d*$/.test(name)) return [];
  const project = findProject(name, projects);
  return [foundPart(match, project ? "project" : "tag", project ?? name)];
}

/** Reads the markers: the type before a colon, +project, #tag, @scope. */
function readMarkers(line: string, projects: readonly string[]): FoundPart[] {
  const type = line.match(TYPE);
  return [
    ...(type ? [foundPart(type, "memory_type", (type[1] ?? "").toLowerCase())] : []),
    ...[...line.matchAll(PROJECT)].map((match) => {
      const name = (match[1] ?? match[2] ?? match[3] ?? "").trim();
      return foundPart(match, "project", findProject(name, projects) ?? name);
    }),
    ...[...line.matchAll(TAG)].flatMap((match) => readHashTag(match, projects)),
    ...[...line.matchAll(SCOPE)].map((match) => foundPart(match, "scope", (match[1] ?? "").toLowerCase())),
  ];
}

/** Overwrites parts of the line with a filler of the same length, so that positions stay valid. */
const blankOut = (line: string, parts: readonly { start: number; end: number }[], filler: string) =>
  parts.reduce(
    (rest, { start, end }) => rest.slice(0, start) + filler.repeat(end - start) + rest.slice(end),
    line,
  );

/** A record has one project and one scope. A second #project becomes a tag; any other second part stays plain text. */
function onlyOne(parts: FoundPart[]): FoundPart[] {
  const taken = new Set<string>();
  return parts.flatMap((part): FoundPart[] => {
    if (part.kind === "tag" || !taken.has(part.kind)) {
      taken.add(part.kind);
      return [part];
    }
    const { kind, source } = part;
    return kind === "project" && source.startsWith("#")
      ? [{ ...part, kind: "tag", value: source.slice(1) }]
      : [];
  });
}

/** Reads when the record is due. Sources are the words as they were typed. */
function readDueDate(
  line: string,
  markers: FoundPart[],
  { today, now, from, plain, others = [] }: EntryContext,
) {
  // U+0000 is not a letter, digit or space, so no phrase matches across a blanked part.
  const words = plain.reduce((text, one) => text.replaceAll(one, "\0".repeat(one.length)), line);
  const text = blankOut(words, markers, "\0");
  const isOther = ({ start, end }: { start: number; end: number }) =>
    others.includes(line.slice(start, end).trim());
  const when = readWhen(text, { today, ...(now && { now }), ...(from && { from }), isOther });
  const found = when.parts.map(
    (part): FoundPart => ({ ...part, source: line.slice(part.start, part.end).trim() }),
  );
  return { ...when, found };
}

const EDGE = " ,;:";

/** Trims separators from both ends, in linear time. */
function trimEdges(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && EDGE.includes(text.charAt(start))) start++;
  while (end > start && EDGE.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

const tidy = (text: string) =>
  trimEdges(
    text
      .replace(/\(\s*\)/g, " ")
      .replace(/\s+/g, " ")
      .replace(/ ([,.;:!?])(?= |$)/g, "$1"),
  );

/** A topic that is too long is cut; the content then has the full text. */
function topicAndContent(topic: string, details: string): Pick<NewMemory, "topic" | "content"> {
  if (topic.length <= MAX_TOPIC) return { topic, content: details || topic };
  const cut = topic.slice(0, MAX_TOPIC - 1).replace(/\s+\S*$/, "");
  return { topic: `${cut}…`, content: details ? `${topic}\n\n${details}` : topic };
}

const valueIn = (parts: EntryPart[], kind: EntryPart["kind"]) =>
  parts.find((part) => part.kind === kind)?.value;

/** Parses the user's text: the first line is the topic, empty if it has only markers and dates; further lines are the content. */
export function readEntry(text: string, reading: EntryContext): ParsedEntry {
  const [line = "", ...rest] = text.trim().split("\n");
  const isPlain = ({ source }: EntryPart) => reading.plain.includes(source);
  const markers = onlyOne(readMarkers(line, reading.projects).filter((part) => !isPlain(part)));
  const { found, parts: _, offer, unread, ...when } = readDueDate(line, markers, reading);
  const all = [...markers, ...found].sort((a, b) => a.start - b.start);
  const topic = tidy(blankOut(line, all, " "));
  const parts = all.map(({ start, end, ...part }) => part);
  const tags = [...new Set(parts.filter(({ kind }) => kind === "tag").map(({ value }) => value))];
  const project = valueIn(parts, "project");
  const scope = valueIn(parts, "scope") as "work" | "personal" | undefined;
  return {
    record: {
      memory_type: (valueIn(parts, "memory_type") ?? "commitment") as MemoryType,
      ...topicAndContent(topic, rest.join("\n").trim()),
      ...when,
      ...(project && { project }),
      ...(scope && { scope }),
      ...(tags.length > 0 && { tags }),
    },
    parts,
    offer: offer && { value: offer.value, source: line.slice(offer.start, offer.end).trim() },
    unread: unread && line.slice(unread.start, unread.end),
  };
}
