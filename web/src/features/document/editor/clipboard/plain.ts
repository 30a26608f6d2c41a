// Text whose lines were broken to fit a page, as from a PDF.

/** Lines of paragraphs that fill a page are about this long, and about equally long. */
const MIN_LINE = 60;
/** Lines of a narrow column may be this short, if hyphens or other signs of print show that it is one. */
const MIN_COLUMN = 34;
const MAX_LINE = 200;
const MIN_SHARE = 0.65;
/** Most lines are nearly full. */
const FULL_SHARE = 0.85;
const MIN_LINES = 3;
const MIN_WORDS = 4;

/** What only a person who writes Markdown types at the beginning of a line. */
const MARKUP = /^(?:\t|#{1,6}\s|>|\||```|~~~|\[[[ xX])/;
/** What a page may have there as well. */
const SIGN = /^(?:\s{2,}|[-+*]\s|[$%]\s)/;
/** Code, commands and their options, and columns of a terminal. */
const CODE = /[{}]|;$|=>|&&|\|\||\s--?\p{L}[\p{L}-]*(?=\s|=|$)|\p{L}\(\)|[^\s.!?:] {2,}\S/u;

const BULLET = /^\s*(?:[•▪●◦‣■]\s*|[-–]\s+)/;
const isItem = (line: string) => BULLET.test(line);
/** "2. Then", "[12] Ada Lovelace, Notes" */
const isNumbered = (line: string) => /^(?:\d{1,3}[.)]|\[\d{1,3}\])\s/.test(line);

const LIGATURES = /[\ufb00-\ufb06]/g;
/** Where a line may break, unless it did. */
const SOFT_HYPHEN = /\u00ad(?!\s*\n)/g;

/** The letters of a page as a keyboard types them. */
export const withPlainLetters = (text: string): string =>
  text.replace(LIGATURES, (sign) => sign.normalize("NFKC")).replace(SOFT_HYPHEN, "");

const HYPHENATED = /\p{Ll}[-\u00ad\u2010]$/u;
const isHyphenated = (line: string, next: string) => HYPHENATED.test(line) && /^\p{Ll}/u.test(next);

/** Whether a sentence goes on in the next line. A list of addresses or hashes does not. */
const goesOn = (line: string, next: string) =>
  /^[\p{Ll}'’-]+(?:[\s,.;!?)]|$)/u.test(next) && !/[.!?:]$/.test(line);

const wordsOf = (line: string) => line.trim().split(/\s+/);

/** A line with what joins it to the next: a space, or nothing after a hyphen. A hyphen stays if `text` has the joined word with it. */
function beforeNext(line: string, next: string, text: string): string {
  const [last = "", first = ""] = [/[\p{L}-]+$/u.exec(line)?.[0], /^\p{L}+/u.exec(next)?.[0]];
  // "E-Mail-" and "Adresse"
  if (/\p{L}-$/u.test(line) && /^\p{Lu}/u.test(next)) return line;
  // "Vor-" and "und Nachteile"
  if (!isHyphenated(line, next) || /^(?:and|or|to|und|oder|bis)$/.test(first)) return `${line} `;
  return text.includes(last + first) ? line : line.slice(0, -1);
}

const joinLines = (lines: string[], text: string) =>
  lines
    .map((line, index) => {
      const next = lines[index + 1];
      return next === undefined ? line : beforeNext(line, next, text);
    })
    .join("");

/** Whether a line ends a paragraph or an item, or is a heading: there is room for the next one, which begins anew. */
function endsBefore(line: string, next: string, width: number): boolean {
  if (isItem(next)) return true;
  if (/^\p{Ll}/u.test(next) || HYPHENATED.test(line)) return false;
  const isEnd = /[.!?:;,]["”“’)]?$/.test(line);
  if (isNumbered(next)) return isEnd || line.length < width * FULL_SHARE;
  return line.length < width * (isEnd ? FULL_SHARE : MIN_SHARE);
}

/** The lines of each paragraph and item of a block. */
function partsOf(lines: string[], width: number): string[][] {
  const parts: string[][] = [];
  let previous: string | undefined;
  for (const line of lines) {
    if (previous === undefined || endsBefore(previous, line, width)) parts.push([line]);
    else parts.at(-1)?.push(line);
    previous = line;
  }
  return parts;
}

/** Whether the lines of a part are those of one paragraph. */
const isWrapped = (lines: string[], width: number): boolean =>
  lines.length > 1 &&
  lines.slice(0, -1).every((line) => line.length >= width * MIN_SHARE && wordsOf(line).length >= MIN_WORDS);

/** Each line that another one follows in its paragraph. */
const breaksOf = (parts: string[][]) =>
  parts.flatMap((lines) => lines.slice(1).map((next, index) => ({ line: lines[index] ?? "", next })));

type Break = ReturnType<typeof breaksOf>[number];

/** Lines that a program broke after a number of characters are as full as they can be, which those of a page are not. */
const isFilled = (breaks: Break[], width: number): boolean =>
  width <= 80 && breaks.every(({ line, next }) => line.length + 1 + (wordsOf(next)[0] ?? "").length > width);

/** Whether the ends of lines mean nothing: they are as long as a page is wide, and sentences go on in the next one. */
function isPage(parts: string[][], width: number, isPrint: boolean): boolean {
  const all = breaksOf(parts);
  const breaks = breaksOf(parts.filter((lines) => isWrapped(lines, width)));
  const share = (isCounted: (one: Break) => boolean) => breaks.filter(isCounted).length / breaks.length;
  return (
    breaks.length > all.length / 2 &&
    width >= (isPrint ? MIN_COLUMN : MIN_LINE) &&
    width <= MAX_LINE &&
    share(({ line }) => line.length >= width * FULL_SHARE) >= 0.6 &&
    share(({ line, next }) => isHyphenated(line, next) || goesOn(line, next)) >= 0.5 &&
    (isPrint || !isFilled(breaks, width))
  );
}

/** The text of a page: paragraphs and lists, and other lines as they were. */
function pageText(parts: string[][], width: number, text: string): string {
  const written = parts.map((lines) => {
    const isJoined = isWrapped(lines, width);
    const value = isJoined ? joinLines(lines, text) : lines.join("\n");
    return { value: value.replace(BULLET, "- "), isItem: isItem(value), isOne: !isJoined };
  });
  return written.reduce((done, part, index) => {
    const before = written[index - 1];
    if (!before) return part.value;
    const isTight = part.isItem ? before.isItem : before.isOne && part.isOne && !before.isItem;
    return `${done}${isTight ? "\n" : "\n\n"}${part.value}`;
  }, "");
}

/** Longer texts are pasted as they are. */
const MAX_LENGTH = 200_000;

const widthOf = (lines: string[]) => lines.reduce((most, { length }) => Math.max(most, length), 0);

/** A number between two pages, in the middle of a sentence. */
const PAGE_NUMBER = /^(.*[^.!?:\n])\n\s{0,8}\d{1,4}[ \f]{0,4}\n\s{0,8}(?=\p{Ll})/gmu;

/** A number below a shorter line is that of a power or a note. */
function withoutPageNumbers(text: string): string {
  const full = widthOf(text.split("\n")) * FULL_SHARE;
  return text.replace(PAGE_NUMBER, (found, line: string) => (line.length < full ? found : `${line}\n`));
}

/** The text without the line breaks of a page; undefined if they may be meant. */
export function joinWrappedLines(source: string): string | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  const unix = source.replace(/\r\n?/g, "\n");
  const text = withoutPageNumbers(withPlainLetters(unix)).replaceAll("\f", "\n\n");
  const blocks = text
    .trim()
    .split(/\n[ \t]*\n\s*/)
    .map((block) => block.split("\n").map((line) => line.trimEnd()));
  const lines = blocks.flat();
  const isPrint =
    lines.some((line, index) => isHyphenated(line, lines[index + 1] ?? "")) ||
    /[•▪●◦‣■\ufb00-\ufb06]/.test(unix);
  const width = widthOf(lines);
  if (lines.length < MIN_LINES || lines.some((line) => MARKUP.test(line) || CODE.test(line)))
    return undefined;
  if (!isPrint && lines.some((line) => SIGN.test(line))) return undefined;
  const parts = blocks.map((block) => partsOf(block, width));
  if (!isPage(parts.flat(), width, isPrint)) return undefined;
  return parts.map((block) => pageText(block, width, text)).join("\n\n");
}
