import { createYieldingRunner, runYielding } from "../platform/queue/yielding.ts";
import { escapeHtml } from "../shared/text/escape-html.ts";
import { runSteps, type Steps } from "../shared/text/steps.ts";
import { splitWords, type Word } from "../shared/text/words.ts";
import {
  type AdjacentPairs,
  createMatcher,
  type HighlightQuery,
  matchCompounds,
  pairKey,
  type TermMatcher,
} from "./highlight.ts";

/** Maximum length of a snippet in UTF-16 units. */
const MAX_LENGTH = 240;
const LEAD_LENGTH = 60;
/** How much of a text one step reads; a word that begins in the last LONGEST_WORD units is left to the next step. */
const STEP_LENGTH = 32 * 1024;
const LONGEST_WORD = 1024;
/** How much text is read on each side of the first match to cut the passage. */
const CONTEXT_LENGTH = 1024;

type Range = { readonly start: number; readonly end: number };
/** `pair`: key of the pair that it forms with the next match */
type Match = Range & { readonly needle: number; pair?: number };

/** Values of what a passage contains, each counted once. A pair of a phrase outweighs any number of words. */
const VALUES = { phrase: 1000 * MAX_LENGTH, word: MAX_LENGTH, pair: MAX_LENGTH / 2 };

/** Finds the passage with the highest value while the matches of a text are added in order; on a tie, the first. */
class BestPassage {
  best: Match[] = [];
  readonly #pairs: AdjacentPairs;
  #value = 0;
  #most = 0;
  readonly #open: Match[] = [];
  readonly #counts = new Map<number, number>();

  constructor(pairs: AdjacentPairs) {
    this.#pairs = pairs;
  }

  /** @param follows no word lies between this match and the last one */
  add(match: Match, follows: boolean): void {
    const last = this.#open.at(-1);
    if (follows && last) {
      const key = pairKey(last.needle, match.needle);
      if (this.#pairs.has(key) && last.pair === undefined) {
        last.pair = key;
        this.#count(key, 1);
      }
    }
    this.#open.push({ ...match });
    this.#count(-1 - match.needle, 1);
    while (this.#open.length > 1 && match.end - (this.#open[0]?.start ?? 0) > MAX_LENGTH - LEAD_LENGTH)
      this.#drop();
    const value = this.#value + this.#open.length;
    if (value <= this.#most) return;
    this.#most = value;
    this.best = [...this.#open];
  }

  #drop(): void {
    const first = this.#open.shift();
    if (first === undefined) return;
    this.#count(-1 - first.needle, -1);
    if (first.pair !== undefined) this.#count(first.pair, -1);
  }

  /** Keys of terms are negative, those of pairs are not. */
  #count(key: number, change: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + change;
    this.#counts.set(key, count);
    if (count !== (change > 0 ? 1 : 0)) return;
    const kind = key < 0 ? "word" : this.#pairs.get(key) ? "phrase" : "pair";
    this.#value += change * VALUES[kind];
  }
}

/** Drops leading matches of terms that occur again later, unless they are part of a pair. */
function tighten(matches: Match[]): Match[] {
  if (new Set(matches.map(({ needle }) => needle)).size < 2) return matches;
  const from = matches.findIndex(
    ({ needle }, index) => !matches.slice(index + 1).some((other) => other.needle === needle),
  );
  const first = matches.findIndex(({ pair }) => pair !== undefined);
  return matches.slice(first < 0 ? from : Math.min(first, from));
}

const SPACE = /\s/u;

/** Where a step ends: after the last space within LONGEST_WORD of its limit, if there is one. */
function stepEnd(text: string, from: number): number {
  const end = Math.min(text.length, from + STEP_LENGTH);
  if (end === text.length) return end;
  for (let at = end; at > end - LONGEST_WORD; at--) if (SPACE.test(text.charAt(at - 1))) return at;
  return end;
}

function* wordsInSteps(
  text: string,
  each: (part: string, found: Word[], offset: number) => void,
): Steps<void> {
  for (let from = 0; from < text.length; yield) {
    const end = stepEnd(text, from);
    const part = text.slice(from, end);
    each(part, splitWords(part), from);
    from = end;
  }
}

function* wordMatchesInSteps(text: string, { pairs }: HighlightQuery, matcher: TermMatcher): Steps<Match[]> {
  const densest = new BestPassage(pairs);
  let isNext = false;
  yield* wordsInSteps(text, (_, found, offset) => {
    for (const word of found) {
      const needle = matcher(word);
      if (needle >= 0) densest.add({ start: offset + word.start, end: offset + word.end, needle }, isNext);
      isNext = needle >= 0;
    }
  });
  return tighten(densest.best);
}

function* compoundMatchesInSteps(text: string, { terms }: HighlightQuery): Steps<Match[]> {
  const densest = new BestPassage(new Map());
  yield* wordsInSteps(text, (part, found, offset) => {
    for (const { needle, start, end } of matchCompounds(part, found, terms))
      densest.add({ start: offset + start, end: offset + end, needle }, false);
  });
  return densest.best;
}

/** The match that locates a passage: the first in a phrase, else the first in an adjacent pair, else the first. */
function mainMatch(matches: readonly Match[], { pairs }: HighlightQuery): Match | undefined {
  const neighbours = matches.filter(({ pair }) => pair !== undefined);
  return neighbours.find(({ pair = 0 }) => pairs.get(pair)) ?? neighbours[0] ?? matches[0];
}

/** Compounds only matter if no single word matches. */
function* matchesInSteps(text: string, sought: HighlightQuery, matcher: TermMatcher): Steps<Match[]> {
  const matches = yield* wordMatchesInSteps(text, sought, matcher);
  return matches.length > 0 ? matches : yield* compoundMatchesInSteps(text, sought);
}

/** The range of a passage around a position, cut at word boundaries, or anywhere inside an extremely long word. */
function passageRange(text: string, read: readonly Word[], position: number): Range {
  const start =
    position <= LEAD_LENGTH ? 0 : (read.find((word) => word.start >= position - LEAD_LENGTH)?.start ?? 0);
  const limit = start + MAX_LENGTH;
  if (text.length <= limit) return { start, end: text.length };
  const end = read.findLast((word) => word.end <= limit)?.end ?? 0;
  return { start, end: end > position ? end : limit };
}

function highlightMatches(text: string, { start, end }: Range, matches: readonly Range[]): string {
  let html = "";
  let done = start;
  for (const match of matches) {
    if (match.start < done || match.end > end) continue;
    html += `${escapeHtml(text.slice(done, match.start))}<mark>${escapeHtml(text.slice(match.start, match.end))}</mark>`;
    done = match.end;
  }
  return html + escapeHtml(text.slice(done, end));
}

type Passage = { readonly passage: string; readonly at: number | undefined };

function* findPassageInSteps(
  text: string,
  sought: HighlightQuery,
  { highlight, matcher }: { highlight: "mark" | undefined; matcher: TermMatcher },
): Steps<Passage> {
  const matches = sought.terms.length === 0 ? [] : yield* matchesInSteps(text, sought, matcher);
  const [from, at] = [matches[0]?.start ?? 0, mainMatch(matches, sought)?.start];
  const offset = Math.max(0, from - CONTEXT_LENGTH);
  const part = text.slice(offset, offset + 2 * CONTEXT_LENGTH);
  const read = splitWords(part);
  const { start, end } = passageRange(part, read, from - offset);
  if (highlight !== "mark") return { passage: part.slice(start, end).toWellFormed(), at };
  const shown = read.filter((word) => matcher(word) >= 0);
  const named = matches.map((match) => ({ start: match.start - offset, end: match.end - offset }));
  return {
    passage: highlightMatches(part, { start, end }, shown.length > 0 ? shown : named).toWellFormed(),
    at,
  };
}

/**
 * The best passage, verbatim: at most 240 UTF-16 units, cut at words; without a match, the beginning. Linear in the
 * text. With `highlight: mark`, escaped HTML with `<mark>`; otherwise plain text.
 */
export const makeSnippet = (text: string, sought: HighlightQuery, highlight?: "mark"): string =>
  runSteps(findPassageInSteps(text, sought, { highlight, matcher: createMatcher(sought.terms) })).passage;

const MAX_BYTES = 8 * 1024 * 1024;

/** Describes a position in a text, such as its heading, for the caller. */
type Locate<Name> = (text: string, at: number) => Steps<Name>;

/** A text to take a snippet of, and its size in bytes. A long text is loaded only when it is processed. */
export type SnippetSource<Name> = {
  readonly size: number;
  readonly locate?: Locate<Name> | undefined;
} & (
  | { readonly isLong: false; readonly text: () => string }
  | { readonly isLong: true; readonly text: () => Promise<string> }
);

/** A passage, and its location in the text if it has a match. */
export type Snippet<Name> = { readonly passage: string; readonly location: Name | undefined };

type SnippetOptions<Name> = {
  highlight: "mark" | undefined;
  runQueued: (read: () => Promise<Snippet<Name>>) => Promise<Snippet<Name>>;
};

/** Undefined beyond MAX_BYTES in total. One text is in memory at a time; `runQueued` runs the reading of a long one. */
export async function makeSnippets<Name>(
  texts: readonly SnippetSource<Name>[],
  query: HighlightQuery,
  { highlight, runQueued }: SnippetOptions<Name>,
): Promise<(Snippet<Name> | undefined)[]> {
  const snippets: (Snippet<Name> | undefined)[] = [];
  const turn = createYieldingRunner();
  // Short texts share a matcher, and with it its cache of words. A long text gets its own, freed with the text.
  const shared = createMatcher(query.terms);
  function* show(text: string, { locate }: SnippetSource<Name>, matcher: TermMatcher): Steps<Snippet<Name>> {
    const { passage, at } = yield* findPassageInSteps(text, query, { highlight, matcher });
    return { passage, location: at === undefined || !locate ? undefined : yield* locate(text, at) };
  }
  let read = 0;
  for (const source of texts) {
    const fits = read + source.size <= MAX_BYTES;
    if (fits) read += source.size;
    if (!fits) snippets.push(undefined);
    else if (source.isLong)
      snippets.push(
        await runQueued(async () =>
          runYielding(show(await source.text(), source, createMatcher(query.terms))),
        ),
      );
    else snippets.push(await turn(() => runSteps(show(source.text(), source, shared))));
  }
  return snippets;
}
