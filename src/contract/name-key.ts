/** A name in NFC: one that an earlier release stored may be in NFD. */
export const composed = (name: string): string => name.normalize("NFC");

/**
 * A name as it is stored: in NFC, without spaces around it. What is sent to the service may be in NFD, as files of a Mac are
 * called, and would look like the same name twice.
 */
export const asName = (text: string): string => composed(text).trim();

const FINAL_SIGMA = /ς/g;
const DOTTED_I = /i\u0307/g;

/** Unicode's full case folding (`ß` is `ss`, `ς` is `σ`) and NFC; capitals decide, so `ı` and `İ` are `i`. Linear. */
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

const OTHERS: Readonly<Record<string, readonly string[]>> = {
  ...{ s: ["ſ"], k: ["\u212a"], å: ["\u212b"], i: ["ı", "İ", "i\u0307"], ṡ: ["ẛ"] },
  ...{ ss: ["ß", "ẞ"], ff: ["ﬀ"], fi: ["ﬁ"], fl: ["ﬂ"], st: ["ﬅ", "ﬆ"] },
  ...{ σ: ["ς"], β: ["ϐ"], θ: ["ϑ", "ϴ"], φ: ["ϕ"], π: ["ϖ"], κ: ["ϰ"], ρ: ["ϱ"], ε: ["ϵ"] },
  ...{ ω: ["\u2126"], ι: ["\u0345", "\u1fbe"], μ: ["µ"], ǆ: ["ǅ"], ǉ: ["ǈ"], ǌ: ["ǋ"], ǳ: ["ǲ"] },
};

/** A replacement on the way from a name, with its ASCII letters in lower case, to its key. */
export type KeyStep = readonly [from: string, to: string];

/** Those of about sixty different letters; further ones are compared as they are. */
const MAX_STEPS = 200;

const ASCII = /^\p{ASCII}+$/u;
const LETTERS = /^[\p{L}\p{M}]+$/u;

/** How a letter with accents can be encoded as several characters: its marks in any order, the first with the letter or not. */
function decomposed(letter: string): string[] {
  const [base = "", ...marks] = letter.normalize("NFD");
  if (marks.length === 0) return [];
  const orders = [marks, marks.toReversed()].map(
    ([mark = "", ...others]) => [mark, others.join("")] as const,
  );
  return orders.flatMap(([mark, others]) => [base + mark + others, (base + mark).normalize("NFC") + others]);
}

/** The replacements that lead from all spellings to this key, for SQL, which folds ASCII only. */
export function keySteps(key: string): KeyStep[] {
  const letters = [...new Set([...key, ...key.normalize("NFD")])];
  const several = Object.keys(OTHERS).filter((to) => to.length > 1 && key.includes(to));
  const cased = [...letters, ...several].flatMap((to) =>
    [to.toUpperCase(), ...(OTHERS[to] ?? [])].map((from): KeyStep => [from, to]),
  );
  const accented = letters.flatMap((to) => decomposed(to).map((from): KeyStep => [from, to]));
  return [...cased, ...accented]
    .filter(([from, to]) => from !== to && !ASCII.test(from) && LETTERS.test(from + to))
    .slice(0, MAX_STEPS);
}
