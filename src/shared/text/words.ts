import { foldWord, isPlainWord } from "./fold.ts";
import { runSteps, type Steps } from "./steps.ts";

export type Word = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether its script is written without spaces, so that its boundaries are guessed from a dictionary. */
  readonly unspaced: boolean;
};

const UNSPACED =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{sc=Bopomofo}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}" +
  "\\p{sc=Tai_Le}\\p{sc=New_Tai_Lue}\\p{sc=Tai_Tham}\\p{sc=Tai_Viet}\\p{sc=Javanese}\\p{sc=Balinese}\\p{sc=Yi}\\p{sc=Tangut}\\p{sc=Nushu}";

/** Invisible characters that can occur inside words: soft hyphen, joiners, direction marks. */
const INVISIBLE = "\\u00ad\\u200c-\\u200f\\u2060";

const EMOJI = "\\p{RI}{2}|\\p{ExtPict}(?:\\p{EMod}|\\ufe0f|\\u200d\\p{ExtPict})*";

/** A letter with signs that belong to the name: `C++`, `C#`. Not `i+++j` or `a#b`. */
const SIGNED = "[A-Za-z](?:\\+\\+(?!\\+)|#(?![\\p{L}\\p{N}#]))";

const LETTERS = `[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}${INVISIBLE}]*`;
const RUN = new RegExp(`${SIGNED}|${LETTERS}|${EMOJI}`, "gu");
const IS_SIGNED = /^[A-Za-z](?:\+\+|#)$/;
const WHOLE = new RegExp(`^${LETTERS}$`, "u");
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");

/** The letter of a word such as `c++` or `c#`; undefined for other words. */
export const baseLetter = (word: string): string | undefined => (IS_SIGNED.test(word) ? word[0] : undefined);

/** Number of UTF-16 units passed to the segmenter at a time, because its run time is not linear. */
const SLICE = 2000;

/** Maximum number of segments at the end of a slice that may be part of one word: the last one, and `C++`. */
const MAX_SEGMENTS = 4;
const SIGN_OR_LETTER = /^[A-Za-z+#]$/;

const segmenter = new Intl.Segmenter("und", { granularity: "word" });

/** Cached properties of a piece of text, so that repeated pieces are folded only once (except ASCII). */
type Piece = {
  readonly folded: readonly string[];
  readonly unspaced: boolean;
  readonly whole: boolean;
};

/** The words of a text in order: runs of letters, digits and marks, emoji, and ICU's dictionary words (UAX 29). Linear. */
export const splitWords = (text: string): Word[] => runSteps(splitWordsInSteps(text));

/** `splitWords` in steps. A text with spaces is a single step, which takes 30 ms per megabyte. */
export function* splitWordsInSteps(text: string): Steps<Word[]> {
  const found: Word[] = [];
  const cache = new Map<string, Piece>();
  if (HAS_UNSPACED.test(text)) {
    for (let from = 0; from < text.length; yield) from = addSlice(found, cache, text, from);
  } else addRuns(found, cache, text, 0);
  return found;
}

function addRuns(found: Word[], cache: Map<string, Piece>, part: string, offset: number): void {
  for (const run of part.matchAll(RUN)) {
    const start = offset + run.index;
    addPiece(found, getPiece(cache, run[0]), start, start + run[0].length);
  }
}

/**
 * The number of complete segments in a slice, at least one. The last word may be cut off, so the next slice starts with it,
 * and with the letter before a sign.
 */
function countComplete(segments: readonly Intl.SegmentData[]): number {
  const min = Math.max(1, segments.length - MAX_SEGMENTS);
  let whole = Math.max(1, segments.length - 1);
  while (whole > min && SIGN_OR_LETTER.test(segments[whole - 1]?.segment ?? "")) whole--;
  return whole;
}

function addSlice(found: Word[], cache: Map<string, Piece>, text: string, from: number): number {
  const segments = [...segmenter.segment(text.slice(from, from + SLICE))];
  if (from + SLICE < text.length) segments.splice(countComplete(segments));
  let plain = from;
  let end = from;
  for (const { segment, index } of segments) {
    const start = from + index;
    end = start + segment.length;
    const known = getPiece(cache, segment);
    if (!known.unspaced) continue;
    if (plain < start) addRuns(found, cache, text.slice(plain, start), plain);
    if (known.whole) addPiece(found, known, start, end);
    else addRuns(found, cache, segment, start);
    plain = end;
  }
  if (plain < end) addRuns(found, cache, text.slice(plain, end), plain);
  return end;
}

function addPiece(found: Word[], { folded, unspaced }: Piece, start: number, end: number): void {
  for (const text of folded) found.push({ text, start, end, unspaced });
}

function getPiece(cache: Map<string, Piece>, raw: string): Piece {
  // Cheaper than caching it.
  if (isPlainWord(raw) || IS_SIGNED.test(raw))
    return { folded: [raw.toLowerCase()], unspaced: false, whole: true };
  let known = cache.get(raw);
  if (known === undefined) {
    known = { folded: foldWord(raw), unspaced: HAS_UNSPACED.test(raw), whole: WHOLE.test(raw) };
    cache.set(raw, known);
  }
  return known;
}
