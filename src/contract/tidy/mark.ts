import { nameKey } from "../name-key.ts";
import { words } from "../text/words.ts";
import type { TidyItem } from "./kinds.ts";
import { hashOf, type Sketch, sketchOf } from "./sketch.ts";

/** A record or document as it is looked at. What a source does not know is null. */
export type Thing = TidyItem & {
  title: string;
  text: string;
  /** When it was written, as an instant or any text that sorts as time does. */
  at: string;
  /** The day of its last change. */
  changed: string | null;
  memory_type: string | null;
  project: string | null;
  due_date: string | null;
  /** The record that it replaced. */
  supersedes: string | null;
  /** The first of the records that follow each other by one rule. */
  series: string | null;
  /** The document that a record belongs to. */
  document_id: string | null;
};

/** What is kept of a thing to compare it with others: no word of it, and at most about a kilobyte. */
export type Mark = Sketch &
  Pick<Thing, "type" | "id" | "at" | "memory_type" | "due_date" | "supersedes" | "series" | "document_id"> & {
    /** How many words its text has, and how many characters with its title. */
    length: number;
    size: number;
    /** Of its text, and of its title: equal for equal words in the same order. */
    same: string;
    topic: string;
    topics: Uint32Array;
    /** Of what has digits in it: in the title of a long text, in all of a short one. */
    numbers: string;
    negations: number;
    /** Of its project; empty for none. */
    project: string;
    /** The words by which it says that something is no longer so. */
    turn: string;
  };

const foldedSet = (list: string) => new Set(words(list).map(({ text }) => text));
/** What texts that say the same may have or not. */
const FILLERS = foldedSet("a an the please der die das den dem des ein eine einen einem bitte");
const FILLERS_OF_TITLES = foldedSet(
  "and of for what how on in to about with und für von was wie im zu über mit",
);
const NEGATIONS = foldedSet("not no never without cannot t nicht kein keine keinen keiner nie niemals ohne");
const SHORT_TEXT = 60;

const TURNS = [
  "anymore",
  "instead",
  "switched",
  "nowadays",
  "stattdessen",
  "neuerdings",
  "inzwischen",
  "mittlerweile",
  "künftig",
];
const TURNS_OF_TWO = [
  ...[
    "no longer",
    "any more",
    "rather than",
    "now on",
    "these days",
    "has changed",
    "have changed",
    "changed to",
  ],
  ...["instead of", "nicht mehr", "ab jetzt", "ab sofort", "von nun", "keine mehr", "kein mehr"],
];
const keyed = (list: readonly string[]) =>
  new Map(
    list.map((said) => [
      words(said)
        .map(({ text }) => text)
        .join(" "),
      said,
    ]),
  );
const [ONE, TWO] = [keyed(TURNS), keyed(TURNS_OF_TWO)];

/** The words by which a text says that something is no longer as it was; empty for none. */
function turnOf(said: readonly string[]): string {
  for (const [place, word] of said.entries()) {
    const found = TWO.get(`${word} ${said[place + 1]}`) ?? ONE.get(word);
    if (found !== undefined) return found;
  }
  return "";
}

/** A plural is the same word: compared is how often things are said, not how. */
const plain = (word: string) => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word);

const digestOf = (hashes: readonly number[]) => {
  const text = hashes.join(" ");
  return hashes.length === 0 ? "" : `${hashOf(text).toString(36)}-${hashOf(`${text}.`).toString(36)}`;
};

const telling = (said: readonly string[]) =>
  said.filter((word) => !FILLERS.has(word)).map((word) => hashOf(plain(word)));

const numbersOf = (said: readonly string[]) =>
  digestOf(
    said
      .filter((word) => /\d/.test(word))
      .sort()
      .map(hashOf),
  );

/** Reads a thing once, in time linear in its text. */
export function markOf(thing: Thing): Mark {
  const { type, id, at, memory_type, due_date, supersedes, series, document_id, title, text, project } =
    thing;
  const [named, said] = [title, text].map((part) => words(part).map((word) => word.text)) as [
    string[],
    string[],
  ];
  const [topics, told] = [telling(named.filter((word) => !FILLERS_OF_TITLES.has(word))), telling(said)];
  const isShort = said.length <= SHORT_TEXT;
  return {
    ...{ type, id, at, memory_type, due_date, supersedes, series, document_id },
    ...sketchOf(told),
    length: told.length,
    size: title.length + text.length,
    same: digestOf(told),
    topic: digestOf(topics),
    topics: Uint32Array.from(new Set(topics)).sort().slice(0, 16),
    numbers: numbersOf(isShort ? [...named, ...said] : named),
    negations: isShort ? [...named, ...said].filter((word) => NEGATIONS.has(word)).length : 0,
    project: project === null ? "" : nameKey(project),
    turn: type === "memory" ? turnOf(said) : "",
  };
}
