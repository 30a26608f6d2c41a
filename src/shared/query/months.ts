import { ENGLISH_MONTHS as MONTHS } from "../../contract/day-names.ts";

const MIN_MONTH_LETTERS = 3;

/** The number of a month from 1, by its full name or first three letters (four for `sept`). */
export function monthNumber(word: string | undefined): number | undefined {
  if (word === undefined || word.length < MIN_MONTH_LETTERS) return undefined;
  const index = MONTHS.findIndex((name) => name === word || word === name.slice(0, 3));
  return index < 0 ? (word === "sept" ? 9 : undefined) : index + 1;
}

export function monthNames(month: number): string[] {
  const name = MONTHS[month - 1] ?? "";
  return [...new Set([name, name.slice(0, 3), ...(month === 9 ? ["sept"] : [])])];
}
