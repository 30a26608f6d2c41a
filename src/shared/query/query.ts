import { isDueFilter } from "./due.ts";
import { isFilterDate } from "./filter-dates.ts";
import { isMistakenFilter, type MisreadPart } from "./misread.ts";

/** The filters of the query language. The caller decides which of them apply. */
const FILTER_NAMES = [
  "tag",
  "folder",
  "source",
  "type",
  "status",
  "project",
  "task",
  "has",
  "priority",
  "owed",
  "links",
  "linked",
  "due",
  "is",
  "after",
  "before",
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

export type Filter = { readonly name: FilterName; readonly value: string };

/** A search term: plain text, a phrase in quotation marks, or the beginning of a word (`pre*`). */
export type Term = {
  readonly kind: "text" | "phrase" | "prefix";
  readonly text: string;
  /** Whether to search only titles (`title:word`). */
  readonly title: boolean;
};

/** Terms of which one is enough (`a OR b`). Usually a single term. */
export type Alternatives = readonly Term[];

export type Query = {
  readonly wanted: readonly Alternatives[];
  /** None of these may match (`-word`, `-"a phrase"`). */
  readonly unwanted: readonly Term[];
  readonly filters: readonly Filter[];
  readonly misread?: readonly MisreadPart[];
};

/** A piece of the query. Pieces are separated by spaces, except in quotation marks. */
const PIECE = /(-(?=[^\s-]))?(?:(\p{L}[\p{L}_]*):)?(?:"([^"]*)"(?=\s|$)|(\S+))/gu;
const QUOTES = /[“”„«»]/gu;
const WORD = /[\p{L}\p{N}\p{ExtPict}\p{RI}]/u;

/**
 * Parses `"a phrase"`, `pre*`, `-word`, `AND NOT word`, `a OR b`, `title:word`, `tag:x`. Never fails: anything else is plain
 * text.
 */
export function parseQuery(text: string): Query {
  const found = [...text.replace(QUOTES, '"').matchAll(PIECE)];
  const { pieces, misused } = withoutOperators(
    found.flatMap((piece) => {
      const read = readPiece(piece);
      return read === undefined ? [] : [{ read, minus: piece[1] === "-", word: piece[0] }];
    }),
  );
  const misread = [...found.flatMap((piece) => findMisread(piece) ?? []), ...misused];
  const terms: { term: Term; or: boolean }[] = [];
  const unwanted: Term[] = [];
  const filters: Filter[] = [];
  for (const { read, minus, word } of pieces) {
    if ("name" in read && minus) misread.push({ kind: "exclusion", text: word });
    else if ("name" in read) filters.push(read);
    else if (minus) unwanted.push(read);
    else terms.push({ term: read, or: word === "OR" });
  }
  return { wanted: joinAlternatives(terms), unwanted, filters, ...(misread.length > 0 && { misread }) };
}

type Piece = { readonly read: Filter | Term; readonly minus: boolean; readonly word: string };

const isFilterPiece = (piece: Piece | undefined) => piece !== undefined && "name" in piece.read;

/** Whether a piece is an OR next to a filter, which applies to all results. Such an OR is an ordinary word. */
const isBesideFilter = (pieces: readonly Piece[], index: number) =>
  pieces[index]?.word === "OR" && [pieces[index - 1], pieces[index + 1]].some(isFilterPiece);

/** Removes `AND`, excludes the piece after `AND NOT`, and removes and reports `OR NOT`. */
function withoutOperators(pieces: readonly Piece[]): { pieces: Piece[]; misused: MisreadPart[] } {
  const isNegation = (index: number, operator: string) => {
    const [first, not, after] = pieces.slice(Math.max(index, 0), index + 3);
    return index >= 0 && first?.word === operator && not?.word === "NOT" && after !== undefined;
  };
  const isDropped = (word: string, index: number) =>
    (word === "AND" && pieces.length > 1) ||
    isNegation(index, "OR") ||
    ["AND", "OR"].some((operator) => isNegation(index - 1, operator));
  const kept = pieces.flatMap((piece, index) => {
    if (isNegation(index - 2, "AND")) return [{ ...piece, minus: true }];
    return isDropped(piece.word, index) ? [] : [piece];
  });
  const misused = pieces.flatMap((_, index): MisreadPart[] => {
    if (isNegation(index, "OR")) return [{ kind: "or-not", text: `OR NOT ${pieces[index + 2]?.word}` }];
    return isBesideFilter(pieces, index) ? [{ kind: "or-filter", text: "OR" }] : [];
  });
  return { pieces: kept, misused };
}

function findMisread([whole, minus, name]: RegExpExecArray): MisreadPart | undefined {
  const field = name?.toLowerCase() ?? "";
  const isRead = minus === undefined && isFilter(field);
  const value = whole.slice(whole.indexOf(":") + 1).replaceAll('"', "");
  if (field === "" || !WORD.test(value)) return undefined;
  if (isRead)
    return isValidValue(field, value)
      ? undefined
      : { kind: INVALID_VALUE_KINDS[field] ?? "date", text: whole };
  if (isFilter(field)) return { kind: "exclusion", text: whole };
  return isMistakenFilter(field) ? { kind: "filter", text: whole.slice(minus?.length ?? 0) } : undefined;
}

/** Joins the terms on both sides of an OR. An OR at the start, at the end or after another one is an ordinary word. */
function joinAlternatives(terms: { term: Term; or: boolean }[]): Term[][] {
  const wanted: Term[][] = [];
  for (let index = 0; index < terms.length; index++) {
    const { term, or } = terms[index] as { term: Term; or: boolean };
    const next = terms[index + 1]?.term;
    const last = wanted.at(-1);
    if (or && last && next) {
      last.push(next);
      index += 1;
    } else wanted.push([term]);
  }
  return wanted;
}

function readPiece([whole, minus, name, quoted, plain]: RegExpExecArray): Filter | Term | undefined {
  const field = name?.toLowerCase() ?? "";
  const value = quoted ?? plain ?? "";
  // An unclosed quotation mark is not an operator.
  const complete = quoted !== undefined || !value.includes('"');
  if (minus === undefined && complete && isFilter(field) && isValidValue(field, value))
    return asFilter(field, value);
  const title = field === "title" && complete && WORD.test(value);
  // Not an operator: `http://x`, `note:` and the like.
  if (name !== undefined && !title) return term("text", whole.slice(minus?.length ?? 0), false);
  if (quoted !== undefined) return term("phrase", quoted, title);
  return value.endsWith("*") ? term("prefix", value.slice(0, -1), title) : term("text", value, title);
}

function term(kind: Term["kind"], text: string, title: boolean): Term | undefined {
  return WORD.test(text) ? { kind, text, title } : undefined;
}

/** `is:overdue` is another way to write `due:overdue`. */
const asFilter = (name: FilterName, value: string): Filter =>
  name === "is" && value.toLowerCase() === "overdue" ? { name: "due", value } : { name, value };

const isFilter = (name: string): name is FilterName => FILTER_NAMES.some((filter) => filter === name);

const VALUE_CHECKS: Partial<Record<FilterName, (value: string) => boolean>> = {
  after: isFilterDate,
  before: isFilterDate,
  due: isDueFilter,
  is: (value) => ["repeating", "overdue"].includes(value.toLowerCase()),
};

const INVALID_VALUE_KINDS: Partial<Record<FilterName, MisreadPart["kind"]>> = { due: "due", is: "filter" };

function isValidValue(name: FilterName, value: string): boolean {
  return VALUE_CHECKS[name]?.(value) ?? WORD.test(value);
}

export function termText({ kind, text, title }: Term): string {
  const written = { text, phrase: `"${text}"`, prefix: `${text}*` }[kind];
  return title ? `title:${written}` : written;
}

export function isPlainTerm(terms: Alternatives): boolean {
  const [term] = terms;
  return terms.length === 1 && term?.kind === "text" && !term.title;
}

/** Joins adjacent plain pieces to one text, which may contain names of several words: `x ray`. */
export function joinPlainTerms(wanted: Query["wanted"]): Alternatives[] {
  const found: Alternatives[] = [];
  for (const terms of wanted) {
    const [[last] = [], [term]] = [found.at(-1), terms];
    if (last && term && isPlainTerm(found.at(-1) ?? []) && isPlainTerm(terms))
      found.splice(-1, 1, [{ ...term, text: `${last.text} ${term.text}` }]);
    else found.push(terms);
  }
  return found;
}
