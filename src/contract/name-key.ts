/** A name in NFC. Names stored by earlier releases may be in NFD. */
export const toNfc = (name: string): string => name.normalize("NFC");

/** A name as it is stored: trimmed, and in NFC. File names on a Mac are in NFD and would look like the same name twice. */
export const normalizeName = (text: string): string => toNfc(text).trim();

const FINAL_SIGMA = /ς/g;
const DOTTED_I = /i\u0307/g;

/**
 * A key that is equal for names that differ only in case: full Unicode case folding (`ß` is `ss`, `ς` is `σ`) and NFC.
 * `ı` and `İ` are `i`. Linear.
 */
export const nameKey = (name: string): string =>
  name
    .normalize("NFC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(FINAL_SIGMA, "σ")
    .replace(DOTTED_I, "i")
    .normalize("NFC");

export const isSameName = (one: string, other: string): boolean => nameKey(one) === nameKey(other);

/** Other letters with the same key, which a change to upper case does not find. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  ...{ s: ["ſ"], k: ["\u212a"], å: ["\u212b"], i: ["ı", "İ", "i\u0307"], ṡ: ["ẛ"] },
  ...{ ss: ["ß", "ẞ"], ff: ["ﬀ"], fi: ["ﬁ"], fl: ["ﬂ"], st: ["ﬅ", "ﬆ"] },
  ...{ σ: ["ς"], β: ["ϐ"], θ: ["ϑ", "ϴ"], φ: ["ϕ"], π: ["ϖ"], κ: ["ϰ"], ρ: ["ϱ"], ε: ["ϵ"] },
  ...{ ω: ["\u2126"], ι: ["\u0345", "\u1fbe"], μ: ["µ"], ǆ: ["ǅ"], ǉ: ["ǈ"], ǌ: ["ǋ"], ǳ: ["ǲ"] },
};

/** A replacement that leads from a name, with its ASCII letters in lower case, to its key. */
export type KeyReplacement = readonly [from: string, to: string];

/** Enough for about sixty different letters. Further letters are compared unchanged. */
const MAX_STEPS = 200;

const ASCII = /^\p{ASCII}+$/u;
const LETTERS = /^[\p{L}\p{M}]+$/u;

/** Encodings of an accented letter as several characters: the marks in either order, the first composed or not. */
function decomposed(letter: string): string[] {
  const [base = "", ...marks] = letter.normalize("NFD");
  if (marks.length === 0) return [];
  const orders = [marks, marks.toReversed()].map(
    ([mark = "", ...others]) => [mark, others.join("")] as const,
  );
  return orders.flatMap(([mark, others]) => [base + mark + others, (base + mark).normalize("NFC") + others]);
}

/** The replacements that lead from all spellings to this key, for SQL, which only folds ASCII. */
export function keyReplacements(key: string): KeyReplacement[] {
  const letters = [...new Set([...key, ...key.normalize("NFD")])];
  const multiLetterKeys = Object.keys(VARIANTS).filter((to) => to.length > 1 && key.includes(to));
  const cased = [...letters, ...multiLetterKeys].flatMap((to) =>
    [to.toUpperCase(), ...(VARIANTS[to] ?? [])].map((from): KeyReplacement => [from, to]),
  );
  const accented = letters.flatMap((to) => decomposed(to).map((from): KeyReplacement => [from, to]));
  return [...cased, ...accented]
    .filter(([from, to]) => from !== to && !ASCII.test(from) && LETTERS.test(from + to))
    .slice(0, MAX_STEPS);
}
