import { FILE_SCHEME } from "../../../../src/contract/file-limits.ts";
import { filesIn } from "../../../../src/contract/files/named.ts";

// How texts name files: by their id, or by the key of one that is still on its way.

const WAITING = `${FILE_SCHEME}waiting-`;
const KEY = new RegExp(`^${WAITING}([0-9a-f]{32})$`);
const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const NAMED = new RegExp(`^${FILE_SCHEME}(${ID})$`, "i");
const NAMED_IN_TEXT = new RegExp(`\\]\\(${FILE_SCHEME}(${ID})\\)`, "gi");

export type Reference = { id: string; key?: undefined } | { key: string; id?: undefined };

/** The file that an address of a text means; undefined if it means none. */
export function referenceIn(href: string): Reference | undefined {
  const id = NAMED.exec(href)?.[1];
  if (id) return { id: id.toLowerCase() };
  const key = KEY.exec(href)?.[1];
  return key ? { key } : undefined;
}

export const nameOf = (id: string): string => `${FILE_SCHEME}${id}`;
export const waitingName = (key: string): string => `${WAITING}${key}`;

/** The files that a text shows, by their ids: what has one as its address. */
export const idsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(NAMED_IN_TEXT)].map(([, id = ""]) => id.toLowerCase()));

/** Whether two texts name different files, wherever they name them, so that others belong to their document. */
export function namesOthers(before: string, after: string): boolean {
  const [some, others] = [filesIn(before), new Set(filesIn(after))];
  return some.length !== others.size || some.some((id) => !others.has(id));
}

/** What brackets and line ends would make of the words of a link. */
export const asWords = (words: string): string => words.replace(/\s+/g, " ").replace(/[[\]\\]/g, "\\$&");

/** A picture, or a link to another file. */
export const markdownOf = (name: string, isPicture: boolean, words: string): string =>
  `${isPicture ? "!" : ""}[${asWords(words)}](${name})`;

export type Change = { from: number; to: number; insert: string };

/** The words of a link are looked for so far in front of its address. */
const MAX_WORDS = 1100;

/** Where the bracket is that opens the words in front of a place; undefined if there is none. */
function bracketBefore(text: string, at: number): number | undefined {
  const start = Math.max(0, at - MAX_WORDS);
  const open = text.slice(start, at).search(/\[(?:[^[\]\\]|\\.)*$/);
  return open === -1 ? undefined : start + open;
}

/** All of a picture or link whose address begins behind `at`. */
function wholeAt(text: string, at: number, end: number): Change {
  const bracket = bracketBefore(text, at);
  if (bracket === undefined) return { from: at + 2, to: end - 1, insert: "" };
  const from = text[bracket - 1] === "!" ? bracket - 1 : bracket;
  const isLine = (text[from - 1] ?? "\n") === "\n" && text[end] === "\n";
  return { from, to: isLine ? end + 1 : end, insert: "" };
}

/** The places behind the words of what has a name as its address. */
function* placesOf(text: string, name: string): Generator<{ at: number; end: number }> {
  const address = `](${name})`;
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + address.length))
    yield { at, end: at + address.length };
}

/** The changes that put other words in the place of those of a picture or link. */
export const alternativesFor = (text: string, name: string, words: string): Change[] =>
  [...placesOf(text, name)].flatMap(({ at }) => {
    const bracket = bracketBefore(text, at);
    return bracket === undefined ? [] : [{ from: bracket + 1, to: at, insert: asWords(words) }];
  });

/** The changes that put another name in the place of one; without another, those that take out what has it. */
export const changesFor = (text: string, name: string, next: string | undefined): Change[] =>
  [...placesOf(text, name)].map(({ at, end }) =>
    next === undefined ? wholeAt(text, at, end) : { from: at + 2, to: end - 1, insert: next },
  );

/** A text after changes, which are in its order. */
export function changed(text: string, changes: readonly Change[]): string {
  let at = 0;
  const pieces = changes.map(({ from, to, insert }) => {
    const piece = text.slice(at, from) + insert;
    at = to;
    return piece;
  });
  return pieces.join("") + text.slice(at);
}
