// What a query is read as: plain values that reading it produces, and that the statement is made of.

/** A piece of SQL with its parameters in order. */
export type Fragment = { readonly sql: string; readonly params: readonly (string | number)[] };

/** `group`: forms in the same texts share it, so groups' counts add up; null: not found by it. `known`: the word itself. */
export type Lookup = readonly [term: string, group: number | null, known: 0 | 1];

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
  /** entries of a lower version need that one; by default `FORMS_VERSION` */
  readonly since?: number | undefined;
  /** how its terms count its records: those with any form, or at most those with all; without it, by matching */
  readonly counting?: "any" | "all" | undefined;
  readonly terms: readonly Lookup[];
  /** the facts of records that it stands for (see `fact` in forms.ts) */
  readonly facts?: readonly string[];
};

/**
 * What scores higher besides units: neighbours close together, a word exactly as typed where the unit matches others
 * too, a date in any spelling or a word that ends in this one, which also find records by themselves, or a single word that names a type, in texts that
 * say it.
 */
export type Bonus = {
  readonly kind: "near" | "exact" | "date" | "ending" | "said";
  readonly units: readonly number[];
  /** a date as shown in the answer */
  readonly name?: string;
  /** how many words it is worth; 1 if absent */
  readonly weight?: number;
  readonly facts?: readonly string[];
  readonly expression: string;
  /** the word exactly as typed, one of its unit's terms: tells how many records have it */
  readonly term?: string;
};

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

/** What words and dates of a query say about records, besides what these say themselves: the facts that they stand for. */
export type Meanings = {
  readonly ofWord: (word: string) => readonly string[];
  /** of a day, a month of a year, a day of a month, a month or a year in digits: `2026-05-03`, `2026-05`, `05-03` … */
  readonly ofDate: (digits: string) => string;
  /** the words to which one with a typo may be corrected, by their fact */
  readonly words: ReadonlyMap<string, readonly string[]>;
};

export type Reading = {
  /** of the facts of what is searched; without them, only texts are searched */
  readonly meanings?: Meanings | undefined;
  readonly corrections?: Corrections;
  /** no phrase is required, because with them nothing was found */
  readonly relaxed?: boolean;
  /** the person's day (YYYY-MM-DD), which `yesterday` and `last May` depend on */
  readonly today?: string | undefined;
};
