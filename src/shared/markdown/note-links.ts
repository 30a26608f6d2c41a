import { folderPathKey } from "../../contract/folder-key.ts";
import { parseReference } from "../../contract/links.ts";
import { outsideCode } from "./code-ranges.ts";
import { LINE_MARKS, lineText } from "./line-text.ts";

// Links between documents, as people and Obsidian write them: `[[Title]]`, `[[Folder/Title#Heading|words]]`,
// `[[doc:<uuid>]]`, `![[Title]]`, and Markdown links to notes, `[words](Folder/Note.md#heading)`.

/** A link to a document as it is written. */
export type NoteLink = {
  start: number;
  end: number;
  /** The title, with folders before it, or `doc:<uuid>`. Empty for a heading of the same document. */
  target: string;
  heading?: string;
  words?: string;
  /** `[[…]]`; otherwise the place is that of the address of a Markdown link. */
  isWiki: boolean;
  /** `![[…]]`. */
  isEmbed: boolean;
};

/** More targets of one document are not followed. */
export const MAX_LINKS = 1000;
export const MAX_TARGET = 500;
/** Together, of one document. */
export const MAX_TARGETS_LENGTH = 200_000;
export const MAX_CONTEXT = 200;

/** An inline link or a link definition: what precedes the address, and the address. */
export const LINK_ADDRESS =
  /(\]\([ \t]{0,3}|^ {0,3}\[[^[\]\n]{1,500}\]:[ \t]{0,3})(?:<([^<>\n]{1,2000})>|([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500}){0,5}))/gm;

const WIKI = /(!?)\[\[([^[\]|#\n]{0,500})(?:#([^[\]|\n]{0,200}))?(?:\|([^[\]\n]{0,300}))?\]\]/g;
const NOTE_FILE = /\.(?:md|markdown)$/i;
const DOCUMENT = /^doc:/i;
/** What is no document: records, files and pages of the web. */
const ELSEWHERE = /^(?:mem:\d+$|file:|[a-z][a-z\d+.-]*:\/\/)/i;
/** Embedded files that an import did not find. */
const MEDIA =
  /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|pdf|mp3|m4a|wav|ogg|flac|3gp|mp4|mov|mkv|webm|ogv|canvas|base)$/i;

/** A target without what does not name it: the file's extension, and steps between folders. */
function cleanTarget(written: string): string | undefined {
  const target = written.trim();
  if (DOCUMENT.test(target)) {
    const { kind, id } = parseReference(target) ?? {};
    return kind === "document" ? `doc:${id}` : undefined;
  }
  const name = target
    .replace(NOTE_FILE, "")
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .join("/")
    .trim();
  return ELSEWHERE.test(target) || name.length > MAX_TARGET ? undefined : name;
}

/** The key that is the same for all spellings of a target. */
export const linkKey = (target: string): string => folderPathKey(target);

/** The key of the title in a target, without the folders before it. */
export const linkNameKey = (target: string): string => lastName(linkKey(target));

const lastName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The id in a target `doc:<uuid>`. */
export const linkedId = (target: string): string | undefined =>
  target.startsWith("doc:") ? target.slice("doc:".length) : undefined;

const optional = (heading: string | undefined, words?: string) => ({
  ...(heading?.trim() && { heading: heading.trim() }),
  ...(words?.trim() && { words: words.trim() }),
});

/** The links `[[…]]` in a text, in code as well. A table's `\|` is `|`. */
export function* wikiLinksIn(text: string): Generator<NoteLink> {
  for (const { 0: whole, 1: sign, 2: name = "", 3: heading, 4: words, index } of text.matchAll(WIKI)) {
    const isCut = words !== undefined && heading === undefined;
    const target = cleanTarget(isCut ? name.replace(/\\$/, "") : name);
    const part = words === undefined ? heading : heading?.replace(/\\$/, "");
    const isEmbed = sign === "!";
    if (target === undefined || (target === "" && !part?.trim()) || (isEmbed && MEDIA.test(target))) continue;
    yield {
      start: index,
      end: index + whole.length,
      target,
      ...optional(part, words),
      isWiki: true,
      isEmbed,
    };
  }
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** The document and heading to which the address of a Markdown link leads, if that is a note or `doc:<uuid>`. */
export function readNoteAddress(address: string): Pick<NoteLink, "target" | "heading"> | undefined {
  const [path = "", ...fragment] = address.split("#");
  const name = decoded(path);
  if (!NOTE_FILE.test(name) && !DOCUMENT.test(name)) return undefined;
  const target = cleanTarget(name);
  return target ? { target, ...optional(decoded(fragment.join("#"))) } : undefined;
}

function* addressLinks(text: string): Generator<NoteLink> {
  for (const { 0: whole, 1: before = "", 2: inAngles, 3: bare, index } of text.matchAll(LINK_ADDRESS)) {
    const link = readNoteAddress(inAngles ?? bare ?? "");
    const place = { start: index + before.length, end: index + whole.length };
    if (link) yield { ...place, ...link, isWiki: false, isEmbed: false };
  }
}

/** The links to documents in a Markdown text, in order, without those in code and those to its own headings. */
export const noteLinksIn = (text: string): NoteLink[] =>
  outsideCode(text, [...wikiLinksIn(text), ...addressLinks(text)]).filter(({ target }) => target !== "");

/** A target of a document, with the sentence in which it first stands. */
export type LinkTarget = { target: string; target_key: string; name_key: string; context: string };

/** Whether a text may have links, which is found out fast. */
export const mayHaveLinks = (text: string): boolean =>
  text.includes("[[") || /\.(?:md|markdown)\b|doc:/i.test(text);

/** The first texts among the properties of a document, alone or in a list, that may have links, each with its name. */
export function* propertyTexts(properties: Record<string, unknown>): Generator<[name: string, text: string]> {
  let room = MAX_LINKS;
  for (const [name, value] of Object.entries(properties))
    for (const one of [value].flat()) {
      if (typeof one !== "string" || !mayHaveLinks(one)) continue;
      if (room-- === 0) return;
      yield [name, one];
    }
}

type PlacedLink = { link: NoteLink; text: string; name?: string };

function* placedLinks(text: string, properties: Record<string, unknown>): Generator<PlacedLink> {
  if (mayHaveLinks(text)) for (const link of noteLinksIn(text)) yield { link, text };
  for (const [name, value] of propertyTexts(properties))
    for (const link of noteLinksIn(value)) yield { link, text: value, name };
}

const MAX_PROPERTY_NAME = 50;

function placedContext({ link, text, name = "" }: PlacedLink): string {
  const context = linkContext(text, link);
  return name === "" || name.length > MAX_PROPERTY_NAME ? context : `${name}: ${context}`;
}

/**
 * The first targets of a text and of properties, each once, in order: at most `MAX_LINKS`, with `MAX_TARGETS_LENGTH` characters.
 */
export function linkTargetsIn(text: string, properties: Record<string, unknown> = {}): LinkTarget[] {
  const found = new Map<string, LinkTarget>();
  let room = MAX_TARGETS_LENGTH;
  for (const placed of placedLinks(text, properties)) {
    const { target } = placed.link;
    const target_key = linkKey(target);
    if (target_key === "" || found.has(target_key)) continue;
    room -= target.length;
    if (room < 0 || found.size === MAX_LINKS) break;
    const context = placedContext(placed);
    found.set(target_key, { target, target_key, name_key: lastName(target_key), context });
  }
  return [...found.values()];
}

/** How much of a line is read around a link. */
const AROUND = 300;
const SENTENCE_END = /[.!?…。！？](?=\s)/g;

/** The words that stand for a link if it has none of its own. */
export function linkWords({
  target,
  heading,
  words,
}: Pick<NoteLink, "target" | "heading" | "words">): string {
  if (words !== undefined) return words;
  if (heading === undefined) return target;
  return target === "" ? heading : `${target} › ${heading}`;
}

/** Obsidian's id of a block, to which links lead: at the end of the block, or alone below it. With a space before it. */
export const BLOCK_ID = /(?:^|[ \t\n])\^([a-z\d-]+)[ \t]*$/i;
const BLOCK_IDS = new RegExp(BLOCK_ID, "gim");

/** A text whose lines do not end with ids of blocks. */
export const withoutBlockIds = (text: string): string => text.replace(BLOCK_IDS, "");

/** A text with the words of its links `[[…]]` instead of them, and without embedded files. */
export const shownWords = (text: string): string =>
  text.replace(WIKI, (...[, sign, name = "", heading, words]: (string | undefined)[]) => {
    const target = name.replace(/\\$/, "");
    // The words of a picture are its width.
    if (sign === "!" && MEDIA.test(target.trim())) return "";
    return [words, target, heading].find((one) => one?.trim()) ?? "";
  });

/** The sentence in which a link stands, as plain text of one line. */
export function linkContext(text: string, { start, end }: Pick<NoteLink, "start" | "end">): string {
  const before = text.slice(Math.max(0, start - AROUND), start);
  const after = text.slice(end, end + AROUND);
  const lineStart = before.search(/[^\n\r]*$/);
  const lineEnd = after.search(/[\n\r]|$/);
  const sentenceStart = [...before.slice(lineStart).matchAll(SENTENCE_END)].at(-1);
  const from = start - before.length + lineStart + (sentenceStart ? sentenceStart.index + 1 : 0);
  const sentenceEnd = after.slice(0, lineEnd).search(/[.!?…。！？](?=\s)/);
  const to = end + (sentenceEnd < 0 ? lineEnd : sentenceEnd + 1);
  const words = lineText(shownWords(withoutBlockIds(text.slice(from, to).replace(LINE_MARKS, ""))));
  return words.length <= MAX_CONTEXT
    ? words
    : cutAround(words, lineText(shownWords(text.slice(from, start))).length);
}

/** At most `MAX_CONTEXT` characters of a text around a position, in whole words where there are some. */
function cutAround(words: string, at: number): string {
  const from = Math.max(0, Math.min(at - MAX_CONTEXT / 2, words.length - MAX_CONTEXT + 2));
  const cut = words
    .slice(from, from + MAX_CONTEXT - 2)
    .toWellFormed()
    .replaceAll("\ufffd", "");
  const start = from > 0 ? `…${cut.replace(/^\S{0,20}\s/, "")}` : cut;
  return from + MAX_CONTEXT - 2 < words.length ? `${start.replace(/\s\S{0,20}$/, "")}…` : start;
}
