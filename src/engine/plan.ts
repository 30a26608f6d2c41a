// A query plan: what to look for. The search statement takes it as JSON and reads it under the same names (score.ts).

export type SqlFragment = { readonly sql: string; readonly params: readonly (string | number)[] };

export type TermLookup = {
  readonly term: string;
  /** forms that occur in the same texts share a group, so that the counts of groups add up; null if it matches no text */
  readonly group: number | null;
  /** the term shows that the word itself occurs */
  readonly isKnown: boolean;
};

export type Candidate = { readonly word: string; readonly expression: string };

/** One thing that a result should contain: a word, a phrase, a prefix or alternatives. */
export type Clause = {
  /** normalized (folded), for corrections */
  readonly text: string;
  /** as shown in the response (`pre*`, `title:word`) */
  readonly labels: readonly string[];
  /** any one of its labels is enough (`a OR b`) */
  readonly isAlternative: boolean;
  /** how often the word occurs in the query; less for a correction in a long query */
  readonly weight: number;
  /** the word as typed, if it is searched for only in corrected form */
  readonly typed?: string | undefined;
  /** the two likely corrections; undefined if there is only one */
  readonly candidates?: readonly Candidate[] | undefined;
  readonly isPhrase: boolean;
  readonly isRequired: boolean;
  /** a single plain word, which may contain a typo */
  readonly isCorrectable: boolean;
  /** the FTS5 expression that finds it */
  readonly expression: string;
  /** the part of the expression that the lookups do not cover: forms of a compound such as `e-mail` or `getUserById` */
  readonly compoundExpression?: string | undefined;
  /** additional expression for entries below `minIndexVersion`, which an older version of the analysis wrote */
  readonly legacyExpression?: string;
  readonly minIndexVersion: number;
  /** how its lookups give its document frequency: records with any of them, or with all; undefined: by running the match */
  readonly counting?: "any" | "all" | undefined;
  readonly lookups: readonly TermLookup[];
  /** facts of records that the word stands for (see `factToken` in forms.ts) */
  readonly facts?: readonly string[];
};

/**
 * Raises the score of records that match it:
 * - `near`: two neighbouring words of the query close together
 * - `exact`: a word exactly as typed, where its clause matches other words too
 * - `date`: a date in any spelling; also finds records by itself
 * - `ending`: a word that ends in a word of the query; also finds records by itself
 * - `literal`: the only word of the query names a record type, and the text contains that word
 */
export type Boost = {
  readonly kind: "near" | "exact" | "date" | "ending" | "literal";
  readonly clauses: readonly number[];
  readonly label?: string;
  /** how many words it is worth; 1 if absent */
  readonly weight?: number;
  readonly facts?: readonly string[];
  readonly expression: string;
  /** the term of the word as typed, one of its clause's lookups, which gives its document frequency */
  readonly term?: string;
};

export type QueryPlan = {
  readonly clauses: readonly Clause[];
  readonly boosts: readonly Boost[];
  readonly ignoredWords: ReadonlySet<string>;
  /** FTS5 expression of the records to exclude */
  readonly excluded: string | undefined;
  /** phrases, prefixes, title words and alternatives treated as plain words because the query has too many */
  readonly simplified: readonly string[];
};

/** Folded words, each with its one or two likely corrections, likeliest first. */
export type Corrections = ReadonlyMap<string, readonly string[]>;

/** Maps words and dates of a query to the facts of records that they stand for. */
export type FactVocabulary = {
  readonly factsOfWord: (word: string) => readonly string[];
  /** for a day, a month of a year, a day of a month, a month or a year in digits: `2026-05-03`, `2026-05`, `05-03` … */
  readonly factOfDate: (digits: string) => string;
  /** the words that a misspelt word may be corrected to, by the fact that they stand for */
  readonly wordsByFact: ReadonlyMap<string, readonly string[]>;
};

export type PlanOptions = {
  /** undefined: search texts only */
  readonly vocabulary?: FactVocabulary | undefined;
  readonly corrections?: Corrections;
  /** phrases are optional because requiring them found nothing */
  readonly relaxed?: boolean;
  /** today in the caller's time zone (YYYY-MM-DD), for `yesterday` and `last May` */
  readonly today?: string | undefined;
};
