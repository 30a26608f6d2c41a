import { type Filter, type FilterName, parseQuery } from "../../../../src/contract/query/query.ts";

// The query text is the only state: chips read their filters from it and write them into it.

export type { Filter, FilterName };

/** A filter or word of the query, with the quotation marks that belong to it. */
const PIECE = /[^\s"“”„«»]*["“”„«»][^"“”„«»]*["“”„«»](?=\s|$)|\S+/gu;

const piecesOf = (text: string) => [...text.matchAll(PIECE)].map(([piece]) => piece);

const isSame = (one: Filter | undefined, { name, value }: Filter) =>
  one?.name === name && one.value === value;

/** The filters of a query, in the order in which they are written, each once. */
export const filtersOf = (text: string): readonly Filter[] =>
  parseQuery(text).filters.filter(
    (filter, place, all) => all.findIndex((one) => isSame(one, filter)) === place,
  );

/** A filter as one writes it. A value with spaces is put in quotation marks, which it cannot contain itself. */
export function written({ name, value }: Filter): string {
  const plain = value.replace(/["“”„«»]/gu, " ").trim();
  return /\s/u.test(plain) ? `${name}:"${plain}"` : `${name}:${plain}`;
}

/** The query without this filter. */
export const without = (text: string, filter: Filter): string =>
  piecesOf(text)
    .filter((piece) => !isSame(parseQuery(piece).filters[0], filter))
    .join(" ");

/** The query with this filter added at its end. */
export const withFilter = (text: string, filter: Filter): string =>
  `${without(text, filter)} ${written(filter)}`.trim();

/** The query with this filter instead of others of its name. */
export const withOnly = (text: string, filter: Filter): string =>
  withFilter(
    filtersOf(text)
      .filter(({ name }) => name === filter.name)
      .reduce(without, text),
    filter,
  );

/** A word whose beginning is searched for while it is typed. Shorter ones match too much, and too slowly. */
const UNFINISHED = /^[\p{L}\p{N}]{2,}$/u;

const isInQuotes = (text: string) => (text.match(/["“”„«»]/gu)?.length ?? 0) % 2 === 1;

const isFilter = (piece: string) => parseQuery(piece).filters.length > 0;

/** The query with its last word read as the beginning of one, while it may be typed still; otherwise as it is. */
export function completing(text: string): string {
  const pieces = piecesOf(text);
  const place = pieces.findLastIndex((piece) => !isFilter(piece));
  const word = pieces[place] ?? "";
  if (!UNFINISHED.test(word) || word === "OR" || /\s$/u.test(text) || isInQuotes(text)) return text;
  return pieces.toSpliced(place + 1, 0, "OR", `${word}*`).join(" ");
}

/** The query with this word taken literally, so that it is not corrected. */
export const literally = (text: string, word: string): string =>
  piecesOf(text)
    .map((piece) => (piece.toLowerCase() === word.toLowerCase() ? `"${piece}"` : piece))
    .join(" ");
