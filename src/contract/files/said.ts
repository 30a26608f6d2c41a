import { asName } from "../name-key.ts";
import { isTag, MAX_TAGS } from "../tag-rule.ts";
import type { Fields } from "./content.ts";
import type { Entry, FrontMatter } from "./front-matter.ts";
import { readYaml } from "./yaml.ts";

// What front matter says of its note: title, tags, and properties, which are all of its other fields.

export type Said = {
  /** Undefined or empty if it has none. */
  title: string | undefined;
  tags: string[];
  properties: Fields;
  /** The field with the title, and those with tags. */
  names: { title: string | undefined; tags: string[] };
};

const TITLE = /^title$/i;
const TAGS = /^tags?$/i;

const isNested = (value: unknown) => typeof value === "object" && value !== null;

/** A title as it is written; undefined for one of several lines. */
function titleOf(value: unknown, entry: Entry | undefined): string | undefined {
  if (!isNested(value)) return String(value ?? "").trim();
  const written = entry && valueIn(entry).trim();
  return written?.includes("\n") ? undefined : written;
}

const valueIn = ({ text, name }: Entry) => text.slice(text.indexOf(":", name.length) + 1);

const HASHED = /(^|[\s,[])#(?=[^\s#,\]])/g;
const ONLY_HASHED = /^\s*#[^\s#,\]]+(?:[\s,\]]+#[^\s#,\]]+)*[\s,\]]*$/;

/** Whether a line has tags with their `#`, which are a comment to YAML. */
function hasHashedTags(line: string): boolean {
  const start = line.search(/(?:^|[\s,[])#/);
  return start >= 0 && ONLY_HASHED.test(line.slice(start).replace(/^[,[]/, ""));
}

/** The tags of a field whose signs of a comment are those of tags; undefined where there are none. */
function hashedTags(entry: Entry): unknown {
  const [first = "", ...below] = valueIn(entry).split("\n");
  const items = below.map((line) => line.replace(/^\s*-\s+/, ""));
  const isHashed = hasHashedTags(first) || items.some((item) => item.startsWith("#") && hasHashedTags(item));
  if (!isHashed) return undefined;
  const lines = below.map((line) => (/^\s*-\s+#/.test(line) ? line.replace(HASHED, "$1") : line));
  try {
    return (readYaml(["tags:".concat(first.replace(HASHED, "$1")), ...lines].join("\n")) as Fields).tags;
  } catch {
    return undefined;
  }
}

/** The names of tags: a list, or a text in which commas or else spaces separate them. A `#` in front is not part of one. */
export function tagsOf(value: unknown): string[] {
  const names = typeof value === "string" ? value.split(value.includes(",") ? "," : /\s+/) : [value].flat();
  return names
    .filter((name) => name !== null && name !== undefined)
    .map((name) => String(name).trim().replace(/^#/, ""))
    .filter((name) => name !== "");
}

/** The tags that a document may have of these. */
export const fitting = (tags: readonly string[]): string[] =>
  [...new Set(tags.map(asName))].filter((tag) => isTag(tag)).slice(0, MAX_TAGS);

/** Tags; undefined for what is not a list of names. */
function tagsIn(value: unknown, entry: Entry | undefined): string[] | undefined {
  const names = (entry && hashedTags(entry)) ?? value;
  const isList = !isNested(names) || (Array.isArray(names) && !names.some(isNested));
  return isList ? tagsOf(names) : undefined;
}

/** What front matter says. A title or tags that cannot be read as such are properties. */
export function saidBy({ fields, entries }: FrontMatter): Said {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const said: Said = { title: undefined, tags: [], properties: {}, names: { title: undefined, tags: [] } };
  const properties = Object.entries(fields).filter(([name, value]) => {
    const entry = byName.get(name);
    const title = TITLE.test(name) && said.title === undefined ? titleOf(value, entry) : undefined;
    const tags = TAGS.test(name) ? tagsIn(value, entry) : undefined;
    if (title !== undefined) {
      said.title = title;
      said.names.title = name;
    }
    if (tags) {
      said.tags = said.tags.concat(tags);
      said.names.tags.push(name);
    }
    return title === undefined && !tags;
  });
  return { ...said, properties: Object.fromEntries(properties) };
}
