import { runSteps, type Steps } from "../shared/text/steps.ts";
import { splitWordsInSteps, type Word } from "../shared/text/words.ts";
import { detectEnglish, type IsEnglish } from "./english.ts";
import {
  CHARACTER_MARK,
  camelCaseParts,
  findCompounds,
  indexedForms,
  ownerPrefix,
  TRANSLITERATED_MARK,
} from "./forms.ts";
import { findPhoneNumbers, phoneNumberForms, reversedForms, transliterate } from "./spellings.ts";

/** Increase with every change to what is written to the index. */
export const INDEX_VERSION = 5;

/** Entries below this version lack some forms of their words, so other terms are looked up for them too. */
export const FORMS_VERSION = 3;

/** In entries below this version, `C++` and `C#` are the word `c`. */
export const SIGNS_VERSION = 5;

/** SQL: the entry must be reindexed. Identical to the condition of `search_entries_outdated_idx`, so that SQLite uses it. */
export const OUTDATED = "index_version < 5";

/** SQL: the entry waits for its words (see index-store.ts). Identical to the condition of `search_entries_waiting_idx`. */
export const IS_WAITING = "index_version < 0";

export type SearchableRecord = {
  readonly title: string;
  readonly tags: readonly string[];
  readonly body: string;
  readonly facts?: readonly string[];
};

/** The columns of `search_index`, with tokens separated by spaces; `length` (words) and `tokens` for `search_entries`. */
export type IndexRow = {
  readonly title: string;
  readonly tags: string;
  readonly body: string;
  readonly extra: string;
  readonly length: number;
  readonly tokens: number;
};

/** The index columns of a record, linear in its text. Words keep their order; other forms follow them in title and tags. */
export const analyse = (owner: number, record: SearchableRecord): IndexRow =>
  runSteps(analyseInSteps(owner, record));

export function* analyseInSteps(owner: number, record: SearchableRecord): Steps<IndexRow> {
  const prefix = ownerPrefix(owner);
  const title = yield* tokenize(record.title);
  const tags = yield* tokenize(record.tags.join("\n"));
  const body = yield* tokenize(record.body);
  const language = detectEnglish([...title.texts, ...body.texts]);
  yield;
  const columns = {
    title: yield* joinTokens(prefix, [...title.texts, ...(yield* furtherForms(title, language))]),
    tags: yield* joinTokens(prefix, [...tags.texts, ...(yield* furtherForms(tags, language))]),
    body: yield* joinTokens(prefix, body.texts),
    extra: yield* joinTokens(prefix, [...(record.facts ?? []), ...(yield* furtherForms(body, language))]),
  };
  return {
    title: columns.title.text,
    tags: columns.tags.text,
    body: columns.body.text,
    extra: columns.extra.text,
    length: title.texts.length + tags.texts.length + body.texts.length,
    tokens: Object.values(columns).reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** D1 values have at most 2,000,000 bytes. Beyond the first limit a column only gets new words, up to the second. */
const MAX_REPEATED_BYTES = 1_500_000;
const MAX_BYTES = 1_900_000;

function* joinTokens(prefix: string, tokens: readonly string[]): Steps<{ text: string; tokens: number }> {
  const kept = limitTokens(prefix, tokens);
  yield;
  const text = kept.length === 0 ? "" : prefix + kept.join(` ${prefix}`);
  yield;
  return { text, tokens: kept.length };
}

/** In an enormous text, later words are written only once: they are found, but their counts are too low. */
function limitTokens(prefix: string, tokens: readonly string[]): readonly string[] {
  const sizeOf = (token: string) => prefix.length + 1 + utf8Length(token);
  const size = tokens.reduce((sum, token) => sum + sizeOf(token), 0);
  if (size <= MAX_REPEATED_BYTES) return tokens;
  const written = new Set<string>();
  const kept: string[] = [];
  let bytes = 0;
  for (const token of tokens) {
    if (bytes > MAX_REPEATED_BYTES && written.has(token)) continue;
    bytes += sizeOf(token);
    if (bytes > MAX_BYTES) break;
    written.add(token);
    kept.push(token);
  }
  return kept;
}

/** The UTF-8 length of a word; each half of a surrogate pair counts two bytes. */
function utf8Length(word: string): number {
  let bytes = word.length;
  for (let index = 0; index < word.length; index++) {
    const unit = word.charCodeAt(index);
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

type TokenizedText = {
  readonly text: string;
  readonly words: readonly Word[];
  readonly texts: readonly string[];
};

function* tokenize(text: string): Steps<TokenizedText> {
  const found = yield* splitWordsInSteps(text);
  yield;
  return { text, words: found, texts: found.map((word) => word.text) };
}

const FORMS_PER_STEP = 5000;

/** The further forms of a text: characters in order, for substrings; word forms in order, for neighbours; compounds once. */
function* furtherForms({ text, words: found }: TokenizedText, language: IsEnglish): Steps<string[]> {
  const characters = found.flatMap((word) => (word.unspaced ? [...word.text] : []));
  const spaced = found.filter((word) => !word.unspaced);
  yield;
  const known = new Map<string, string[]>();
  const formsCached = (word: string) => {
    const formed = known.get(word) ?? indexedForms(word, language);
    known.set(word, formed);
    return formed;
  };
  const all: string[][] = [];
  for (const [index, word] of spaced.entries()) {
    all.push(formsCached(word.text));
    if (index % FORMS_PER_STEP === 0) yield;
  }
  const inOrder = [0, 1].flatMap((index) => all.flatMap((formed) => formed[index] ?? []));
  yield;
  const parts = new Set(spaced.flatMap((word) => camelCaseParts(text.slice(word.start, word.end))));
  yield;
  const wholes = findCompounds(text, found);
  // `Apollo-Programm` has the same prefix as `Apollo`, which is counted already.
  const wholeForms = wholes.flatMap(({ whole, from }) => {
    const first = formsCached(found[from]?.text ?? "");
    return indexedForms(whole, language).filter((form) => !first.includes(form));
  });
  yield;
  const transliterated = spaced.flatMap((word) => transliterate(text.slice(word.start, word.end)) ?? []);
  const numbers = findPhoneNumbers(text, found).flatMap((number) => phoneNumberForms(number));
  yield;
  const reversed = language === "yes" ? [] : spaced.flatMap((word) => reversedForms(word.text));
  yield;
  const names = new Set([
    ...reversed,
    ...transliterated.map((word) => TRANSLITERATED_MARK + word),
    ...numbers,
    ...parts,
    ...[...parts].flatMap(formsCached),
    ...wholes.map(({ whole }) => whole),
    ...wholeForms,
  ]);
  return [...characters.map((character) => CHARACTER_MARK + character), ...inOrder, ...names];
}
