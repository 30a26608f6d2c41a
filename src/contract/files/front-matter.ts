import { type Fields, isObject } from "./content.ts";
import { readToml } from "./toml.ts";
import { readYaml } from "./yaml.ts";

// Front matter as people and other programs write it: YAML between `---` and `---` or `...`, or TOML between `+++`.

/** A field with the lines below it that belong to it, what stands between fields, or lines that were not understood. */
export type Entry = {
  kind: "field" | "between" | "unread";
  /** Of a field. */
  name: string;
  text: string;
  /** Its first line in the text, from 1. */
  line: number;
};

export type FrontMatter = {
  language: "YAML" | "TOML";
  /** Its fences as they are written. */
  open: string;
  close: string;
  entries: Entry[];
  fields: Fields;
  /** Names of fields that are not YAML, whose values are the text that was written. */
  asText: string[];
};

/** Thrown for what begins as front matter and is not read. */
export class NotRead extends Error {}

const YAML = /^(---[ \t]*\r?\n)((?:[\s\S]*?\n)??)((?:---|\.\.\.)[ \t]*(?:\r?\n|$))/;
const TOML = /^(\+\+\+[ \t]*\r?\n)((?:[\s\S]*?\n)??)(\+\+\+[ \t]*(?:\r?\n|$))/;

const FIELD =
  /^("[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'#[\]{},&*!|>%@`-][^\n]{0,200}?)[ \t]*:(?=[ \t]|\r?\n|$)/;
const BETWEEN = /^(?:#|\s*$)/;
const BELOW = /^(?:[ \t]|-(?:\s|$)|[\]}])/;

function nextEntry(text: string, line: number, below: Entry | undefined): Entry | undefined {
  const name = FIELD.exec(text)?.[1]?.replace(/^(["'])(.*)\1$/, "$2");
  if (name !== undefined) return { kind: "field", name, text, line };
  if (BETWEEN.test(text)) return { kind: "between", name: "", text, line };
  return below && BELOW.test(text) ? undefined : { kind: "unread", name: "", text, line };
}

/** YAML in parts that begin in the first column. */
function entriesOf(source: string): Entry[] {
  const entries: Entry[][] = [];
  // Empty lines and comments belong to a field only if it goes on after them.
  let between: Entry[] = [];
  for (const [index, text] of (source.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const below = entries.at(-1)?.at(-1);
    const entry = nextEntry(text, index + 2, below);
    if (entry?.kind === "between") between.push(entry);
    else {
      if (entry) entries.push([...between, entry]);
      else if (below) below.text += between.map((one) => one.text).join("") + text;
      between = [];
    }
  }
  return [...entries.flat(), ...between];
}

const onlyField = (source: string): { value: unknown } | undefined => {
  try {
    const fields = readYaml(source);
    const values = isObject(fields) ? Object.values(fields) : [];
    return values.length === 1 ? { value: values[0] } : undefined;
  } catch {
    return undefined;
  }
};

/** Lists of which an item is not YAML. */
const LIST = /^[^\n]*:[ \t]*\r?\n(?:[ \t]*-[ \t][^\n]*(?:\n|$))+$/;

function asWritten({ name, text }: Entry): unknown {
  const after = text.slice(text.indexOf(":", name.length) + 1);
  if (!/\n\s*\S/.test(after)) return after.trim();
  if (!LIST.test(text)) return undefined;
  const items = after
    .trim()
    .split("\n")
    .map((line) => line.replace(/^[ \t]*-[ \t]/, "").trim());
  return items.map((item) => onlyField(`item: ${item}`)?.value ?? item);
}

/** Reads each field by itself. What is none, or has a name that was there before, is not read. */
function readByFields(all: readonly Entry[]): Pick<FrontMatter, "entries" | "fields" | "asText"> {
  const fields = new Map<string, unknown>();
  const asText: string[] = [];
  const entries = all.map((entry): Entry => {
    if (entry.kind !== "field") return entry;
    const { name, text } = entry;
    const read = onlyField(text) ?? (text.includes("\t") ? onlyField(text.replace(/\t/g, "  ")) : undefined);
    const value = read ? read.value : asWritten(entry);
    if (value === undefined || fields.has(name)) return { ...entry, kind: "unread" };
    if (!read) asText.push(name);
    fields.set(name, value);
    return entry;
  });
  return { entries, asText, fields: Object.fromEntries(fields) };
}

/** Prose between two rules is not front matter, even if a line of it has a colon. Throws NotRead for what may be both. */
function areFields(entries: readonly Entry[]): boolean {
  const [fields, unread] = ["field", "unread"].map(
    (kind) => entries.filter((one) => one.kind === kind).length,
  );
  if (!fields) return false;
  if (fields > (unread ?? 0)) return true;
  throw new NotRead(
    "most of what stands between its first two lines of --- is not YAML, so all of it stays in the text",
  );
}

/** The fields of YAML; undefined if it is none, or prose. */
function readFields(source: string): Pick<FrontMatter, "entries" | "fields" | "asText"> | undefined {
  const entries = entriesOf(source);
  try {
    const fields = readYaml(source) ?? {};
    const read = entries.map(
      (entry): Entry => (entry.kind === "unread" ? { ...entry, kind: "between" } : entry),
    );
    return isObject(fields) ? { entries: read, fields, asText: [] } : undefined;
  } catch {
    const read = readByFields(entries);
    return areFields(read.entries) ? read : undefined;
  }
}

/**
 * The front matter that a text begins with, and the rest of it; undefined if there is none. Throws NotRead for TOML with an
 * error, and for YAML of which most cannot be read.
 */
export function splitFrontMatter(text: string): { front: FrontMatter; body: string } | undefined {
  const [language, found] = text.startsWith("+++")
    ? ["TOML" as const, TOML.exec(text)]
    : ["YAML" as const, YAML.exec(text)];
  if (!found) return undefined;
  const [{ length }, open = "", source = "", close = ""] = found;
  const body = text.slice(length);
  if (language === "YAML") {
    const read = readFields(source);
    return read && { front: { language, open, close, ...read }, body };
  }
  try {
    const entry: Entry = { kind: "between", name: "", text: source, line: 2 };
    return { front: { language, open, close, entries: [entry], fields: readToml(source), asText: [] }, body };
  } catch (problem) {
    throw new NotRead(`its front matter is not valid TOML, and stays in the text: ${reasonOf(problem)}`);
  }
}

const reasonOf = (problem: unknown) => (problem instanceof Error ? problem.message.split("\n")[0] : "");

export const sourceOf = ({ open, entries, close }: FrontMatter): string =>
  open + entries.map(({ text }) => text).join("") + close;

/** What was not understood, as it stands in front of the text; empty if all was. */
export function unreadOf({ open, entries }: FrontMatter): string {
  const unread = entries.filter(({ kind }) => kind === "unread").map(({ text }) => text);
  const fence = open.endsWith("\r\n") ? "---\r\n" : "---\n";
  return unread.length === 0 ? "" : fence + unread.join("") + fence;
}
