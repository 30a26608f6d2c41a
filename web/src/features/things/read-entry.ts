import type { z } from "zod";
import type { MemoryCreateRequest, MemoryType } from "../../../../src/contract/memory.ts";
import { readWhen, type WhenPart } from "../../../../src/contract/when/when.ts";

type NewMemory = z.input<typeof MemoryCreateRequest>;

// Reads a record from one line: "decision: stay with SQLite #apollo", "send Grace the slides by Friday at 5 @work". What
// was understood is shown before it is saved, and each part of it can be turned back into plain words.

/** Something that was understood, and the words that said it. */
export type Part = {
  kind: WhenPart["kind"] | "memory_type" | "project" | "tag" | "scope";
  value: string;
  source: string;
  /** What else the words may mean. */
  other?: string;
};

export type Entry = {
  record: NewMemory;
  parts: Part[];
  /** A day that is over, and its words: they stay, until somebody says that it was due then. */
  offer: { value: string; source: string } | undefined;
  /** Words that say that it repeats, and were not understood. */
  unread: string | undefined;
};

export type Reading = {
  /** The person's day. */
  today: string;
  /** The projects that exist: `#apollo` means the project Apollo if there is one, or else a tag. */
  projects: readonly string[];
  /** Words that are to stay plain words. */
  plain: readonly string[];
  /** The time that it is for the person, HH:MM. */
  now?: string;
  /** The day on which it is due unless the words name another, and from which on a repetition begins. */
  from?: string;
  /** Words that mean the other of two hours or days, or a day that is over. */
  others?: readonly string[];
};

const MAX_TOPIC = 500;
const TYPE = /^\s*(commitment|decision|blocker|pattern|preference|context)\s*:\s*/iu;
const SCOPE = /(?<!\S)@(work|personal)(?![\p{L}\p{N}_])/giu;
const TAG = /(?<!\S)#([\p{L}\p{N}_][\p{L}\p{N}_/-]*)/gu;
const PROJECT = /(?<!\S)\+(?:"([^"]+)"|“([^”]+)”|(\p{L}[\p{L}\p{N}_-]*))/gu;

type Found = Part & { start: number; end: number };

/** A name as it may be written in one word: "Mountain trip" is #mountain-trip or #mountaintrip. */
const wordOf = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, "");

const projectNamed = (name: string, projects: readonly string[]) =>
  projects.find((project) => wordOf(project) === wordOf(name));

const found = (match: RegExpMatchArray, kind: Part["kind"], value: string): Found => {
  const start = match.index ?? 0;
  return { kind, value, source: match[0].trim(), start, end: start + match[0].length };
};

function hashOf(match: RegExpMatchArray, projects: readonly string[]): Found[] {
  const name = (match[1] ?? "").replace(/[/-]+$/, "");
  // "#12" is the number of something.
  if (/^\d*$/.test(name)) return [];
  const project = projectNamed(name, projects);
  return [found(match, project ? "project" : "tag", project ?? name)];
}

/** What the signs say: the type before a colon, +project, #tag, @scope. */
function signsOf(line: string, projects: readonly string[]): Found[] {
  const type = line.match(TYPE);
  return [
    ...(type ? [found(type, "memory_type", (type[1] ?? "").toLowerCase())] : []),
    ...[...line.matchAll(PROJECT)].map((match) => {
      const name = (match[1] ?? match[2] ?? match[3] ?? "").trim();
      return found(match, "project", projectNamed(name, projects) ?? name);
    }),
    ...[...line.matchAll(TAG)].flatMap((match) => hashOf(match, projects)),
    ...[...line.matchAll(SCOPE)].map((match) => found(match, "scope", (match[1] ?? "").toLowerCase())),
  ];
}

/** The line without some parts of it. Lengths stay, so that positions still fit. */
const without = (line: string, parts: readonly { start: number; end: number }[], filler: string) =>
  parts.reduce(
    (rest, { start, end }) => rest.slice(0, start) + filler.repeat(end - start) + rest.slice(end),
    line,
  );

/** A record has one project and one scope; what else says so is a tag, or stays a word. */
function onlyOne(parts: Found[]): Found[] {
  const taken = new Set<string>();
  return parts.flatMap((part): Found[] => {
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

/** What the words say of when it is due, with the sources in the line as it was typed. */
function whenOf(line: string, signs: Found[], { today, now, from, plain, others = [] }: Reading) {
  // U+0000 is no letter, digit or space: no phrase reaches over what has been taken out.
  const words = plain.reduce((text, one) => text.replaceAll(one, "\0".repeat(one.length)), line);
  const text = without(words, signs, "\0");
  const isOther = ({ start, end }: { start: number; end: number }) =>
    others.includes(line.slice(start, end).trim());
  const when = readWhen(text, { today, ...(now && { now }), ...(from && { from }), isOther });
  const found = when.parts.map(
    (part): Found => ({ ...part, source: line.slice(part.start, part.end).trim() }),
  );
  return { ...when, found };
}

const EDGE = " ,;:";

/** Without the signs at its ends, in linear time. */
function bare(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && EDGE.includes(text.charAt(start))) start++;
  while (end > start && EDGE.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

const tidy = (text: string) =>
  bare(
    text
      .replace(/\(\s*\)/g, " ")
      .replace(/\s+/g, " ")
      .replace(/ ([,.;:!?])(?= |$)/g, "$1"),
  );

/** A topic has an end; the whole text is in the content then. */
function fieldsOf(topic: string, details: string): Pick<NewMemory, "topic" | "content"> {
  if (topic.length <= MAX_TOPIC) return { topic, content: details || topic };
  const cut = topic.slice(0, MAX_TOPIC - 1).replace(/\s+\S*$/, "");
  return { topic: `${cut}…`, content: details ? `${topic}\n\n${details}` : topic };
}

const valueIn = (parts: Part[], kind: Part["kind"]) => parts.find((part) => part.kind === kind)?.value;

/**
 * Reads a record from what a person typed: the first line is its topic, with signs and dates; further lines are its
 * content.
 *
 * @returns the record, with an empty topic if nothing but signs is there
 */
export function readEntry(text: string, reading: Reading): Entry {
  const [line = "", ...rest] = text.trim().split("\n");
  const isPlain = ({ source }: Part) => reading.plain.includes(source);
  const signs = onlyOne(signsOf(line, reading.projects).filter((part) => !isPlain(part)));
  const { found, parts: _, offer, unread, ...when } = whenOf(line, signs, reading);
  const all = [...signs, ...found].sort((a, b) => a.start - b.start);
  const topic = tidy(without(line, all, " "));
  const parts = all.map(({ start, end, ...part }) => part);
  const tags = [...new Set(parts.filter(({ kind }) => kind === "tag").map(({ value }) => value))];
  const project = valueIn(parts, "project");
  const scope = valueIn(parts, "scope") as "work" | "personal" | undefined;
  return {
    record: {
      memory_type: (valueIn(parts, "memory_type") ?? "commitment") as MemoryType,
      ...fieldsOf(topic, rest.join("\n").trim()),
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
