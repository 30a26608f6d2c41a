import { BEGINNING, beginning, CHARACTER, STEM, stem } from "./forms.ts";
import { compounds, humps } from "./identifiers.ts";
import { english, type Language } from "./language.ts";
import { type Word, words } from "./words.ts";

/** Increase it with every change to what is written to the index: entries with a lower version are reindexed. */
export const INDEX_VERSION = 2;

/** The searchable texts of a record. */
export type Searchable = { readonly title: string; readonly tags: readonly string[]; readonly body: string };

/** The columns of `search_index`, tokens separated by spaces, and the number of words for `search_entries.length`. */
export type IndexRow = {
  readonly title: string;
  readonly tags: string;
  readonly body: string;
  readonly extra: string;
  readonly length: number;
};

/** The prefix of every token of an owner: digits and one `x`, so that no owner's range of terms includes another's. */
export function ownerPrefix(owner: number): string {
  return `${owner}x`;
}

/**
 * A record's index columns, in time linear in its text.
 * `owner` is the user's number; words keep their order, and other forms follow the title's words or go into `extra`.
 */
export function analyse(owner: number, record: Searchable): IndexRow {
  const prefix = ownerPrefix(owner);
  const title = read(record.title);
  const tags = read(record.tags.join("\n"));
  const body = read(record.body);
  const language = english([...title.texts, ...body.texts]);
  const column = (tokens: readonly string[]) => join(prefix, tokens);
  return {
    title: column([...title.texts, ...forms(title, language)]),
    tags: column(tags.texts),
    body: column(body.texts),
    extra: column([...forms(body, language), ...forms(tags, language)]),
    length: title.texts.length + tags.texts.length + body.texts.length,
  };
}

const LATIN = /^[a-z]+$/;

/**
 * D1 accepts values of at most 2,000,000 bytes. Beyond the first bound a column gets only new words, up to the second.
 */
const FULL_BYTES = 1_500_000;
const MAX_BYTES = 1_900_000;

/**
 * Tokens as one column. In an enormous text, later words are written only once: all can be found, but counts are too
 * low.
 */
function join(prefix: string, tokens: readonly string[]): string {
  const whole = tokens.length === 0 ? "" : prefix + tokens.join(` ${prefix}`);
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (whole.length * 3 <= FULL_BYTES) return whole;
  const written = new Set<string>();
  const kept: string[] = [];
  let bytes = 0;
  for (const token of tokens) {
    if (bytes > FULL_BYTES && written.has(token)) continue;
    bytes += prefix.length + 1 + bytesOf(token);
    if (bytes > MAX_BYTES) break;
    written.add(token);
    kept.push(token);
  }
  return prefix + kept.join(` ${prefix}`);
}

/** The size of a word in UTF-8; each half of a surrogate pair counts as two of its four bytes. */
function bytesOf(word: string): number {
  let bytes = word.length;
  for (let place = 0; place < word.length; place++) {
    const unit = word.charCodeAt(place);
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

type Reading = { readonly text: string; readonly words: readonly Word[]; readonly texts: readonly string[] };

function read(text: string): Reading {
  const found = words(text);
  return { text, words: found, texts: found.map((word) => word.text) };
}

/** All other forms by which a text can be found: first characters in order (a run of them is a substring). */
function forms(reading: Reading, language: Language): string[] {
  const characters = reading.words.flatMap((word) => (word.unspaced ? [...word.text] : []));
  const spaced = reading.words.filter((word) => !word.unspaced);
  // Measured: the frequency of a stem does not matter, that of a beginning does.
  const once = new Set(spaced.flatMap((word) => humps(reading.text.slice(word.start, word.end))));
  const beginningOfWord = new Map<string, string | undefined>();
  for (const { text } of spaced) {
    if (beginningOfWord.has(text)) continue;
    beginningOfWord.set(text, beginningOf(text, language));
    const root = language === "no" && LATIN.test(text) ? text : stem(text);
    if (root !== text) once.add(STEM + root);
  }
  for (const { whole } of compounds(reading.text, reading.words)) once.add(whole);
  const beginnings = spaced.flatMap(({ text }) => beginningOfWord.get(text) ?? []);
  return [...characters.map((character) => CHARACTER + character), ...once, ...beginnings];
}

function beginningOf(word: string, language: Language): string | undefined {
  if (language === "yes" && LATIN.test(word)) return undefined;
  const letters = beginning(word);
  return letters === undefined || letters === word ? undefined : BEGINNING + letters;
}
