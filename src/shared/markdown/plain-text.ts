import { decodeNamedCharacterReference } from "decode-named-character-reference";
import { addRun, type DelimiterRun, type DelimiterRuns, makeRun, pairRuns } from "./emphasis.ts";
import { destinationEnd, titleEnd, unescapedFinder } from "./unescaped.ts";

// CommonMark 0.31, section 6, in linear time. Reference links are kept, because their definitions are elsewhere.

const REFERENCE = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z][a-z\d]{0,31}));/iy;
const AUTOLINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d.-]+)>/iy;
const TAG = /<(?:[a-z][a-z\d-]*(?:\s[^<>]*)?\/?|\/[a-z][a-z\d-]*\s*|(?:!--|![a-z]|\?)[^<>]*)>/iy;
const SPACE = /\s*/y;
const PLAIN = /[^\\&<[\]!*_`]*/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const MARKUP = /[\\&<[\]!*_`]/;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** The position after the characters that match a pattern, which may match none. */
const skip = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
};

function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

function codeText(code: string): string {
  const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  return isPadded ? code.slice(1, -1) : code;
}

/** A bracket that may open a link: index of its piece, last run before it, and whether it opens an image. */
type Bracket = { piece: number; bottom: DelimiterRun | undefined; isImage: boolean };

type Inline = {
  readonly text: string;
  at: number;
  readonly pieces: (string | DelimiterRun)[];
  readonly runs: DelimiterRuns;
  readonly brackets: Bracket[];
  /** Brackets below this index cannot open a link, because links cannot be nested. */
  inactiveBrackets: number;
  readonly findUnescaped: ReturnType<typeof unescapedFinder>;
  /** The last position of each length of backtick run, once the text has been searched to its end. */
  lastTicks: Map<number, number> | undefined;
};

const READERS: Record<string, (inline: Inline) => void> = {
  "\\": readEscape,
  "&": readReference,
  "<": readTag,
  "`": readCode,
  "*": readRun,
  _: readRun,
  "[": openBracket,
  "!": openBracket,
  "]": closeBracket,
};

function write(inline: Inline, piece: string, length: number): void {
  inline.pieces.push(piece);
  inline.at += length;
}

function readEscape(inline: Inline): void {
  const next = inline.text.charAt(inline.at + 1);
  if (PUNCTUATION.test(next)) write(inline, next, 2);
  else write(inline, "\\", 1);
}

function readReference(inline: Inline): void {
  const [reference = "&", hex, decimal, name] = matchAt(REFERENCE, inline.text, inline.at) ?? [];
  const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
  const decoded = name ? decodeNamedCharacterReference(name) : !Number.isNaN(code) && characterOf(code);
  write(inline, decoded || reference, reference.length);
}

function readTag(inline: Inline): void {
  const { text, at } = inline;
  const link = matchAt(AUTOLINK, text, at);
  const [tag = "<"] = link ?? matchAt(TAG, text, at) ?? [];
  write(inline, link?.[1] ?? tag, tag.length);
}

function lengthOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] === text[at]) end++;
  return end - at;
}

/** The position of the backticks that end a code span, or -1. */
function codeEnd(inline: Inline, length: number, from: number): number {
  const { text, lastTicks } = inline;
  if (lastTicks && (lastTicks.get(length) ?? -1) < from) return -1;
  const found = new Map<number, number>();
  for (let at = text.indexOf("`", from); at >= 0; ) {
    const run = lengthOfRun(text, at);
    if (run === length) return at;
    found.set(run, at);
    at = text.indexOf("`", at + run);
  }
  inline.lastTicks = found;
  return -1;
}

function readCode(inline: Inline): void {
  const { text, at } = inline;
  const length = lengthOfRun(text, at);
  const start = at + length;
  const end = codeEnd(inline, length, start);
  if (end < 0) write(inline, text.slice(at, start), length);
  else write(inline, codeText(text.slice(start, end)), end + length - at);
}

function readRun(inline: Inline): void {
  const { text, at } = inline;
  const end = at + lengthOfRun(text, at);
  const run = makeRun(text.charAt(at - 1), text.slice(at, end), text.charAt(end));
  inline.pieces.push(run);
  addRun(inline.runs, run);
  inline.at = end;
}

function openBracket(inline: Inline): void {
  const { text, at, brackets, pieces, runs } = inline;
  const isImage = text.startsWith("![", at);
  const opening = isImage ? "![" : text.charAt(at);
  if (opening !== "!") brackets.push({ piece: pieces.length, bottom: runs.last, isImage });
  write(inline, opening, opening.length);
}

function closeBracket(inline: Inline): void {
  const { brackets } = inline;
  const opening = brackets.pop();
  const isInactive = opening && !opening.isImage && brackets.length < inline.inactiveBrackets;
  inline.inactiveBrackets = Math.min(inline.inactiveBrackets, brackets.length);
  const end = opening && !isInactive ? resourceEnd(inline) : -1;
  if (!opening || end < 0) write(inline, "]", 1);
  else closeLink(inline, opening, end);
}

function closeLink(inline: Inline, { bottom, piece, isImage }: Bracket, end: number): void {
  pairRuns(inline.runs, bottom);
  inline.pieces[piece] = "";
  if (!isImage) inline.inactiveBrackets = inline.brackets.length;
  inline.at = end;
}

/** The end of the link target after a bracket, `(address "title")`, or -1 if there is none. */
function resourceEnd({ text, at, findUnescaped }: Inline): number {
  if (text[at + 1] !== "(") return -1;
  const start = skip(SPACE, text, at + 2);
  if (text[start] === ")") return start + 1;
  const destination = destinationEnd(text, start);
  if (destination < 0) return -1;
  const titleStart = skip(SPACE, text, destination);
  const title = titleStart > destination ? titleEnd(text, titleStart, findUnescaped) : -1;
  const end = title < 0 ? titleStart : skip(SPACE, text, title);
  return text[end] === ")" ? end + 1 : -1;
}

/** The text without markup. White space is kept. */
export function plainText(text: string): string {
  if (!MARKUP.test(text)) return text;
  const inline: Inline = {
    text,
    at: 0,
    pieces: [],
    runs: { last: undefined },
    brackets: [],
    inactiveBrackets: 0,
    findUnescaped: unescapedFinder(text),
    lastTicks: undefined,
  };
  while (inline.at < text.length) {
    const end = skip(PLAIN, text, inline.at);
    if (end > inline.at) write(inline, text.slice(inline.at, end), end - inline.at);
    else READERS[text.charAt(end)]?.(inline);
  }
  pairRuns(inline.runs, undefined);
  return inline.pieces
    .map((piece) => (typeof piece === "string" ? piece : piece.sign.repeat(piece.left)))
    .join("");
}

export const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** The text without markup, in one line. */
export function plainLine(text: string): string {
  const line = oneLine(text);
  const plain = plainText(line);
  return plain === line ? line : oneLine(plain);
}
