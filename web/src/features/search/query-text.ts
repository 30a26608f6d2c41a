import { type Filter, type FilterName, parseQuery } from "../../../../src/shared/query/query.ts";

// The query text is the only state: chips read their filters from it and write them to it.

export type { Filter, FilterName };

/** A filter or word of the query, with the quotation marks that belong to it. */
const PIECE = /[^\s"“”„«»]*["“”„«»][^"“”„«»]*["“”„«»](?=\s|$)|\S+/gu;

const splitQuery = (text: string) => [...text.matchAll(PIECE)].map(([piece]) => piece);

const isSame = (one: Filter | undefined, { name, value }: Filter) =>
  one?.name === name && one.value === value;

/** The filters of a query in order, without duplicates. */
export const filtersInQuery = (text: string): readonly Filter[] =>
  parseQuery(text).filters.filter(
    (filter, index, all) => all.findIndex((one) => isSame(one, filter)) === index,
  );

/** A filter in query syntax. A value with spaces is quoted; quotation marks in it are removed. */
export function formatFilter({ name, value }: Filter): string {
  const plain = value.replace(/["“”„«»]/gu, " ").trim();
  return /\s/u.test(plain) ? `${name}:"${plain}"` : `${name}:${plain}`;
}

export const withoutFilter = (text: string, filter: Filter): string =>
  splitQuery(text)
    .filter((piece) => !isSame(parseQuery(piece).filters[0], filter))
    .join(" ");

/** The query with this filter added at its end. */
export const withFilter = (text: string, filter: Filter): string =>
  `${withoutFilter(text, filter)} ${formatFilter(filter)}`.trim();

/** The query with this filter, without other filters of the same name. */
export function withOnlyFilter(text: string, filter: Filter): string {
  const replaced = filtersInQuery(text).filter(({ name }) => name === filter.name);
  return withFilter(replaced.reduce(withoutFilter, text), filter);
}

/** A word that is searched as a prefix while it is typed. Shorter prefixes match too much and are slow. */
const UNFINISHED = /^[\p{L}\p{N}]{2,}$/u;

const isInQuotes = (text: string) => (text.match(/["“”„«»]/gu)?.length ?? 0) % 2 === 1;

const isFilter = (piece: string) => parseQuery(piece).filters.length > 0;

/** Also matches the last word as a prefix if it may be unfinished; otherwise returns the query unchanged. */
export function withPrefixMatch(text: string): string {
  const pieces = splitQuery(text);
  const index = pieces.findLastIndex((piece) => !isFilter(piece));
  const word = pieces[index] ?? "";
  if (!UNFINISHED.test(word) || word === "OR" || /\s$/u.test(text) || isInQuotes(text)) return text;
  return pieces.toSpliced(index + 1, 0, "OR", `${word}*`).join(" ");
}

/** The query with this word taken literally, so that it is not corrected. */
export const withLiteralWord = (text: string, word: string): string =>
  splitQuery(text)
    .map((piece) => (piece.toLowerCase() === word.toLowerCase() ? `"${piece}"` : piece))
    .join(" ");
