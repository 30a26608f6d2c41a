import { distance } from "fastest-levenshtein";

const MAX_COMPARED = 100;

/** Numbers and words of one or two characters, which tell names apart: `2026`, `Team B`. */
const TELLING = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,2}(?![\p{L}\p{N}])|\p{N}+/gu;

const lettersOf = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
const sorted = (text: string) => [...text].sort().join("");

/** Whether a name may be a slip for another: different in spaces or accents, two swapped letters, or one or two others. */
export function isSlip(one: string, other: string): boolean {
  const telling = (name: string) => (name.toLowerCase().match(TELLING) ?? []).join(" ");
  if (telling(one) !== telling(other)) return false;
  const [a, b] = [lettersOf(one.slice(0, MAX_COMPARED)), lettersOf(other.slice(0, MAX_COMPARED))];
  const length = Math.min(a.length, b.length);
  const errors = distance(a, b);
  if (errors === 0) return true;
  if (errors === 2 && a.length === b.length && sorted(a) === sorted(b)) return true;
  return errors <= (length >= 8 ? 2 : length >= 4 ? 1 : 0);
}
