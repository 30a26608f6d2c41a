import type { Document } from "../document.ts";
import { asName } from "../name-key.ts";
import { type Fields, otherFields, propertiesOf, writingOf } from "./content.ts";
import {
  type Entry,
  type FrontMatter,
  NotRead,
  sourceOf,
  splitFrontMatter,
  unreadOf,
} from "./front-matter.ts";
import { fitting, type Said, saidBy, tagsOf } from "./said.ts";
import { flow, yamlOf } from "./yaml.ts";

// The front matter of an imported note as it was written, with what has changed since. What has not changed stays the
// same to the byte.

/** To read more takes longer than others should wait: front matter of over 200 lines is written from its values. */
const isShort = (source: string) => source.length <= 4_000 && source.split("\n", 202).length <= 201;

export type Noted = Pick<Document, "title" | "tags" | "content">;

/** Front matter, and the text behind it. */
export type Written = { head: string; text: string };

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const areSame = (one: Fields, other: Fields) =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => Object.hasOwn(other, name) && isSame(value, other[name]));

/** The properties of a document, and the fields of its content that are written like them. */
export const writtenFields = (content: Document["content"]): Fields => ({
  ...otherFields(content),
  ...propertiesOf(content),
});

type Now = {
  title: string;
  tags: string[];
  properties: Fields;
  hasUnread: boolean;
  ending: string;
};

const saysTags = (said: Said, { tags }: Now) => isSame(fitting(said.tags), tags);
const saysTitle = (said: Said, { title }: Now) => !said.title || asName(said.title) === title;

const says = (said: Said, now: Now) =>
  saysTags(said, now) && saysTitle(said, now) && areSame(said.properties, now.properties);

/** YAML with the ends of lines that the rest of it has. */
const linesOf = (fields: Fields, { ending }: Now) => yamlOf(fields).replaceAll("\n", ending);

/** What stands in the place of a field. */
function fieldNow({ name, text }: Entry, said: Said, now: Now): string {
  if (Object.hasOwn(now.properties, name)) {
    const value = now.properties[name];
    return isSame(said.properties[name], value) ? text : linesOf({ [name]: value }, now);
  }
  if (name === said.names.title) return saysTitle(said, now) ? text : linesOf({ [name]: now.title }, now);
  return said.names.tags.includes(name) && saysTags(said, now) ? text : "";
}

function changedLines({ entries }: FrontMatter, said: Said, now: Now): string {
  const lines = entries.map((entry) => {
    if (entry.kind === "field") return fieldNow(entry, said, now);
    return entry.kind === "between" || now.hasUnread ? entry.text : "";
  });
  const known = new Set(entries.map(({ name }) => name));
  const added = Object.fromEntries(Object.entries(now.properties).filter(([name]) => !known.has(name)));
  if (!saysTags(said, now) && now.tags.length > 0) added.tags = now.tags;
  if (Object.keys(added).length > 0) lines.push(linesOf(added, now));
  return lines.join("");
}

/** The block of the service's own fields, which an import takes off again. */
function blockOf({ language }: FrontMatter, own: Fields): string {
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${flow(value)}\n`);
  if (language === "TOML") return `[commonplace]\n${lines.join("")}`;
  const yaml = yamlOf({ commonplace: own });
  return yaml.startsWith("?") ? `commonplace: ${flow(own)}\n` : yaml;
}

/** What a reader cannot tell from what the front matter says. */
const untold = (said: Said, now: Now): Fields => ({
  ...(!said.title && { title: now.title }),
  ...(!saysTags(said, now) && !isSame(fitting(tagsOf(now.tags)), now.tags) && { tags: now.tags }),
});

/** Front matter and nothing behind it; undefined if it cannot be read. */
export function frontIn(source: unknown): FrontMatter | undefined {
  if (typeof source !== "string" || !isShort(source)) return undefined;
  try {
    const read = splitFrontMatter(source);
    return read?.body === "" ? read.front : undefined;
  } catch (problem) {
    if (problem instanceof NotRead) return undefined;
    throw problem;
  }
}

/** Whether other fields can follow, as each begins in a line of its own. */
const isBlock = ({ language, entries, fields }: FrontMatter) =>
  language === "TOML" ||
  (entries.filter(({ kind }) => kind === "field").length === Object.keys(fields).length &&
    entries.every(({ kind, text }) => kind !== "between" || /^(?:#|\s*$)/.test(text)));

/** The front matter as it is written, if it can go out so again. */
export function keptSource(front: FrontMatter): string | undefined {
  const source = sourceOf(front);
  const isKept = isShort(source) && isBlock(front) && !Object.hasOwn(front.fields, "commonplace");
  return isKept ? source : undefined;
}

/** Its lines with what has changed; undefined if they would not say what the document has. */
function linesNow(front: FrontMatter, said: Said, now: Now): string | undefined {
  if (says(said, now) && now.hasUnread) return front.entries.map(({ text }) => text).join("");
  if (front.language === "TOML") return undefined;
  const lines = changedLines(front, said, now);
  const again = frontIn(front.open + lines + front.close);
  return again && says(saidBy(again), { ...now, tags: fitting(tagsOf(now.tags)) }) ? lines : undefined;
}

/**
 * A document with the front matter that it came with, in which only what has changed is written anew. `own` are the fields of
 * a block that an import of ours reads. Undefined if it came without any, or if that cannot be changed in its place.
 */
export function asItCame({ title, tags, content }: Noted, own?: Fields): Written | undefined {
  const front = frontIn(content?.front_matter_source);
  if (!front || keptSource(front) === undefined) return undefined;
  const { text } = writingOf(content);
  const [said, unread, properties] = [saidBy(front), unreadOf(front), writtenFields(content)];
  // There is one place for that name, and it is the block's.
  if (own && Object.hasOwn(properties, "commonplace")) return undefined;
  const now = {
    ...{ title, tags, properties, hasUnread: text.startsWith(unread) },
    ending: front.open.endsWith("\r\n") ? "\r\n" : "\n",
  };
  const lines = linesNow(front, said, now);
  if (lines === undefined) return undefined;
  const rest = now.hasUnread ? text.slice(unread.length) : text;
  const block = own ? blockOf(front, { ...own, ...untold(said, now) }) : "";
  const end = rest === "" || front.close.endsWith("\n") ? "" : "\n";
  return { head: front.open + lines + block + front.close + end, text: rest };
}
