import { BEGINNING, beginning, CHARACTER, STEM, stem } from "./forms.ts";
import { compounds, humps } from "./identifiers.ts";
import { english, type Language } from "./language.ts";
import { type Word, words } from "./words.ts";

/** Raise it with every change of what is written to the index: entries with a lower one are due for a re-index. */
export const INDEX_VERSION = 2;

/** What a record offers for searching, in the user's own words. */
export type Searchable = { readonly title: string; readonly tags: readonly string[]; readonly body: string };

/** The columns of `search_index`, tokens separated by spaces, and the number of words for `search_entries.length`. */
export type IndexRow = {
  readonly title: string;
  readonly tags: string;
  readonly body: string;
  readonly extra: string;
  readonly length: number;
};

/** In front of every token of an owner: digits and one `x`, so that no owner's range of terms holds another's. */
export function ownerPrefix(owner: number): string {
  return `${owner}x`;
}

/**
 * A record as it goes into the index, in time linear in its text.
 * `owner` is the user's number; the words keep their order, other forms come behind the title's words or in `extra`.
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

/** D1 takes no value over 2,000,000 bytes. From the first bound on a column gets words it does not have yet, to the second. */
const FULL_BYTES = 1_500_000;
const MAX_BYTES = 1_900_000;

/** Tokens as one column. In an enormous text later words are written once: all are found, only their counts are cut. */
function join(prefix: string, tokens: readonly string[]): string {
  const whole = tokens.length === 0 ? "" : prefix + tokens.join(` ${prefix}`);
  // A UTF-16 unit is at most three bytes.
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

/** Bytes of a word in UTF-8; each half of a surrogate pair is two of its four. */
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

/** Everything else that a text can be found by: characters in their order first (a run of them is a substring). */
function forms(reading: Reading, language: Language): string[] {
  const characters = reading.words.flatMap((word) => (word.unspaced ? [...word.text] : []));
  const spaced = reading.words.filter((word) => !word.unspaced);
  // How often a stem occurs does not matter (measured), how often a beginning does.
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
