import { resolved } from "./dates.ts";
import { type Found, type Parser, type Token, tokensOf } from "./grammar.ts";
import { type Bounds, LANGUAGES, type Often } from "./phrases.ts";
import { readRule } from "./rule.ts";

/** What words of repetition say. */
export type Repetition = {
  /** An RRULE, as `readRule` writes it. */
  rule: string;
  from: "due" | "done";
  /** The first day, if the words name it ("starting 1 December"). */
  first?: string;
};

export type FoundRepetition = Repetition & {
  /** The time of the day, if the words name it ("every morning"). */
  daypart?: string;
  /** Where the words are in the text. */
  start: number;
  end: number;
};

const MAX_LENGTH = 200;
/** A topic has 500 characters. */
const MAX_READ = 2_000;
const MOST_BOUNDS = 3;

type Read = Found<Often & { bounds: Bounds }>;

/** Once each of what may follow the words that say how often. */
function boundsAfter(parser: Parser<Bounds>, tokens: readonly Token[], from: number): Found<Bounds> {
  let [value, next]: [Bounds, number] = [{}, from];
  for (let read = 0; read < MOST_BOUNDS; read += 1) {
    const found = parser(tokens, next);
    if (!found || Object.keys(found.value).some((name) => name in value)) break;
    value = { ...value, ...found.value };
    next = found.next;
  }
  return { value, next };
}

function readAt(tokens: readonly Token[], at: number): Read | undefined {
  const all = LANGUAGES.flatMap(({ often, bounds }): Read[] => {
    const found = often(tokens, at);
    if (!found) return [];
    const { value, next } = boundsAfter(bounds, tokens, found.next);
    return [{ value: { ...found.value, bounds: value }, next }];
  });
  return all.sort((a, b) => b.next - a.next)[0];
}

/** The repetition that was read; undefined if it is a rule that cannot be, such as one that never occurs. */
function repetitionOf({ value: { parts, bounds } }: Read, today: string): Repetition | undefined {
  const until = bounds.until && resolved(bounds.until, today);
  const first = bounds.first?.(today);
  const ends = { COUNT: bounds.count, UNTIL: until?.replaceAll("-", "") };
  const all = Object.entries({ ...parts, ...ends }).filter(([, value]) => value !== undefined);
  const read = readRule(all.map(([name, value]) => `${name}=${value}`).join(";"), { today });
  if ("problem" in read || (bounds.first && !first)) return undefined;
  return { rule: read.text, from: bounds.from ?? "due", ...(first && { first }) };
}

/**
 * The first words of a text, in English or German, that say that something repeats.
 *
 * @returns undefined if there are none in its first 2,000 characters, or none that are certain
 */
export function findRepetition(text: string, { today }: { today: string }): FoundRepetition | undefined {
  const tokens = tokensOf(text.slice(0, MAX_READ));
  for (let at = 0; at < tokens.length; at += 1) {
    const read = readAt(tokens, at);
    const found = read && repetitionOf(read, today);
    if (!found) continue;
    const { daypart } = read.value;
    const [start, end] = [tokens[at]?.start ?? 0, tokens[read.next - 1]?.end ?? 0];
    return { ...found, ...(daypart && { daypart }), start, end };
  }
  return undefined;
}

/**
 * The rule that a whole text says in words, in English or German: "every first Monday", "alle zwei Wochen".
 *
 * @param today the person's day, from which the next "3 May" is looked for
 * @returns undefined unless every word was understood
 */
export function ruleOfWords(text: string, { today }: { today: string }): Repetition | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const words = text.trim().replace(/\.$/, (dot) => (/\d\.$/.test(text.trim()) ? dot : ""));
  const tokens = tokensOf(words);
  const read = readAt(tokens, 0);
  if (!read || read.next < tokens.length || read.value.daypart) return undefined;
  return repetitionOf(read, today);
}
