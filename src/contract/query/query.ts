/** The filters of the query language; the caller decides which of them apply. */
export type FilterName = "tag" | "folder" | "source" | "type" | "status" | "project" | "after" | "before";

export type Filter = { readonly name: FilterName; readonly value: string };

/** One thing to look for: plain text, a phrase in quotation marks, or the beginning of a word (`pre*`). */
export type Term = {
  readonly kind: "text" | "phrase" | "prefix";
  readonly text: string;
  /** only in the title (`title:word`) */
  readonly title: boolean;
};

/** Terms of which any one is enough (`a OR b`); usually a single one. */
export type Alternatives = readonly Term[];

export type Query = {
  readonly wanted: readonly Alternatives[];
  /** `-word`, `-"a phrase"`: not in the record at all */
  readonly unwanted: readonly Term[];
  readonly filters: readonly Filter[];
};

const FILTERS: ReadonlySet<string> = new Set<FilterName>([
  "tag",
  "folder",
  "source",
  "type",
  "status",
  "project",
  "after",
  "before",
]);
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** A piece of the query: spaces between pieces, except inside quotation marks. */
const PIECE = /(-(?=[^\s-]))?(?:(\p{L}+):)?(?:"([^"]*)"(?=\s|$)|(\S+))/gu;
const QUOTES = /[“”„«»]/gu;
const WORD = /[\p{L}\p{N}\p{ExtPict}\p{RI}]/u;

/**
 * Parses a query: `"a phrase"`, `pre*`, `-word`, `a OR b`, `title:word`, and filters such as
 * `tag:x` or `folder:"My notes"`. Never fails: an incomplete operator is plain text, and anything without a letter,
 * digit or emoji is ignored.
 */
export function parseQuery(text: string): Query {
  const pieces = [...text.replace(QUOTES, '"').matchAll(PIECE)].flatMap((piece) => {
    const read = readPiece(piece);
    return read === undefined ? [] : [{ read, minus: piece[1] === "-", or: piece[0] === "OR" }];
  });
  const terms: { term: Term; or: boolean }[] = [];
  const unwanted: Term[] = [];
  const filters: Filter[] = [];
  for (const { read, minus, or } of pieces) {
    if ("name" in read) filters.push(read);
    else if (minus) unwanted.push(read);
    else terms.push({ term: read, or });
  }
  return { wanted: joinAlternatives(terms), unwanted, filters };
}

/** Joins the terms on both sides of an OR. An OR at the beginning, at the end or after another one is a word. */
function joinAlternatives(terms: { term: Term; or: boolean }[]): Term[][] {
  const wanted: Term[][] = [];
  for (let place = 0; place < terms.length; place++) {
    const { term, or } = terms[place] as { term: Term; or: boolean };
    const next = terms[place + 1]?.term;
    const last = wanted.at(-1);
    if (or && last && next) {
      last.push(next);
      place += 1;
    } else wanted.push([term]);
  }
  return wanted;
}

/** A filter, a term, or undefined when there is nothing to look for. */
function readPiece([whole, minus, name, quoted, plain]: RegExpExecArray): Filter | Term | undefined {
  const field = name?.toLowerCase() ?? "";
  const value = quoted ?? plain ?? "";
  // An unclosed quotation mark is not an operator.
  const complete = quoted !== undefined || !value.includes('"');
  if (minus === undefined && complete && isFilter(field) && suits(field, value))
    return { name: field, value };
  const title = field === "title" && complete && WORD.test(value);
  // Not an operator: `http://x`, `note:` and the like.
  if (name !== undefined && !title) return term("text", whole.slice(minus?.length ?? 0), false);
  if (quoted !== undefined) return term("phrase", quoted, title);
  return value.endsWith("*") ? term("prefix", value.slice(0, -1), title) : term("text", value, title);
}

function term(kind: Term["kind"], text: string, title: boolean): Term | undefined {
  return WORD.test(text) ? { kind, text, title } : undefined;
}

function isFilter(name: string): name is FilterName {
  return FILTERS.has(name);
}

function suits(name: FilterName, value: string): boolean {
  return name === "after" || name === "before" ? isDate(value) : WORD.test(value);
}

function isDate(value: string): boolean {
  return DATE.test(value) && new Date(`${value}T00:00:00Z`).toISOString().startsWith(value);
}

/** A term in query syntax. */
export function nameOf({ kind, text, title }: Term): string {
  const written = { text, phrase: `"${text}"`, prefix: `${text}*` }[kind];
  return title ? `title:${written}` : written;
}
