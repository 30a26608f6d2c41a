import type { Document } from "../../contract/document.ts";
import { normalizeName } from "../../contract/name-key.ts";
import { editableContent, extraFields, type FieldValues, frontMatterProperties } from "./content.ts";
import {
  type FrontMatter,
  type FrontMatterEntry,
  FrontMatterError,
  frontMatterSource,
  splitFrontMatter,
  unreadFrontMatter,
} from "./front-matter.ts";
import { type NoteMetadata, parseTags, readNoteMetadata, validTags } from "./note-metadata.ts";
import { toJsonYaml, toYaml } from "./yaml.ts";

// Writes an imported note with its original front matter. Only fields that have changed since are rewritten; the rest stays
// the same byte for byte.

/** Longer front matter takes too long to parse: it is written from its values instead. */
const isShort = (source: string) => source.length <= 4_000 && source.split("\n", 202).length <= 201;

type NoteContent = Pick<Document, "title" | "tags" | "content">;

type NoteParts = { frontMatter: string; text: string };

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const areSame = (one: FieldValues, other: FieldValues) =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => Object.hasOwn(other, name) && isSame(value, other[name]));

export const frontMatterFields = (content: Document["content"]): FieldValues => ({
  ...extraFields(content),
  ...frontMatterProperties(content),
});

type CurrentNote = {
  title: string;
  tags: string[];
  properties: FieldValues;
  /** Whether the text still starts with the lines of the front matter that were not understood. */
  hasUnread: boolean;
  lineEnding: string;
};

const hasCurrentTags = (metadata: NoteMetadata, { tags }: CurrentNote) =>
  isSame(validTags(metadata.tags), tags);
const hasCurrentTitle = (metadata: NoteMetadata, { title }: CurrentNote) =>
  !metadata.title || normalizeName(metadata.title) === title;

const isCurrent = (metadata: NoteMetadata, current: CurrentNote) =>
  hasCurrentTags(metadata, current) &&
  hasCurrentTitle(metadata, current) &&
  areSame(metadata.properties, current.properties);

/** YAML with the line endings of the note. */
const yamlLines = (fields: FieldValues, { lineEnding }: CurrentNote) =>
  toYaml(fields).replaceAll("\n", lineEnding);

function currentField(
  { name, text }: FrontMatterEntry,
  metadata: NoteMetadata,
  current: CurrentNote,
): string {
  if (Object.hasOwn(current.properties, name)) {
    const value = current.properties[name];
    return isSame(metadata.properties[name], value) ? text : yamlLines({ [name]: value }, current);
  }
  if (name === metadata.fieldNames.title)
    return hasCurrentTitle(metadata, current) ? text : yamlLines({ [name]: current.title }, current);
  return metadata.fieldNames.tags.includes(name) && hasCurrentTags(metadata, current) ? text : "";
}

function changedLines({ entries }: FrontMatter, metadata: NoteMetadata, current: CurrentNote): string {
  const lines = entries.map((entry) => {
    if (entry.kind === "field") return currentField(entry, metadata, current);
    return entry.kind === "between" || current.hasUnread ? entry.text : "";
  });
  const known = new Set(entries.map(({ name }) => name));
  const added = Object.fromEntries(Object.entries(current.properties).filter(([name]) => !known.has(name)));
  if (!hasCurrentTags(metadata, current) && current.tags.length > 0) added.tags = current.tags;
  if (Object.keys(added).length > 0) lines.push(yamlLines(added, current));
  return lines.join("");
}

/** The block of the service's own fields, which an import removes again. */
function ownBlock({ language }: FrontMatter, own: FieldValues): string {
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${toJsonYaml(value)}\n`);
  if (language === "TOML") return `[commonplace]\n${lines.join("")}`;
  const yaml = toYaml({ commonplace: own });
  return yaml.startsWith("?") ? `commonplace: ${toJsonYaml(own)}\n` : yaml;
}

/** Title and tags that an import could not read from the front matter. */
const unreadableFields = (metadata: NoteMetadata, current: CurrentNote): FieldValues => ({
  ...(!metadata.title && { title: current.title }),
  ...(!hasCurrentTags(metadata, current) &&
    !isSame(validTags(parseTags(current.tags)), current.tags) && { tags: current.tags }),
});

/** Parses front matter without text after it; undefined if it cannot be read. */
function parseFrontMatterSource(source: unknown): FrontMatter | undefined {
  if (typeof source !== "string" || !isShort(source)) return undefined;
  try {
    const read = splitFrontMatter(source);
    return read?.body === "" ? read.front : undefined;
  } catch (problem) {
    if (problem instanceof FrontMatterError) return undefined;
    throw problem;
  }
}

/** Whether fields can be appended: each field starts on its own line. */
const isBlock = ({ language, entries, fields }: FrontMatter) =>
  language === "TOML" ||
  (entries.filter(({ kind }) => kind === "field").length === Object.keys(fields).length &&
    entries.every(({ kind, text }) => kind !== "between" || /^(?:#|\s*$)/.test(text)));

/** The source of front matter, if it can be written again unchanged. */
export function reusableSource(front: FrontMatter): string | undefined {
  const source = frontMatterSource(front);
  const isReusable = isShort(source) && isBlock(front) && !Object.hasOwn(front.fields, "commonplace");
  return isReusable ? source : undefined;
}

/** The lines with all changes; undefined if they would not be read as the current values. */
function currentLines(front: FrontMatter, metadata: NoteMetadata, current: CurrentNote): string | undefined {
  if (isCurrent(metadata, current) && current.hasUnread)
    return front.entries.map(({ text }) => text).join("");
  if (front.language === "TOML") return undefined;
  const lines = changedLines(front, metadata, current);
  const again = parseFrontMatterSource(front.open + lines + front.close);
  return again && isCurrent(readNoteMetadata(again), { ...current, tags: validTags(parseTags(current.tags)) })
    ? lines
    : undefined;
}

/**
 * A document with its original front matter, in which only changed fields are rewritten. `own` are the fields of the block
 * for later imports. Undefined if there was no front matter, or if it cannot be changed in place.
 */
export function withOriginalFrontMatter(
  { title, tags, content }: NoteContent,
  own?: FieldValues,
): NoteParts | undefined {
  const front = parseFrontMatterSource(content?.front_matter_source);
  if (!front || reusableSource(front) === undefined) return undefined;
  const { text } = editableContent(content);
  const [metadata, unread] = [readNoteMetadata(front), unreadFrontMatter(front)];
  const properties = frontMatterFields(content);
  // The name belongs to the block.
  if (own && Object.hasOwn(properties, "commonplace")) return undefined;
  const current = {
    title,
    tags,
    properties,
    hasUnread: text.startsWith(unread),
    lineEnding: front.open.endsWith("\r\n") ? "\r\n" : "\n",
  };
  const lines = currentLines(front, metadata, current);
  if (lines === undefined) return undefined;
  const rest = current.hasUnread ? text.slice(unread.length) : text;
  const block = own ? ownBlock(front, { ...own, ...unreadableFields(metadata, current) }) : "";
  const end = rest === "" || front.close.endsWith("\n") ? "" : "\n";
  return { frontMatter: front.open + lines + block + front.close + end, text: rest };
}
