import { normalizeName } from "../../contract/name-key.ts";
import { isTag, MAX_TAGS } from "../../contract/tag-rule.ts";
import type { FieldValues } from "./content.ts";
import type { FrontMatter, FrontMatterEntry } from "./front-matter.ts";
import { readYaml } from "./yaml.ts";

// Title, tags and properties of a note, read from its front matter. Properties are all other fields.

export type NoteMetadata = {
  /** Undefined or empty if there is none. */
  title: string | undefined;
  tags: string[];
  properties: FieldValues;
  /** Names of the fields that contain the title and the tags. */
  fieldNames: { title: string | undefined; tags: string[] };
};

const TITLE = /^title$/i;
const TAGS = /^tags?$/i;

const isNested = (value: unknown) => typeof value === "object" && value !== null;

/** The title as written; undefined if it has several lines. */
function readTitle(value: unknown, entry: FrontMatterEntry | undefined): string | undefined {
  if (!isNested(value)) return String(value ?? "").trim();
  const written = entry && rawValue(entry).trim();
  return written?.includes("\n") ? undefined : written;
}

const rawValue = ({ text, name }: FrontMatterEntry) => text.slice(text.indexOf(":", name.length) + 1);

const HASHED = /(^|[\s,[])#(?=[^\s#,\]])/g;
const ONLY_HASHED = /^\s*#[^\s#,\]]+(?:[\s,\]]+#[^\s#,\]]+)*[\s,\]]*$/;

/** Whether a line contains tags with `#`, which YAML reads as a comment. */
function hasHashedTags(line: string): boolean {
  const start = line.search(/(?:^|[\s,[])#/);
  return start >= 0 && ONLY_HASHED.test(line.slice(start).replace(/^[,[]/, ""));
}

/** The tags of a field that writes them with `#`; undefined if it has none. */
function readHashedTags(entry: FrontMatterEntry): unknown {
  const [first = "", ...below] = rawValue(entry).split("\n");
  const items = below.map((line) => line.replace(/^\s*-\s+/, ""));
  const isHashed = hasHashedTags(first) || items.some((item) => item.startsWith("#") && hasHashedTags(item));
  if (!isHashed) return undefined;
  const lines = below.map((line) => (/^\s*-\s+#/.test(line) ? line.replace(HASHED, "$1") : line));
  try {
    return (readYaml(["tags:".concat(first.replace(HASHED, "$1")), ...lines].join("\n")) as FieldValues).tags;
  } catch {
    return undefined;
  }
}

/** Tags from a list, or from a text separated by commas or otherwise by spaces. A leading `#` is removed. */
export function parseTags(value: unknown): string[] {
  const names = typeof value === "string" ? value.split(value.includes(",") ? "," : /\s+/) : [value].flat();
  return names
    .filter((name) => name !== null && name !== undefined)
    .map((name) => String(name).trim().replace(/^#/, ""))
    .filter((name) => name !== "");
}

/** The tags that a document may have, normalized and without duplicates. */
export const validTags = (tags: readonly string[]): string[] =>
  [...new Set(tags.map(normalizeName))].filter((tag) => isTag(tag)).slice(0, MAX_TAGS);

/** The tags in a field; undefined if it is not a list of names. */
function readTags(value: unknown, entry: FrontMatterEntry | undefined): string[] | undefined {
  const names = (entry && readHashedTags(entry)) ?? value;
  const isList = !isNested(names) || (Array.isArray(names) && !names.some(isNested));
  return isList ? parseTags(names) : undefined;
}

/** Reads front matter. A title or tags that cannot be read as such become properties. */
export function readNoteMetadata({ fields, entries }: FrontMatter): NoteMetadata {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const metadata: NoteMetadata = {
    title: undefined,
    tags: [],
    properties: {},
    fieldNames: { title: undefined, tags: [] },
  };
  const properties = Object.entries(fields).filter(([name, value]) => {
    const entry = byName.get(name);
    const title = TITLE.test(name) && metadata.title === undefined ? readTitle(value, entry) : undefined;
    const tags = TAGS.test(name) ? readTags(value, entry) : undefined;
    if (title !== undefined) {
      metadata.title = title;
      metadata.fieldNames.title = name;
    }
    if (tags) {
      metadata.tags = metadata.tags.concat(tags);
      metadata.fieldNames.tags.push(name);
    }
    return title === undefined && !tags;
  });
  return { ...metadata, properties: Object.fromEntries(properties) };
}
