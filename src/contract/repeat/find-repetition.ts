import { type Parsed, type Parser, type Token, tokenize } from "./parsers.ts";
import { REPETITION_PARSERS, type RepetitionBounds, type RepetitionPhrase } from "./phrases.ts";
import { readRule } from "./rule.ts";

export type Repetition = {
  /** An RRULE, as `readRule` writes it. */
  rule: string;
  from: "due" | "done";
  /** The first day, if named ("starting 1 December"). */
  first?: string;
};

export type FoundRepetition = Repetition & {
  /** The part of the day, if named ("every morning"). */
  daypart?: string;
  /** Range of the words in the text. */
  start: number;
  end: number;
};

const MAX_LENGTH = 200;
/** A topic has 500 characters. */
const MAX_READ = 2_000;
const MAX_BOUNDS = 3;

type ReadPhrase = Parsed<RepetitionPhrase & { bounds: RepetitionBounds }>;

/** The bounds after a phrase. A day that does not exist is none, such as "Friday 12 December" on a Saturday. */
function readBounds(
  parser: Parser<RepetitionBounds>,
  tokens: readonly Token[],
  { from, today }: { from: number; today: string },
): Parsed<RepetitionBounds> {
  let [value, next]: [RepetitionBounds, number] = [{}, from];
  for (let read = 0; read < MAX_BOUNDS; read += 1) {
    const found = parser(tokens, next);
    if (!found || Object.keys(found.value).some((name) => name in value)) break;
    const dayOf = found.value.first ?? found.value.until;
    if (dayOf && !dayOf(today)) break;
    value = { ...value, ...found.value };
    next = found.next;
  }
  return { value, next };
}

function readPhraseAt(tokens: readonly Token[], at: number, today: string): ReadPhrase | undefined {
  const all = REPETITION_PARSERS.flatMap(({ often, bounds }): ReadPhrase[] => {
    const found = often(tokens, at);
    if (!found) return [];
    const { value, next } = readBounds(bounds, tokens, { from: found.next, today });
    return [{ value: { ...found.value, bounds: value }, next }];
  });
  return all.sort((a, b) => b.next - a.next)[0];
}

/** The repetition that was read; undefined if its rule is invalid, for example because it never occurs. */
function toRepetition({ value: { parts, bounds } }: ReadPhrase, today: string): Repetition | undefined {
  const until = bounds.until?.(today);
  const first = bounds.first?.(today);
  const ends = { COUNT: bounds.count, UNTIL: until?.replaceAll("-", "") };
  const all = Object.entries({ ...parts, ...ends }).filter(([, value]) => value !== undefined);
  const read = readRule(all.map(([name, value]) => `${name}=${value}`).join(";"), { today });
  if ("problem" in read) return undefined;
  return { rule: read.text, from: bounds.from ?? "due", ...(first && { first }) };
}

/** After a phrase that is only the beginning of a longer word: "mondays.example.com", "weekly-report". */
const CONTINUES = /^[.-]\p{L}/u;

/**
 * The first phrase of repetition in a text, in English or German.
 *
 * @returns undefined if the first 2,000 characters contain none that is certain
 */
export function findRepetition(text: string, { today }: { today: string }): FoundRepetition | undefined {
  const tokens = tokenize(text.slice(0, MAX_READ));
  for (let at = 0; at < tokens.length; at += 1) {
    const read = readPhraseAt(tokens, at, today);
    const found = read && toRepetition(read, today);
    if (!found) continue;
    const { daypart } = read.value;
    const [start, end] = [tokens[at]?.start ?? 0, tokens[read.next - 1]?.end ?? 0];
    if (CONTINUES.test(text.slice(end, end + 3))) continue;
    return { ...found, ...(daypart && { daypart }), start, end };
  }
  return undefined;
}

/**
 * Reads a whole text as a repetition, in English or German: "every first Monday", "alle zwei Wochen".
 *
 * @param today the person's day, for dates without a year
 * @returns undefined unless every word was understood
 */
export function readRepetition(text: string, { today }: { today: string }): Repetition | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const words = text.trim().replace(/\.$/, (dot) => (/\d\.$/.test(text.trim()) ? dot : ""));
  const tokens = tokenize(words);
  const read = readPhraseAt(tokens, 0, today);
  if (!read || read.next < tokens.length || read.value.daypart) return undefined;
  return toRepetition(read, today);
}
