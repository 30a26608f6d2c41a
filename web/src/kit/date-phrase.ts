import { addDays } from "./dates.ts";
import { ENGLISH_DAYS } from "./day-rules.ts";
import { GERMAN_DAYS } from "./day-rules-de.ts";
import { ANY_DAY, type DayRule, type Groups } from "./day-steps.ts";
import { taken, withoutQuoted } from "./quoted.ts";
import { repetitionsIn } from "./repetition.ts";

// Days as people type them: "fri", "in 2 weeks", "3.12.", "next month". The day comes before the month. Pure calendar
// arithmetic on the day that it is for the person, so that no time zone and no change of the clocks is involved.

export type FoundDay = {
  day: string;
  /** Where the words are in the text, with the preposition. */
  start: number;
  end: number;
};

/** What may follow a date: no letter, and no number that goes on. */
const AFTER = "(?![\\p{L}\\p{N}]|[.,/:-]\\p{N})";

type Matcher = DayRule & { alone: RegExp; led: RegExp; inText: RegExp };

/** The rule as regular expressions: for a whole text, after a preposition, and without one. */
function matcherOf(rule: DayRule, pattern: string): Matcher {
  const spaced = pattern.replaceAll(" ", "\\s+").replaceAll("\\s+?", "\\s*");
  const lead = `(?<lead>${rule.lead ?? ANY_DAY})\\s+`.replaceAll(" ", "\\s+");
  const end = rule.bare === "at the end" ? "(?=[\\s.!?]*$)" : AFTER;
  return {
    ...rule,
    alone: new RegExp(`^(?:${lead})?${spaced}$`, "u"),
    led: new RegExp(`(?<![\\p{L}\\p{N}])${lead}${spaced}${AFTER}`, "gu"),
    inText: new RegExp(`(?<![\\p{L}\\p{N}.,/+-])${spaced}${end}`, "gu"),
  };
}

const MATCHERS = [...ENGLISH_DAYS, ...GERMAN_DAYS].flatMap((rule) =>
  rule.patterns.map((pattern) => matcherOf(rule, pattern)),
);

/** "Before Friday" is Thursday, unless that is over. */
const ledDay = (day: string | undefined, lead: string | undefined, today: string) =>
  day && lead?.includes("before") && day > today ? addDays(day, -1) : day;

/**
 * The day that a whole text names.
 *
 * @param today the person's day
 * @returns YYYY-MM-DD, or undefined if the text names no day
 */
export function dayOfPhrase(text: string, today: string): string | undefined {
  const phrase = text.trim().toLowerCase().replace(/\s+/g, " ");
  for (const { alone, day } of MATCHERS) {
    const match = alone.exec(phrase);
    const groups: Groups = match?.groups ?? {};
    const found = match && ledDay(day(groups, today), groups.lead, today);
    if (found) return found;
  }
  return undefined;
}

function matchesOf(text: string, pattern: RegExp, { day }: DayRule, today: string): FoundDay[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const groups: Groups = match.groups ?? {};
    const found = ledDay(day(groups, today), groups.lead, today);
    return found ? [{ day: found, start: match.index, end: match.index + match[0].length }] : [];
  });
}

/** The last one; of those that end together the longest. */
const lastOne = (found: FoundDay[]) => found.sort((a, b) => b.end - a.end || a.start - b.start)[0];

/** What may be between a repetition and a day that belongs to it: "monthly on the 15th", "jedes Jahr am 3.12.". */
const JOINED = /^[\s,]*(?:(?:on|at|am|im|by|from|until|till|bis|ab) ?(?:the |dem |den )?)?$/u;

/**
 * The day that a sentence names for itself: the last one after "by", "until", "on" and the like, or else the last one
 * that can hardly be anything else. What is in a link, in quotation marks, or says how often something repeats names none.
 */
export function findDay(text: string, today: string): FoundDay | undefined {
  const lower = withoutQuoted(text.toLowerCase());
  if (lower.length !== text.length) return undefined;
  const repeated = repetitionsIn(lower);
  const readable = repeated.reduce(
    (rest, { start, end }) => rest.slice(0, start) + taken(rest.slice(start, end)) + rest.slice(end),
    lower,
  );
  const isOfARepetition = ({ start }: FoundDay) =>
    repeated.some(({ end }) => end <= start && JOINED.test(readable.slice(end, start)));
  const found = (rules: Matcher[], pattern: "led" | "inText") =>
    lastOne(
      rules
        .flatMap((rule) => matchesOf(readable, rule[pattern], rule, today))
        .filter((day) => !isOfARepetition(day)),
    );
  return (
    found(MATCHERS, "led") ??
    found(
      MATCHERS.filter(({ bare }) => bare !== "never"),
      "inText",
    )
  );
}
