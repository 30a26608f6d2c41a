// Parser combinators for phrases of repetition. A parser reads words from a position on and returns their meaning and the
// position after them. Each reads only a few words, so a whole text is read in linear time.

export type Token = { word: string; start: number; end: number };
export type Parsed<T> = { value: T; next: number };
export type Parser<T> = (tokens: readonly Token[], at: number) => Parsed<T> | undefined;

/** The weekday in "Sonntagabend", which is a word of its own here. */
const COMPOUND_WEEKDAY =
  "(?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)(?=(?:morgen|vormittag|mittag|nachmittag|abend)(?!\\p{L}))";
const TOKEN = new RegExp(`${COMPOUND_WEEKDAY}|\\p{L}+|\\p{N}+|\\S`, "gu");

/** Words, numbers and signs in lower case. Empty if lower case has another length, because positions would be wrong. */
export function tokenize(text: string): Token[] {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return [];
  return [...lower.matchAll(TOKEN)].map(({ 0: word, index }) => ({
    word,
    start: index,
    end: index + word.length,
  }));
}

/** Whether a token follows the previous one without a space. */
export const isAttached = (tokens: readonly Token[], at: number): boolean =>
  at > 0 && tokens[at]?.start === tokens[at - 1]?.end;

const follows = (tokens: readonly Token[], at: number, words: readonly string[]) =>
  words.every((word, index) => tokens[at + index]?.word === word);

/** The longest matching word or phrase of a list, and its value. */
export function oneOf<T>(phrases: Readonly<Record<string, T>>): Parser<T> {
  const all = Object.entries(phrases).map(([phrase, value]) => ({ words: phrase.split(" "), value }));
  const byFirst = Map.groupBy(
    all.sort((a, b) => b.words.length - a.words.length),
    ({ words: [first] }) => first,
  );
  return (tokens, at) => {
    const found = byFirst.get(tokens[at]?.word)?.find(({ words }) => follows(tokens, at, words));
    return found && { value: found.value, next: at + found.words.length };
  };
}

/** One of several phrases, such as "of the month|of each month". */
export const phrase = (phrases: string): Parser<true> =>
  oneOf(Object.fromEntries(phrases.split("|").map((one) => [one, true as const])));

/** A whole number of up to four digits. */
export const numeral: Parser<number> = (tokens, at) => {
  const word = tokens[at]?.word ?? "";
  return /^[0-9]{1,4}$/.test(word) ? { value: Number(word), next: at + 1 } : undefined;
};

export const map =
  <T, To>(parser: Parser<T>, to: (value: T) => To | undefined): Parser<To> =>
  (tokens, at) => {
    const found = parser(tokens, at);
    const value = found && to(found.value);
    return found && value !== undefined ? { value, next: found.next } : undefined;
  };

export const sequence =
  <A, B>(first: Parser<A>, second: Parser<B>): Parser<[A, B]> =>
  (tokens, at) => {
    const a = first(tokens, at);
    const b = a && second(tokens, a.next);
    return a && b && { value: [a.value, b.value], next: b.next };
  };

/** Two parsers in sequence, keeping only the second value. */
export const after = <T>(first: Parser<unknown>, second: Parser<T>): Parser<T> =>
  map(sequence(first, second), ([, value]) => value);

/** Two parsers in sequence, keeping only the first value. */
export const before = <T>(first: Parser<T>, second: Parser<unknown>): Parser<T> =>
  map(sequence(first, second), ([value]) => value);

/** An optional parser, with `absent` as its value if it does not match. */
export const optional =
  <T, None>(parser: Parser<T>, absent: None): Parser<T | None> =>
  (tokens, at) =>
    parser(tokens, at) ?? { value: absent, next: at };

/** The parser that reads furthest. */
export const longest =
  <T>(...parsers: Parser<T>[]): Parser<T> =>
  (tokens, at) => {
    let best: Parsed<T> | undefined;
    for (const parser of parsers) {
      const found = parser(tokens, at);
      if (found && found.next > (best?.next ?? at)) best = found;
    }
    return best;
  };

const SEPARATOR = phrase(", and|, und|, &|,|and|und|&|/|+");
const MOST = 12;

/** Memoizes a parser, so that each position of a text is read once. */
export function memoized<T>(parser: Parser<T>): Parser<T> {
  const texts = new WeakMap<readonly Token[], Map<number, Parsed<T> | undefined>>();
  return (tokens, at) => {
    const places = texts.get(tokens) ?? new Map<number, Parsed<T> | undefined>();
    texts.set(tokens, places);
    if (!places.has(at)) places.set(at, parser(tokens, at));
    return places.get(at);
  };
}

/** One or several: "a, b and c". */
export const listOf = <T>(one: Parser<T>): Parser<T[]> =>
  memoized((tokens, at) => {
    const first = one(tokens, at);
    if (!first) return undefined;
    const values = [first.value];
    const another = after(SEPARATOR, one);
    let { next } = first;
    while (values.length < MOST) {
      const found = another(tokens, next);
      if (!found) break;
      values.push(found.value);
      next = found.next;
    }
    return { value: values, next };
  });
