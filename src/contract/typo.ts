import { distance } from "fastest-levenshtein";

const MAX_COMPARED = 100;

/** Numbers and words of one or two characters, which distinguish names: `2026`, `Team B`. */
const DISTINCTIVE = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,2}(?![\p{L}\p{N}])|\p{N}+/gu;

const onlyLetters = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
const sortLetters = (text: string) => [...text].sort().join("");

/** Whether a name may be a typo of another: other spaces or accents, two swapped letters, or one or two wrong letters. */
export function isLikelyTypo(one: string, other: string): boolean {
  const distinctive = (name: string) => (name.toLowerCase().match(DISTINCTIVE) ?? []).join(" ");
  if (distinctive(one) !== distinctive(other)) return false;
  const [a, b] = [onlyLetters(one.slice(0, MAX_COMPARED)), onlyLetters(other.slice(0, MAX_COMPARED))];
  const length = Math.min(a.length, b.length);
  const errors = distance(a, b);
  if (errors === 0) return true;
  if (errors === 2 && a.length === b.length && sortLetters(a) === sortLetters(b)) return true;
  return errors <= (length >= 8 ? 2 : length >= 4 ? 1 : 0);
}
