import { FILE_SCHEME } from "../../../../src/contract/file-limits.ts";
import { fileIdsIn } from "../../../../src/shared/files/file-references.ts";

// References to files in texts: by id, or by key while a file is not uploaded.

const PENDING_PREFIX = `${FILE_SCHEME}waiting-`;
const PENDING_URI = new RegExp(`^${PENDING_PREFIX}([0-9a-f]{32})$`);
const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const FILE_URI = new RegExp(`^${FILE_SCHEME}(${ID})$`, "i");
const FILE_URI_IN_TEXT = new RegExp(`\\]\\(${FILE_SCHEME}(${ID})\\)`, "gi");

export type FileReference = { id: string; key?: undefined } | { key: string; id?: undefined };

/** Parses the URL of a link or image; undefined if it is not a file reference. */
export function parseFileReference(href: string): FileReference | undefined {
  const id = FILE_URI.exec(href)?.[1];
  if (id) return { id: id.toLowerCase() };
  const key = PENDING_URI.exec(href)?.[1];
  return key ? { key } : undefined;
}

/** The width of a picture behind its words, as in Obsidian: `![words|200](…)`. */
const PICTURE_SIZE = /\\?\|([1-9]\d{0,3})(?:x\d{1,4})?$/;

export function readPictureWords(text: string): { words: string; width?: number } {
  const [size = "", width] = PICTURE_SIZE.exec(text) ?? [];
  return { words: text.slice(0, text.length - size.length), ...(width && { width: Number(width) }) };
}

/** As wide as a picture is at its greatest height, which is that of in-text.module.css. */
export const maxPictureWidth = ({ width, height }: { width: number; height: number }): string =>
  `min(100%, ${(36 * width) / height}rem)`;

export const fileUri = (id: string): string => `${FILE_SCHEME}${id}`;
export const pendingFileUri = (key: string): string => `${PENDING_PREFIX}${key}`;

export const referencedFileIds = (text: string): Set<string> =>
  new Set([...text.matchAll(FILE_URI_IN_TEXT)].map(([, id = ""]) => id.toLowerCase()));

/** Whether two texts reference different files, so that the files attached to their document change. */
export function haveDifferentFiles(before: string, after: string): boolean {
  const [some, others] = [fileIdsIn(before), new Set(fileIdsIn(after))];
  return some.length !== others.size || some.some((id) => !others.has(id));
}

export const escapeLinkText = (words: string): string =>
  words.replace(/\s+/g, " ").replace(/[[\]\\]/g, "\\$&");

/** Markdown for a picture or for a link to a file. */
export const fileMarkdown = (name: string, isPicture: boolean, words: string): string =>
  `${isPicture ? "!" : ""}[${escapeLinkText(words)}](${name})`;

export type TextChange = { from: number; to: number; insert: string };

/** An insertion into a text, and the cursor position after it. */
export type Insertion = TextChange & { cursor: number };

/** How far before the URL of a link its text may begin. */
const MAX_WORDS = 1100;

/** The position of the bracket that opens the link text ending at `at`. */
function linkTextStart(text: string, at: number): number | undefined {
  const start = Math.max(0, at - MAX_WORDS);
  const open = text.slice(start, at).search(/\[(?:[^[\]\\]|\\.)*$/);
  return open === -1 ? undefined : start + open;
}

/** The change that removes a whole picture or link, whose URL part is from `at` to `end`. */
function removalOf(text: string, at: number, end: number): TextChange {
  const bracket = linkTextStart(text, at);
  if (bracket === undefined) return { from: at + 2, to: end - 1, insert: "" };
  const from = text[bracket - 1] === "!" ? bracket - 1 : bracket;
  const isLine = (text[from - 1] ?? "\n") === "\n" && text[end] === "\n";
  return { from, to: isLine ? end + 1 : end, insert: "" };
}

function* referenceRanges(text: string, name: string): Generator<{ at: number; end: number }> {
  const address = `](${name})`;
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + address.length))
    yield { at, end: at + address.length };
}

/** The changes that replace the alternative text of a file's pictures and links, but not the width behind it. */
export const altTextChanges = (text: string, name: string, words: string): TextChange[] =>
  [...referenceRanges(text, name)].flatMap(({ at }) => {
    const bracket = linkTextStart(text, at);
    if (bracket === undefined) return [];
    const from = bracket + 1;
    const [size = ""] = PICTURE_SIZE.exec(text.slice(from, at)) ?? [];
    return [{ from, to: at - size.length, insert: escapeLinkText(words) }];
  });

/** The changes that replace references to a file, or remove its pictures and links if `next` is undefined. */
export const referenceChanges = (text: string, name: string, next: string | undefined): TextChange[] =>
  [...referenceRanges(text, name)].map(({ at, end }) =>
    next === undefined ? removalOf(text, at, end) : { from: at + 2, to: end - 1, insert: next },
  );

/** Applies changes, which must be in text order. */
export function applyTextChanges(text: string, changes: readonly TextChange[]): string {
  let at = 0;
  const pieces = changes.map(({ from, to, insert }) => {
    const piece = text.slice(at, from) + insert;
    at = to;
    return piece;
  });
  return pieces.join("") + text.slice(at);
}
