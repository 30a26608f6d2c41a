import { normalizeName } from "../../contract/name-key.ts";
import { isTag, MAX_TAGS } from "../../contract/tag-rule.ts";
import {
  type FrontMatter,
  FrontMatterError,
  splitFrontMatter,
  unreadFrontMatter,
} from "../files/front-matter.ts";
import { readOwnNote } from "../files/note.ts";
import { readNoteMetadata } from "../files/note-metadata.ts";
import { reusableSource } from "../files/original-front-matter.ts";
import { headingsOf } from "../markdown/headings.ts";
import { oneLine, plainText } from "../markdown/plain-text.ts";
import { fitTitle, textContent } from "./item.ts";
import { isDailyNote } from "./obsidian.ts";
import { defaultTitle, extname } from "./paths.ts";

/** Separates front matter from the body. Front matter that cannot be read stays in the text. */
function splitText(text: string, notes: string[]): { front?: FrontMatter; body: string } {
  try {
    const read = splitFrontMatter(text);
    if (!read) return { body: text };
    notes.push(...frontMatterNotes(read.front));
    return { front: read.front, body: unreadFrontMatter(read.front) + read.body };
  } catch (problem) {
    if (!(problem instanceof FrontMatterError)) throw problem;
    notes.push(problem.message);
    return { body: text };
  }
}

const MAX_LISTED = 5;

const shortList = (all: readonly string[]) =>
  all.length > MAX_LISTED
    ? `${all.slice(0, MAX_LISTED).join(", ")} and ${all.length - MAX_LISTED} more`
    : all.join(", ");

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);

function frontMatterNotes({ entries, asText }: FrontMatter): string[] {
  const unread = entries.filter(({ kind }) => kind === "unread");
  const lines = unread.map(({ line, text }) => `line ${line} (${shortened(text.trim())})`);
  return [
    ...(asText.length > 0
      ? [
          `its front matter is not valid YAML, so these values were read as text: ${shortList(asText.map(shortened))}`,
        ]
      : []),
    ...(lines.length > 0
      ? [`parts of its front matter were not understood and were left in the text: ${shortList(lines)}`]
      : []),
  ];
}

export function fitTags(tags: string[], notes: string[]): string[] {
  const known = new Set(tags.map(normalizeName));
  const good = [...known].filter((tag) => isTag(tag));
  if (good.length < known.size)
    notes.push(`${known.size - good.length} of its tags were skipped: longer than 64 characters, or . or ..`);
  if (good.length > MAX_TAGS) notes.push(`only the first ${MAX_TAGS} of its ${good.length} tags were used`);
  return good.slice(0, MAX_TAGS);
}

const MAX_HEADING = 4000;
const IMAGE = /!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])?/g;
const REFERENCE = /\[([^[\]]*)\](?:\[[^[\]]*\]|\([^()]*\))/g;

const TAG = /(`+[^`]*`+)|<\/?[a-z][^<>]*>/gi;

const plainWords = (text: string) => oneLine(plainText(text));

/** A heading as a title, without markup, tags and images. A heading that is only an image yields its description. */
function headingTitle(heading: string): string {
  const source = oneLine(heading)
    .slice(0, MAX_HEADING)
    .replace(TAG, (_, code?: string) => code ?? "");
  return plainWords(source.replace(IMAGE, "").replace(REFERENCE, "$1")) || plainWords(source);
}

export const firstHeading = (text: string): string | undefined =>
  headingTitle(headingsOf(text)[0]?.text ?? "") || undefined;

/**
 * The title of a note without one: its first heading, or the file name for daily notes, .txt files and notes without a
 * heading.
 */
function fallbackTitle(body: string, path: string): { title: string; heading?: string | undefined } {
  const name = defaultTitle(path);
  const heading = extname(path).toLowerCase() === ".txt" ? undefined : firstHeading(body);
  return { title: isDailyNote(name) ? name : (heading ?? name), heading };
}

/** Reads front matter. Files of our own export contain everything in our own format. */
function readFront(front: FrontMatter | undefined) {
  if (!front) return { title: undefined, tags: [], folders: [], properties: {}, source: undefined };
  const own = readOwnNote(front);
  if (own) return { ...own, attached: own.files };
  const { title, tags, properties } = readNoteMetadata(front);
  return { title, tags, folders: [], properties, source: reusableSource(front) };
}

const noteContent = (text: string, properties: Record<string, unknown>, source: string | undefined) => ({
  ...textContent(text),
  ...(Object.keys(properties).length > 0 && { front_matter: properties }),
  ...(source !== undefined && { front_matter_source: source }),
});

/** Reads the contents of a text file. Front matter and headings are only read in Markdown. */
export function readNoteText(text: string, path: string, tags: string[]) {
  const notes: string[] = [];
  const isPlain = extname(path).toLowerCase() === ".txt";
  const { front, body } = isPlain ? { body: text } : splitText(text, notes);
  const { title, tags: own, folders, properties, source, ...read } = readFront(front);
  const untitled = title ? undefined : fallbackTitle(body, path);
  const fitted = fitTitle(title || (untitled?.title ?? ""));
  const { attached, times } = { attached: undefined, times: {}, ...read };
  return {
    data: { ...front?.fields, ...times },
    folders,
    title: fitted.title,
    content: isPlain ? textContent(body, "text") : noteContent(body, properties, source),
    tags: fitTags([...tags, ...own], notes),
    ...(attached && { isOwn: true, attached }),
    ...(untitled?.heading !== undefined && { heading: fitTitle(untitled.heading).title }),
    notes: [...notes, ...fitted.notes],
  };
}
