import { BEGINNING, beginning, STEM, stem } from "../text-index/forms.ts";
import { type Word, words } from "../contract/text/words.ts";
import type { Needle } from "./needles.ts";

/** Maximum length of a snippet in UTF-16 units. */
const LENGTH = 240;
/** How much text precedes the first match, to show it in context. */
const LEAD = 60;
/** For longer texts, only this much is read, around the first place that looks like a match. */
const MAX_READ = 64 * 1024;

type Match = Word & { readonly needle: number };

/** The index of the needle that a word of the text matches, or -1. */
function needleOf(word: Word, needles: readonly Needle[]): number {
  const root = STEM + stem(word.text);
  const letters = BEGINNING + beginning(word.text);
  return needles.findIndex(({ text, forms, prefix }) => {
    if (prefix && word.text.startsWith(text)) return true;
    if (word.unspaced) return word.text.includes(text) || (word.text.length > 1 && text.includes(word.text));
    return forms.has(word.text) || forms.has(root) || forms.has(letters);
  });
}

/** Where to start reading a long text: a little before the first literal occurrence of any needle. */
function readFrom(text: string, needles: readonly Needle[]): number {
  if (text.length <= MAX_READ) return 0;
  const lower = text.toLowerCase();
  const places = needles.map((needle) => lower.indexOf(needle.text)).filter((place) => place >= 0);
  return places.length === 0 ? 0 : Math.max(0, Math.min(...places) - LENGTH);
}

/** The matches in the passage with the most different needles, then the most matches; the first one if equal. */
function densest(matches: readonly Match[]): Match[] {
  let best = { from: 0, to: 0, value: 0 };
  const counts = new Map<number, number>();
  let from = 0;
  for (const [to, match] of matches.entries()) {
    counts.set(match.needle, (counts.get(match.needle) ?? 0) + 1);
    for (
      let first = matches[from];
      first && match.end - first.start > LENGTH - LEAD;
      first = matches[++from]
    ) {
      const left = (counts.get(first.needle) ?? 0) - 1;
      if (left > 0) counts.set(first.needle, left);
      else counts.delete(first.needle);
    }
    const value = counts.size * LENGTH + (to - from);
    if (value > best.value) best = { from, to: to + 1, value };
  }
  return matches.slice(best.from, best.to);
}

type Passage = { start: number; end: number };

/** The part of the text around a position, cut at word boundaries, or anywhere inside an extremely long word. */
function cut(text: string, read: readonly Word[], place: number): Passage {
  const start = place <= LEAD ? 0 : (read.find((word) => word.start >= place - LEAD)?.start ?? 0);
  const limit = start + LENGTH;
  if (text.length <= limit) return { start, end: text.length };
  const end = read.findLast((word) => word.end <= limit)?.end ?? 0;
  return { start, end: end > place ? end : limit };
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** The passage as HTML with every match in `<mark>`. */
function marked(text: string, { start, end }: Passage, matches: readonly Match[]): string {
  let html = "";
  let done = start;
  for (const match of matches) {
    if (match.start < done || match.end > end) continue;
    html += `${escapeHtml(text.slice(done, match.start))}<mark>${escapeHtml(text.slice(match.start, match.end))}</mark>`;
    done = match.end;
  }
  return html + escapeHtml(text.slice(done, end));
}

/**
 * The best matching passage of a text, verbatim: at most 240 UTF-16 units, cut at word boundaries. Without a match, it is
 * the beginning of the text. Takes time linear in the text.
 *
 * @param highlight `mark` returns escaped HTML with `<mark>` around the matches; otherwise the result is plain text
 */
export function makeSnippet(text: string, needles: readonly Needle[], highlight?: "mark"): string {
  const offset = readFrom(text, needles);
  const part = text.slice(offset, offset + MAX_READ);
  const read = words(part);
  const known = new Map<string, number>();
  const matches = read.flatMap((word) => {
    const needle = known.get(word.text) ?? needleOf(word, needles);
    known.set(word.text, needle);
    return needle < 0 ? [] : [{ ...word, needle }];
  });
  const { start, end } = cut(part, read, densest(matches)[0]?.start ?? 0);
  return highlight === "mark"
    ? marked(part, { start, end }, matches).toWellFormed()
    : part.slice(start, end).toWellFormed();
}
