import type { Lookup } from "./terms.ts";

/** One thing that a result should contain. */
export type Unit = {
  /** normalized (folded), for corrections */
  readonly text: string;
  /** as shown in the answer (`pre*`, `title:word`) */
  readonly names: readonly string[];
  /** any one of `names` is enough (`a OR b`) */
  readonly either: boolean;
  /** how often it occurs in the query; less for a correction in a long query */
  readonly weight: number;
  /** the word as typed, if only corrections of it are searched for */
  readonly typed?: string | undefined;
  /** if one of two words may be meant, each with the FTS5 expression of it alone */
  readonly meant?: readonly (readonly [word: string, expression: string])[] | undefined;
  readonly phrase: boolean;
  /** every result must contain it */
  readonly required: boolean;
  /** a single plain word, which may contain a typo */
  readonly correctable: boolean;
  /** an FTS5 expression; a record that matches it contains the unit */
  readonly expression: string;
  /** the part of the expression that its terms are not: the other forms of a name such as `e-mail` or `getUserById` */
  readonly besides?: string | undefined;
  /** the additional expression for entries of an older version of the analysis */
  readonly older?: string;
  /**
   * how its terms tell in how many records it is: in those with any of its forms, or at most in those with all of them;
   * otherwise the expression is matched to count them
   */
  readonly counting?: "any" | "all" | undefined;
  readonly terms: readonly Lookup[];
  /** the facts of records that it stands for (see facts.ts) */
  readonly facts?: readonly string[];
};

/**
 * What makes a record score higher besides the units that it contains: adjacent words of the query close together, a word
 * exactly as typed where the unit matches others too (those with the same beginning, or that contain its characters), or
 * a date of the query in any spelling, which also finds records by itself; or a single word that also names a type, in
 * the texts that say it.
 */
export type Bonus = {
  readonly kind: "near" | "exact" | "date" | "said";
  readonly units: readonly number[];
  /** a date as shown in the answer */
  readonly name?: string;
  /** how many words it is worth; 1 if absent */
  readonly weight?: number;
  /** the facts of records that a date stands for */
  readonly facts?: readonly string[];
  readonly expression: string;
  /** the word exactly as typed, one of its unit's terms: tells how many records have it */
  readonly term?: string;
};

/** What to look for. */
export type Plan = {
  readonly units: readonly Unit[];
  readonly bonuses: readonly Bonus[];
  /** words of its plain text that are not looked for */
  readonly dropped: ReadonlySet<string>;
  /** excludes the records that match this */
  readonly unwanted: string | undefined;
  /** phrases, beginnings, title words and alternatives that were read as plain words, because there are too many */
  readonly simplified: readonly string[];
};

/** Words (folded), each with those of which one was meant, the likeliest first. */
export type Corrections = ReadonlyMap<string, readonly string[]>;

/** How to read a query. */
export type Reading = {
  /** whether memory records are searched, which are also found by their type and due date */
  readonly records?: boolean;
  readonly corrections?: Corrections;
  /** no phrase is required, because with them nothing was found */
  readonly relaxed?: boolean;
  /** the person's day (YYYY-MM-DD), which `yesterday` and `last May` depend on */
  readonly today?: string | undefined;
};
