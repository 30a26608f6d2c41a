import { FILE_SCHEME } from "../../../../src/contract/file-limits.ts";
import { filesIn } from "../../../../src/contract/files/named.ts";

// References to files in texts: by id, or by key while a file is not uploaded.

const WAITING = `${FILE_SCHEME}waiting-`;
const KEY = new RegExp(`^${WAITING}([0-9a-f]{32})$`);
const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const NAMED = new RegExp(`^${FILE_SCHEME}(${ID})$`, "i");
const NAMED_IN_TEXT = new RegExp(`\\]\\(${FILE_SCHEME}(${ID})\\)`, "gi");

export type Reference = { id: string; key?: undefined } | { key: string; id?: undefined };

/** Parses the URL of a link or image; undefined if it is not a file reference. */
export function referenceIn(href: string): Reference | undefined {
  const id = NAMED.exec(href)?.[1];
  if (id) return { id: id.toLowerCase() };
  const key = KEY.exec(href)?.[1];
  return key ? { key } : undefined;
}

export const nameOf = (id: string): string => `${FILE_SCHEME}${id}`;
export const waitingName = (key: string): string => `${WAITING}${key}`;

/** The ids of the files that a text links or shows. */
export const idsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(NAMED_IN_TEXT)].map(([, id = ""]) => id.toLowerCase()));

/** Whether two texts reference different files, so that the files attached to their document change. */
export function namesOthers(before: string, after: string): boolean {
  const [some, others] = [filesIn(before), new Set(filesIn(after))];
  return some.length !== others.size || some.some((id) => !others.has(id));
}

/** Escapes the text of a link. */
export const asWords = (words: string): string => words.replace(/\s+/g, " ").replace(/[[\]\\]/g, "\\$&");

/** Markdown for a picture or for a link to a file. */
export const markdownOf = (name: string, isPicture: boolean, words: string): string =>
  `${isPicture ? "!" : ""}[${asWords(words)}](${name})`;

export type Change = { from: number; to: number; insert: string };

/** How far before the URL of a link its text may begin. */
const MAX_WORDS = 1100;

/** The position of the bracket that opens the link text ending at `at`. */
function bracketBefore(text: string, at: number): number | undefined {
  const start = Math.max(0, at - MAX_WORDS);
  const open = text.slice(start, at).search(/\[(?:[^[\]\\]|\\.)*$/);
  return open === -1 ? undefined : start + open;
}

/** The change that removes a whole picture or link, whose URL part is from `at` to `end`. */
function wholeAt(text: string, at: number, end: number): Change {
  const bracket = bracketBefore(text, at);
  if (bracket === undefined) return { from: at + 2, to: end - 1, insert: "" };
  const from = text[bracket - 1] === "!" ? bracket - 1 : bracket;
  const isLine = (text[from - 1] ?? "\n") === "\n" && text[end] === "\n";
  return { from, to: isLine ? end + 1 : end, insert: "" };
}

/** The ranges `](name)` of all links and pictures that reference a file. */
function* placesOf(text: string, name: string): Generator<{ at: number; end: number }> {
  const address = `](${name})`;
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + address.length))
    yield { at, end: at + address.length };
}

/** The changes that replace the alternative text of a file's pictures and links. */
export const alternativesFor = (text: string, name: string, words: string): Change[] =>
  [...placesOf(text, name)].flatMap(({ at }) => {
    const bracket = bracketBefore(text, at);
    return bracket === undefined ? [] : [{ from: bracket + 1, to: at, insert: asWords(words) }];
  });

/** The changes that replace references to a file, or remove its pictures and links if `next` is undefined. */
export const changesFor = (text: string, name: string, next: string | undefined): Change[] =>
  [...placesOf(text, name)].map(({ at, end }) =>
    next === undefined ? wholeAt(text, at, end) : { from: at + 2, to: end - 1, insert: next },
  );

/** Applies changes, which must be in text order. */
export function changed(text: string, changes: readonly Change[]): string {
  let at = 0;
  const pieces = changes.map(({ from, to, insert }) => {
    const piece = text.slice(at, from) + insert;
    at = to;
    return piece;
  });
  return pieces.join("") + text.slice(at);
}
