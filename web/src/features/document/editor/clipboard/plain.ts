// Text whose lines were broken to fit a page, as from a PDF.

/** Lines of paragraphs that fill a page are about this long, and about equally long. */
const MIN_LINE = 40;
const MIN_SHARE = 0.65;
const MIN_LINES = 3;

/** What a person who writes Markdown or code types at the beginning of a line. */
const MARKUP = /^(?:\s{2,}|\t|[-+*>|#`~]|\d{1,9}[.)]\s|\[)/;
const BULLET = /^\s*[•▪●◦‣]\s*/;

const LIGATURES = /[\ufb00-\ufb04]/g;

const isHyphenated = (line: string, next: string) =>
  /\p{Ll}[-\u00ad\u2010]$/u.test(line) && /^\p{Ll}/u.test(next);

/** Whether the lines of a block are those of one paragraph. */
function isWrapped(lines: string[]): boolean {
  const full = lines.slice(0, -1).map(({ length }) => length);
  if (full.length === 0 || lines.some((line) => MARKUP.test(line) || /[{};]$/.test(line))) return false;
  const longest = Math.max(...lines.map(({ length }) => length));
  return longest >= MIN_LINE && longest <= 200 && Math.min(...full) >= longest * MIN_SHARE;
}

function joinLines(lines: string[]): string {
  const parts = lines.map((line, index) => {
    const next = lines[index + 1];
    if (next === undefined) return line;
    if (isHyphenated(line, next)) return line.slice(0, -1);
    // "E-Mail-" and "Adresse"
    return /\p{L}-$/u.test(line) && /^\p{Lu}/u.test(next) ? line : `${line} `;
  });
  return parts.join("");
}

/** Longer texts are pasted as they are. */
const MAX_LENGTH = 200_000;

/** The text without the line breaks of a page; undefined if they may be meant. */
export function joinWrappedLines(source: string): string | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  const text = source.replace(/\r\n?/g, "\n").replace(LIGATURES, (sign) => sign.normalize("NFKC"));
  const blocks = text
    .trim()
    .split(/\n[ \t]*\n\s*/)
    .map((block) => block.split("\n").map((line) => line.trimEnd()));
  const all = blocks.flat();
  // One that has a single paragraph of two lines may be two sentences of a chat.
  const isPage =
    all.length >= MIN_LINES && blocks.some(isPageBlock) && !all.some((line) => MARKUP.test(line));
  if (!isPage) return undefined;
  return blocks
    .map((lines) => (isWrapped(lines) ? joinLines(lines) : lines.map(asItem).join("\n")))
    .join("\n\n");
}

const asItem = (line: string) => line.replace(BULLET, "- ");

/** Whether lines end in the middle of sentences. */
const isPageBlock = (lines: string[]): boolean => {
  const next = lines.slice(1);
  const inside = next.filter((line, index) => /^\p{Ll}/u.test(line) && !/[.!?:]$/.test(lines[index] ?? ""));
  return isWrapped(lines) && inside.length >= next.length / 2;
};
