import { decodeNamedCharacterReference } from "decode-named-character-reference";
import { type Run, Runs, runBetween } from "./emphasis.ts";
import { destinationEnd, titleEnd, unescapedIn } from "./unescaped.ts";

// Strips the markup from a line of Markdown (CommonMark 0.31, section 6) in linear time. Reference links stay as
// written, because their definitions are elsewhere.

const REFERENCE = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z][a-z\d]{0,31}));/iy;
const AUTOLINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d.-]+)>/iy;
const TAG = /<(?:[a-z][a-z\d-]*(?:\s[^<>]*)?\/?|\/[a-z][a-z\d-]*\s*|(?:!--|![a-z]|\?)[^<>]*)>/iy;
const SPACE = /\s*/y;
const PLAIN = /[^\\&<[\]!*_`]+/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

const skipSpace = (text: string, at: number): number => at + (matchAt(SPACE, text, at)?.[0].length ?? 0);

/** The character of a code point, or U+FFFD if it is invalid. */
function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

/** Finds the end of a code span that starts with a given number of backticks; must be called from left to right. */
function codeEnds(text: string): (length: number, from: number) => number | undefined {
  const places = new Map<number, number[]>();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const left = places.get(run.length);
    if (left) left.push(index);
    else places.set(run.length, [index]);
  }
  return (length, from) => {
    const left = places.get(length) ?? [];
    while ((left.at(-1) ?? from) < from) left.pop();
    return left.at(-1);
  };
}

/** The content of a code span, without a space on both sides. */
function codeText(code: string): string {
  const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  return isPadded ? code.slice(1, -1) : code;
}

/** A bracket that may open a link: its piece, its position among the runs, and whether it opens an image. */
type Bracket = { piece: number; bottom: Run | undefined; isImage: boolean };

/** The handlers for characters that may be markup. */
const STEPS: Record<string, (inline: Inline) => void> = {
  "\\": (inline) => inline.escape(),
  "&": (inline) => inline.reference(),
  "<": (inline) => inline.tag(),
  "`": (inline) => inline.code(),
  "*": (inline) => inline.emphasis("*"),
  _: (inline) => inline.emphasis("_"),
  "[": (inline) => inline.openBracket("["),
  "!": (inline) => inline.openBracket("!"),
  "]": (inline) => inline.closeBracket(),
};

class Inline {
  private readonly text: string;
  private at = 0;
  private readonly pieces: (string | Run)[] = [];
  private readonly runs = new Runs();
  private readonly brackets: Bracket[] = [];
  /** Link brackets below this index are text, because links cannot be nested. */
  private dead = 0;
  private readonly findUnescaped: ReturnType<typeof unescapedIn>;
  private readonly codeEnd: ReturnType<typeof codeEnds>;

  constructor(text: string) {
    this.text = text;
    this.findUnescaped = unescapedIn(text);
    this.codeEnd = codeEnds(text);
  }

  plainText(): string {
    while (this.at < this.text.length) this.step();
    this.runs.pair(undefined);
    return this.pieces
      .map((piece) => (typeof piece === "string" ? piece : piece.sign.repeat(piece.left)))
      .join("");
  }

  private step(): void {
    const [plain = ""] = matchAt(PLAIN, this.text, this.at) ?? [];
    if (plain !== "") this.write(plain, plain.length);
    else STEPS[this.text.charAt(this.at)]?.(this);
  }

  /** Writes a piece that replaces the given number of characters of the text. */
  private write(piece: string, length: number): void {
    this.pieces.push(piece);
    this.at += length;
  }

  escape(): void {
    const next = this.text.charAt(this.at + 1);
    if (/[!-/:-@[-`{-~]/.test(next)) this.write(next, 2);
    else this.write("\\", 1);
  }

  reference(): void {
    const [reference = "&", hex, decimal, name] = matchAt(REFERENCE, this.text, this.at) ?? [];
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    const decoded = name ? decodeNamedCharacterReference(name) : !Number.isNaN(code) && characterOf(code);
    this.write(decoded || reference, reference.length);
  }

  tag(): void {
    const link = matchAt(AUTOLINK, this.text, this.at);
    const [tag = "<"] = link ?? matchAt(TAG, this.text, this.at) ?? [];
    this.write(link?.[1] ?? tag, tag.length);
  }

  code(): void {
    const [run = ""] = matchAt(/`+/y, this.text, this.at) ?? [];
    const start = this.at + run.length;
    const end = this.codeEnd(run.length, start);
    if (end === undefined) this.write(run, run.length);
    else this.write(codeText(this.text.slice(start, end)), end + run.length - this.at);
  }

  emphasis(sign: string): void {
    let end = this.at;
    while (this.text[end] === sign) end++;
    const { text, at } = this;
    const run = runBetween(text.charAt(at - 1), text.slice(at, end), text.charAt(end));
    this.pieces.push(run);
    this.runs.push(run);
    this.at = end;
  }

  openBracket(character: string): void {
    const isImage = character === "!" && this.text[this.at + 1] === "[";
    const opening = isImage ? "![" : character;
    if (opening !== "!") this.brackets.push({ piece: this.pieces.length, bottom: this.runs.last, isImage });
    this.write(opening, opening.length);
  }

  closeBracket(): void {
    const opening = this.brackets.pop();
    const isDead = opening && !opening.isImage && this.brackets.length < this.dead;
    this.dead = Math.min(this.dead, this.brackets.length);
    const end = opening && !isDead ? this.resourceEnd() : -1;
    if (!opening || end < 0) this.write("]", 1);
    else this.closeLink(opening, end);
  }

  private closeLink({ bottom, piece, isImage }: Bracket, end: number): void {
    this.runs.pair(bottom);
    this.pieces[piece] = "";
    if (!isImage) this.dead = this.brackets.length;
    this.at = end;
  }

  /** The end of the link target after a bracket, `(address "title")`, or -1 if there is none. */
  private resourceEnd(): number {
    const { text } = this;
    if (text[this.at + 1] !== "(") return -1;
    const start = skipSpace(text, this.at + 2);
    if (text[start] === ")") return start + 1;
    const destination = destinationEnd(text, start);
    if (destination < 0) return -1;
    const titleStart = skipSpace(text, destination);
    const title = titleStart > destination ? titleEnd(text, titleStart, this.findUnescaped) : -1;
    const end = title < 0 ? titleStart : skipSpace(text, title);
    return text[end] === ")" ? end + 1 : -1;
  }
}

/** The text without its markup. White space is kept. */
export const plainText = (text: string): string =>
  /[\\&<[\]!*_`]/.test(text) ? new Inline(text).plainText() : text;
