import type { Query, Term } from "../contract/query/query.ts";
import { type Word, words } from "../contract/text/words.ts";
import { turns } from "../platform/turns/fair.ts";
import { asksForPast, pastFormsOf } from "./english.ts";
import { BEGINNING, beginning, isContracted, STEM, stem } from "./forms.ts";
import type { Corrections } from "./plan.ts";

/** A word of a query with every form that a word of a text may match (see forms.ts). */
export type Needle = {
  readonly text: string;
  readonly forms: ReadonlySet<string>;
  /** `pre*`: every word with this prefix matches */
  readonly prefix: boolean;
};

function needle(text: string, prefix: boolean, past: readonly string[]): Needle {
  const forms = [text, ...past].flatMap((one) => [
    one,
    stem(one),
    STEM + stem(one),
    BEGINNING + beginning(one),
  ]);
  return { text, prefix, forms: new Set(forms) };
}

/** The words to show, each once. Those in `dropped` count only inside phrases. */
export function needlesOf(query: Query, corrections: Corrections, dropped: ReadonlySet<string>): Needle[] {
  const terms = query.wanted.flat();
  const read = ({ text }: Term) =>
    words(text).flatMap((word) =>
      isContracted(text, word) ? [] : (corrections.get(word.text) ?? [word.text]),
    );
  const spoken = terms.filter(({ kind }) => kind === "text").flatMap(read);
  const past = asksForPast(spoken) ? pastFormsOf : () => [];
  const needles = terms.flatMap((term) => {
    const kept = read(term).filter((word) => term.kind !== "text" || !dropped.has(word));
    return kept.map((word) => needle(word, term.kind === "prefix", past(word)));
  });
  return [...new Map(needles.map((one) => [`${one.prefix}${one.text}`, one])).values()];
}

/** Maximum length of a snippet in UTF-16 units. */
const LENGTH = 240;
/** How much text precedes the first match, to show it in context. */
const LEAD = 60;
/** For longer texts, only this much is read, around the first place that looks like a match. */
const MAX_READ = 64 * 1024;

type Match = Word & { readonly needle: number };

/** Gives the index of the needle that a word of a text matches, or -1. */
type Matcher = (word: Word) => number;

const isLetter = (code: number) => code >= 0x61 && code <= 0x7a;

/** The letters a to z with which a needle or one of its forms begins, apart from the mark of a form. */
function initialsOf({ text, forms }: Needle): number[] {
  const codes = [text, ...forms].flatMap((form) => [form.charCodeAt(0), form.charCodeAt(1)]);
  return codes.filter(isLetter);
}

function matcherOf(needles: readonly Needle[]): Matcher {
  const initials = new Set(needles.flatMap(initialsOf));
  const known = new Map<string, number>();
  return (word) => {
    // Neither a stem nor a beginning of such a word begins with another letter, and most words need neither.
    const initial = word.text.charCodeAt(0);
    if (!word.unspaced && isLetter(initial) && !initials.has(initial)) return -1;
    const found = known.get(word.text) ?? needleOf(word, needles);
    known.set(word.text, found);
    return found;
  };
}

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

/** A passage of a text, and where its first match is; undefined without one. */
type Snippet = { readonly passage: string; readonly at: number | undefined };

function findPassage(
  text: string,
  needles: readonly Needle[],
  highlight?: "mark",
  matcher = matcherOf(needles),
): Snippet {
  const offset = readFrom(text, needles);
  const part = text.slice(offset, offset + MAX_READ);
  const read = words(part);
  const matches: Match[] = [];
  for (const word of read) {
    const needle = matcher(word);
    if (needle >= 0) matches.push({ ...word, needle });
  }
  const first = densest(matches)[0]?.start;
  const { start, end } = cut(part, read, first ?? 0);
  const passage = highlight === "mark" ? marked(part, { start, end }, matches) : part.slice(start, end);
  return { passage: passage.toWellFormed(), at: first === undefined ? undefined : offset + first };
}

/**
 * The best passage, verbatim: at most 240 UTF-16 units, cut at words; without a match, the beginning. Linear in the
 * text. With `highlight: mark`, escaped HTML with `<mark>`; otherwise plain text.
 */
export const makeSnippet = (text: string, needles: readonly Needle[], highlight?: "mark"): string =>
  findPassage(text, needles, highlight).passage;

const MAX_BYTES = 8 * 1024 * 1024;

/** A text to take a snippet of, and its size in bytes. A long one is read when it is its turn. */
export type SnippetText = {
  readonly size: number;
  /** The name of the part of the text that has a position. */
  readonly partAt?: ((text: string, at: number) => string | undefined) | undefined;
} & (
  | { readonly isLong: false; readonly text: () => string }
  | { readonly isLong: true; readonly text: () => Promise<string> }
);

/** A passage, and the part of the text that it is from, if that has a name. */
export type Found = { readonly passage: string; readonly part: string | undefined };

type Showing = {
  highlight: "mark" | undefined;
  inTurn: (read: () => Promise<Found>) => Promise<Found>;
};

/**
 * In order; undefined beyond the bytes to read. One text at a time is in memory, with pauses for other requests;
 * `inTurn` runs what reads a long one.
 */
export async function snippetsOf(
  texts: readonly SnippetText[],
  needles: readonly Needle[],
  { highlight, inTurn }: Showing,
): Promise<(Found | undefined)[]> {
  const snippets: (Found | undefined)[] = [];
  const turn = turns();
  // Short texts have many words in common; what is known of a long one's words goes with it.
  const shared = matcherOf(needles);
  const show = (text: string, { partAt }: SnippetText, matcher?: Matcher): Found => {
    const { passage, at } = findPassage(text, needles, highlight, matcher);
    return { passage, part: at === undefined ? undefined : partAt?.(text, at) };
  };
  let read = 0;
  for (const one of texts) {
    const fits = read + one.size <= MAX_BYTES;
    if (fits) read += one.size;
    if (!fits) snippets.push(undefined);
    else if (one.isLong) snippets.push(await inTurn(async () => show(await one.text(), one)));
    else snippets.push(await turn(() => show(one.text(), one, shared)));
  }
  return snippets;
}
