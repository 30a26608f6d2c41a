import { nameKey } from "../../contract/name-key.ts";
import type { TidyItem } from "../../contract/tidy-kinds.ts";
import { splitWords } from "../text/words.ts";
import { hash24, makeSketch, type Sketch } from "./sketch.ts";

/** A memory or document to examine. Fields that a source does not have are null. */
export type TidySubject = TidyItem & {
  title: string;
  text: string;
  /** When it was written: an instant, or other text that sorts chronologically. */
  at: string;
  changed: string | null;
  memory_type: string | null;
  project: string | null;
  due_date: string | null;
  supersedes: string | null;
  series: string | null;
  document_id: string | null;
  /** Whether it links to another document, or one to it; null for what is not expected to. */
  is_linked: boolean | null;
};

/** What is stored of an item to compare it with others: only hashes, at most about a kilobyte. */
export type Fingerprint = Sketch &
  Pick<
    TidySubject,
    "type" | "id" | "at" | "memory_type" | "due_date" | "supersedes" | "series" | "document_id" | "is_linked"
  > & {
    /** Number of words in the text. */
    length: number;
    /** Number of characters in the title and text. */
    size: number;
    /** Digest of the text: equal for equal words in the same order. */
    same: string;
    /** Digest of the title. */
    topic: string;
    /** Hashes of the words in the title. */
    topics: Uint32Array;
    /** Digest of the words with digits: those of the title, and of a short text. */
    numbers: string;
    /** Number of negations in the title and a short text; 0 for a long one. */
    negations: number;
    /** Key of its project; empty if it has none. */
    project: string;
    /** The phrase by which it says that something has changed; empty if there is none. */
    turn: string;
  };

export const foldedWords = (list: string) => new Set(splitWords(list).map(({ text }) => text));
/** Words that duplicates may differ in. */
const FILLERS = foldedWords("a an the please der die das den dem des ein eine einen einem bitte");
const FILLERS_OF_TITLES = foldedWords(
  "and of for what how on in to about with und für von was wie im zu über mit",
);
const NEGATIONS = foldedWords(
  "not no never without cannot t nicht kein keine keinen keiner nie niemals ohne",
);
const SHORT_TEXT = 60;

/** Words, and pairs of words, that say that something has changed, by their folded words. */
const TURNS = new Map(
  (
    "anymore|instead|switched|nowadays|stattdessen|neuerdings|inzwischen|mittlerweile|künftig|" +
    "no longer|any more|rather than|now on|these days|has changed|have changed|changed to|instead of|" +
    "nicht mehr|ab jetzt|ab sofort|von nun|keine mehr|kein mehr"
  )
    .split("|")
    .map((phrase) => [[...foldedWords(phrase)].join(" "), phrase] as const),
);

function findTurn(said: readonly string[]): string {
  for (const [index, word] of said.entries()) {
    const found = TURNS.get(`${word} ${said[index + 1]}`) ?? TURNS.get(word);
    if (found !== undefined) return found;
  }
  return "";
}

/** Removes a plural ending, so that singular and plural are the same word. */
const singular = (word: string) => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word);

const digest = (hashes: readonly number[]) => {
  const text = hashes.join(" ");
  return hashes.length === 0 ? "" : `${hash24(text).toString(36)}-${hash24(`${text}.`).toString(36)}`;
};

const significantHashes = (said: readonly string[]) =>
  said.filter((word) => !FILLERS.has(word)).map((word) => hash24(singular(word)));

const numbersDigest = (said: readonly string[]) =>
  digest(
    said
      .filter((word) => /\d/.test(word))
      .sort()
      .map(hash24),
  );

/** Linear in the text. */
export function makeFingerprint(subject: TidySubject): Fingerprint {
  const { type, id, at, memory_type, due_date, supersedes, series, document_id, is_linked } = subject;
  const { title, text, project } = subject;
  const wordsOf = (part: string) => splitWords(part).map((word) => word.text);
  const [titleWords, textWords] = [wordsOf(title), wordsOf(text)];
  const topics = significantHashes(titleWords.filter((word) => !FILLERS_OF_TITLES.has(word)));
  const hashes = significantHashes(textWords);
  const isShort = textWords.length <= SHORT_TEXT;
  const compared = isShort ? [...titleWords, ...textWords] : titleWords;
  return {
    type,
    id,
    at,
    memory_type,
    due_date,
    supersedes,
    series,
    document_id,
    is_linked,
    ...makeSketch(hashes),
    length: hashes.length,
    size: title.length + text.length,
    same: digest(hashes),
    topic: digest(topics),
    topics: Uint32Array.from(new Set(topics)).sort().slice(0, 16),
    numbers: numbersDigest(compared),
    negations: isShort ? compared.filter((word) => NEGATIONS.has(word)).length : 0,
    project: project === null ? "" : nameKey(project),
    turn: type === "memory" ? findTurn(textWords) : "",
  };
}
