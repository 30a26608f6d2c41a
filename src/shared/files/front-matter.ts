import { type FieldValues, isObject } from "./content.ts";
import { readToml } from "./toml.ts";
import { readYaml } from "./yaml.ts";

// Front matter of people and other programs: YAML between `---` and `---` or `...`, or TOML between `+++`.

/** A field with its continuation lines, the lines between fields, or lines that are not understood. */
export type FrontMatterEntry = {
  kind: "field" | "between" | "unread";
  /** Name of the field; empty for other entries. */
  name: string;
  text: string;
  /** First line in the text, from 1. */
  line: number;
};

export type FrontMatter = {
  language: "YAML" | "TOML";
  /** The fences as written. */
  open: string;
  close: string;
  entries: FrontMatterEntry[];
  fields: FieldValues;
  /** Names of the fields that are not valid YAML. Their values are the text as written. */
  asText: string[];
};

/** Thrown if a text begins like front matter that cannot be read. */
export class FrontMatterError extends Error {}

const YAML = /^(---[ \t]*\r?\n)((?:[\s\S]*?\n)??)((?:---|\.\.\.)[ \t]*(?:\r?\n|$))/;
const TOML = /^(\+\+\+[ \t]*\r?\n)((?:[\s\S]*?\n)??)(\+\+\+[ \t]*(?:\r?\n|$))/;

const FIELD =
  /^("[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'#[\]{},&*!|>%@`-][^\n]{0,200}?)[ \t]*:(?=[ \t]|\r?\n|$)/;
const BETWEEN = /^(?:#|\s*$)/;
const BELOW = /^(?:[ \t]|-(?:\s|$)|[\]}])/;

function nextEntry(
  text: string,
  line: number,
  below: FrontMatterEntry | undefined,
): FrontMatterEntry | undefined {
  const name = FIELD.exec(text)?.[1]?.replace(/^(["'])(.*)\1$/, "$2");
  if (name !== undefined) return { kind: "field", name, text, line };
  if (BETWEEN.test(text)) return { kind: "between", name: "", text, line };
  return below && BELOW.test(text) ? undefined : { kind: "unread", name: "", text, line };
}

/** Splits YAML into entries, which begin in the first column. */
function splitEntries(source: string): FrontMatterEntry[] {
  const entries: FrontMatterEntry[][] = [];
  // Empty lines and comments belong to a field only if the field continues after them.
  let between: FrontMatterEntry[] = [];
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

const readSingleField = (source: string): { value: unknown } | undefined => {
  try {
    const fields = readYaml(source);
    const values = isObject(fields) ? Object.values(fields) : [];
    return values.length === 1 ? { value: values[0] } : undefined;
  } catch {
    return undefined;
  }
};

/** A list, of which an item may not be YAML. */
const LIST = /^[^\n]*:[ \t]*\r?\n(?:[ \t]*-[ \t][^\n]*(?:\n|$))+$/;

function valueAsText({ name, text }: FrontMatterEntry): unknown {
  const after = text.slice(text.indexOf(":", name.length) + 1);
  if (!/\n\s*\S/.test(after)) return after.trim();
  if (!LIST.test(text)) return undefined;
  const items = after
    .trim()
    .split("\n")
    .map((line) => line.replace(/^[ \t]*-[ \t]/, "").trim());
  return items.map((item) => readSingleField(`item: ${item}`)?.value ?? item);
}

/** Reads each field separately. Other lines, and fields with a repeated name, stay unread. */
function readByFields(all: readonly FrontMatterEntry[]): Pick<FrontMatter, "entries" | "fields" | "asText"> {
  const fields = new Map<string, unknown>();
  const asText: string[] = [];
  const entries = all.map((entry): FrontMatterEntry => {
    if (entry.kind !== "field") return entry;
    const { name, text } = entry;
    const read =
      readSingleField(text) ?? (text.includes("\t") ? readSingleField(text.replace(/\t/g, "  ")) : undefined);
    const value = read ? read.value : valueAsText(entry);
    if (value === undefined || fields.has(name)) return { ...entry, kind: "unread" };
    if (!read) asText.push(name);
    fields.set(name, value);
    return entry;
  });
  return { entries, asText, fields: Object.fromEntries(fields) };
}

/** Prose between two rules is not front matter, even if a line has a colon. Throws FrontMatterError if it may be either. */
function isFrontMatter(entries: readonly FrontMatterEntry[]): boolean {
  const [fields, unread] = ["field", "unread"].map(
    (kind) => entries.filter((one) => one.kind === kind).length,
  );
  if (!fields) return false;
  if (fields > (unread ?? 0)) return true;
  throw new FrontMatterError(
    "most of the text between its first two --- lines is not YAML, so all of it stays in the text",
  );
}

/** The fields of YAML; undefined if it is prose or not an object. */
function readFields(source: string): Pick<FrontMatter, "entries" | "fields" | "asText"> | undefined {
  const entries = splitEntries(source);
  try {
    const fields = readYaml(source) ?? {};
    const read = entries.map(
      (entry): FrontMatterEntry => (entry.kind === "unread" ? { ...entry, kind: "between" } : entry),
    );
    return isObject(fields) ? { entries: read, fields, asText: [] } : undefined;
  } catch {
    const read = readByFields(entries);
    return isFrontMatter(read.entries) ? read : undefined;
  }
}

/**
 * Splits a text into front matter and body; undefined if there is no front matter. Throws FrontMatterError for invalid TOML,
 * and for YAML that is mostly unreadable.
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
    const entry: FrontMatterEntry = { kind: "between", name: "", text: source, line: 2 };
    return { front: { language, open, close, entries: [entry], fields: readToml(source), asText: [] }, body };
  } catch (problem) {
    throw new FrontMatterError(
      `its front matter is not valid TOML, and stays in the text: ${errorReason(problem)}`,
    );
  }
}

const errorReason = (problem: unknown) => (problem instanceof Error ? problem.message.split("\n")[0] : "");

export const frontMatterSource = ({ open, entries, close }: FrontMatter): string =>
  open + entries.map(({ text }) => text).join("") + close;

/** The lines that were not understood, between fences; empty if there are none. */
export function unreadFrontMatter({ open, entries }: FrontMatter): string {
  const unread = entries.filter(({ kind }) => kind === "unread").map(({ text }) => text);
  const fence = open.endsWith("\r\n") ? "---\r\n" : "---\n";
  return unread.length === 0 ? "" : fence + unread.join("") + fence;
}
