import {
  ENGLISH_MONTHS,
  ENGLISH_WEEKDAYS,
  GERMAN_MONTHS,
  GERMAN_WEEKDAYS,
} from "../../contract/day-names.ts";
import { ANY_DAYPART } from "../../contract/repeat/time-phrase.ts";
import {
  addDays,
  DAY_PREPOSITIONS,
  type DayContext,
  type DayRule,
  isoWeekday,
  type MatchGroups,
} from "./day-steps.ts";
import { ENGLISH_DAYS, ENGLISH_WEEKDAY, englishWeekdayNumber } from "./english.ts";
import { GERMAN_DAYS, GERMAN_WEEKDAY, germanWeekdayNumber } from "./german.ts";
import { NUMBERED_NOUN, NUMERIC_DAYS } from "./numeric.ts";
import { blankOut, blankOutQuoted } from "./quoted.ts";
import { blankOutRelativeDays } from "./relative-days.ts";
import { findRepetitions } from "./repetition.ts";

// Days as people type them, in English and German: "fri", "in 2 weeks", "bis 15. Dezember", "3.12." (day before month). Pure
// calendar arithmetic on the person's day, so time zones and clock changes do not matter.

export type FoundDay = {
  day: string;
  /** The alternative day of ambiguous words: "next Friday". */
  other?: string;
  /** Whether the day is over and the words do not make it a deadline: "the email of yesterday". */
  isPast?: true;
  /** Range of the words in the text, including the preposition. */
  start: number;
  end: number;
};

/**
 * All letters and digits of texts in which those that no phrase has are replaced by one: with `\p{L}`, a browser takes four times
 * as long to compile the expressions.
 */
const [LETTER, DIGIT] = ["a-zäöüßø", "0-9½"];

const standIn = (character: string) => (text: string) => character.repeat(text.length);
const simplified = (lower: string) =>
  lower.replace(/(?![a-zäöüß])\p{L}/gu, standIn("ø")).replace(/(?!\d)\p{N}/gu, standIn("½"));

/** What must not follow a date: a letter, the rest of a number, or a possessive: "Monday's". */
const AFTER = `(?![${LETTER}${DIGIT}]|[.,/:–—-][${DIGIT}]|[.-]\\p{L}|['’]s(?!\\p{L}))`;
const BEFORE = `(?<![${LETTER}]-?|[${DIGIT}]|(?<!\\p{L})(?:since|seit|seit dem) )`;
const UNLED = "(?<![.,/+–-])";

const FULL_WEEKDAY = [...ENGLISH_WEEKDAYS, ...GERMAN_WEEKDAYS].join("|");
/** A weekday before a date: "Friday, 27 November", "Fr, den 27.11.". "Do" and "so" are also other words. */
const WEEKDAY = `${ENGLISH_WEEKDAY}|${GERMAN_WEEKDAY.replace("|do|", "|do(?=[.,])|").replace(/\|so$/, "|so(?=[.,])")}`;
const ARTICLE = "(?:(?:the|den|dem) )?";
/** A weekday after a date: "27 November, Friday", "27.11. (Fr)". */
const WEEKDAY_AFTER = `(?<on>${FULL_WEEKDAY}|(?<=\\()(?:${WEEKDAY})(?=\\)))\\)?`;

/** 1 is Monday; 0 if the name is unknown. */
export const numberOfWeekday = (name: string) => englishWeekdayNumber(name) || germanWeekdayNumber(name);

/** The blanked-out time after "Tues 1/12 9am" is as wide as this at least. */
const BLANK = "\\s{4}";
const BLANKED = new RegExp(`^${BLANK}`, "u");
/** After "Monday 1/2" without a preposition: "Monday 1/2 price pizza" names no date. */
const BLANK_OR_END = `(?=[\\s.!?]*$|[,;:.!?)](?:\\s|$)|${BLANK})`;

type Matcher = DayRule & { isBare: boolean; alone: RegExp; led: RegExp; inText: RegExp };

const spaced = (pattern: string) =>
  pattern.replaceAll(" ?", "\\s{0,16}").replaceAll(" ", "\\s{1,16}").replaceAll("\\p{L}", `[${LETTER}]`);

/** Compiles a rule for a whole text, after a preposition, and without one. */
function compileRule(rule: DayRule, pattern: string): Matcher {
  const lead = `(?<lead>${rule.lead ?? DAY_PREPOSITIONS}) `;
  const after = rule.suffix ? `(?=${rule.suffix}?${AFTER})` : AFTER;
  const ends = {
    "at the end": "(?=[\\s.!?]*$)",
    "after its weekday": BLANK_OR_END,
    anywhere: after,
    never: after,
  };
  const end = ends[rule.bare];
  return {
    ...rule,
    isBare: rule.bare === "after its weekday" ? pattern.startsWith("(?<on>") : rule.bare !== "never",
    alone: new RegExp(spaced(`^(?:${lead})?${pattern}$`), "u"),
    led: new RegExp(spaced(`${BEFORE}${lead}${pattern}${after}`), "gu"),
    inText: new RegExp(spaced(`${BEFORE}${UNLED}${pattern}${end}`), "gu"),
  };
}

const withWeekday = ({ isDate, patterns }: DayRule) =>
  isDate
    ? patterns.flatMap((pattern) => [
        `${ARTICLE}${pattern}`,
        `(?<on>${WEEKDAY})\\.?,? ${ARTICLE}${pattern}`,
        // "On 2 December. Monday …" is another sentence.
        `${ARTICLE}${pattern}(?<!\\p{L}{5}\\.),? \\(?${WEEKDAY_AFTER}`,
      ])
    : patterns;

const MATCHERS = [...ENGLISH_DAYS, ...GERMAN_DAYS, ...NUMERIC_DAYS].flatMap((rule) =>
  withWeekday(rule).map((pattern) => compileRule(rule, pattern)),
);

const BARE_MATCHERS = MATCHERS.filter(({ isBare }) => isBare);

const BEFORE_PREPOSITION = /before|^vor$/;

/** "Before Friday" is Thursday, unless Friday is today or over. */
const applyBefore = (day: string, lead: string | undefined, today: string) =>
  lead && BEFORE_PREPOSITION.test(lead) && day > today ? addDays(day, -1) : day;

/** The day and its alternative. A weekday named with a date must match it. */
function readMatch({ day, other }: DayRule, groups: MatchGroups, context: DayContext) {
  const found = day(groups, context);
  if (!found || (groups.on && numberOfWeekday(groups.on) !== isoWeekday(found))) return undefined;
  const also = other?.(groups, context);
  const led = (one: string) => applyBefore(one, groups.lead, context.today);
  return { day: led(found), ...(also && { other: led(also) }) };
}

const MAX_WORDS = 100;

/**
 * The day that a whole text names, in English or German: "last Friday", "in 2 weeks", "bis 15. Dezember".
 *
 * @param today the person's day, YYYY-MM-DD
 * @param options `isPast`: a weekday or a date without a year is the last one, instead of the next
 * @returns YYYY-MM-DD, or undefined if the text is not a day, or longer than 100 characters
 */
export function readDay(words: string, today: string, { isPast = false } = {}): string | undefined {
  const phrase = simplified(words.trim().toLowerCase().replace(/\s+/g, " "));
  if (phrase.length > MAX_WORDS) return undefined;
  for (const matcher of MATCHERS) {
    const match = matcher.alone.exec(phrase);
    const found = match && readMatch(matcher, match.groups ?? {}, { today, isPast });
    if (found) return found.day;
  }
  return undefined;
}

/** Prepositions that make a past day a due date. */
const DEADLINE = /due|by|until|till?|later|before|bis|fällig|spätestens/;

/** The day of contradictory words: "Mo, 1.12." if that is a Tuesday, "31 April", "29 Feb next year". */
const CONTRADICTION = "";

/** "Friday 24/7" names no date, but "Mon 1/12 9am" does. */
function isContradiction({ bare }: DayRule, { on, lead, year = "", month, date }: MatchGroups, rest: string) {
  if (on) return bare !== "after its weekday" || lead !== undefined || BLANKED.test(rest);
  return year.length > 2 || (month !== undefined && date !== undefined);
}

function findMatches(text: string, pattern: RegExp, rule: DayRule, today: string): FoundDay[] {
  return [...text.matchAll(pattern)].flatMap((match): FoundDay[] => {
    const groups: MatchGroups = match.groups ?? {};
    const found = readMatch(rule, groups, { today });
    const place = { start: match.index, end: match.index + match[0].length };
    if (!found)
      return isContradiction(rule, groups, text.slice(place.end)) ? [{ day: CONTRADICTION, ...place }] : [];
    const isPast = found.day < today && !DEADLINE.test(groups.lead ?? "");
    return [{ ...found, ...(isPast && { isPast }), ...place }];
  });
}

const withoutContradictions = (found: FoundDay[], wrong: FoundDay[]) =>
  found.filter(({ start, end }) => !wrong.some((one) => start < one.end && one.start < end));

/** The last match; of those with the same end, the longest. */
const lastMatch = (found: FoundDay[]) => found.sort((a, b) => b.end - a.end || a.start - b.start)[0];

/** What may be between a repetition and a day that is part of it: "monthly on the 15th", "jedes Jahr am 3.12.". */
const CONNECTING_WORDS = /^[\s,]*(?:(?:on|at|am|im|by|from|until|till|bis|ab) ?(?:the |dem |den )?)?$/u;

const MONTHS = [...ENGLISH_MONTHS, ...GERMAN_MONTHS];
const MONTH = [...MONTHS, ...new Set(MONTHS.map((name) => `${name.slice(0, 3)}\\.?`))].join("|");
const LONG_MONTH = MONTHS.filter((name) => name !== "may" && name !== "march").join("|");
const NUMBER = "\\d{1,2}(?:st|nd|rd|th|\\.)?";
const NUMBERED = `(?:${NUMBERED_NOUN}|exam|lecture|lektion|sprint|unit|(?:ü|ue)bung)`;
const NUMERIC = "\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}\\. ?\\d{1,2}\\.";
const DATE = `${NUMBER} (?:of )?(?:${MONTH})|(?:${MONTH}) ${NUMBER}|${NUMERIC}`;
const WHOLE = `(?<!\\p{L})(?:${WEEKDAY})|${GERMAN_MONTHS.join("|")}|(?<!\\p{L}|\\p{N})(?:${DATE})(?!\\p{L})`;
const NAMED = `${WHOLE}|\\d\\.`;
const NEAR = "(?<!\\p{L})(?:today|tomorrow|heute|(?:über)?morgen)";
const PART = `(?: ?(?:in the |am )?(?:${ANY_DAYPART})s?)?`;
const OR = "(?:(?:and|und)/)?(?:or|oder)|and|und|[&+]|vs\\.?|bzw\\.?|beziehungsweise";
const TO = "to|through|thru|until|till?|bis(?: zum)?";
/** No day of its own, but one of two in "Freitagnacht oder Samstagmorgen". */
const NIGHT = `(?<!\\p{L})(?:${GERMAN_WEEKDAYS.join("|")})nacht`;
const RANGE_BEFORE = new RegExp(
  spaced(
    `(?:${NAMED}|${NEAR})${PART} ?(?:[–—-]|/ ?|(?:${TO}) )$|\\d(?:[–—-]|\\.? to )$|(?:between|zwischen) (?:(?:${NAMED}) (?:and|und) )?$|` +
      `(?:${NIGHT}|(?<!\\p{L})(?:this|diese[nrs]?)(?: \\p{L}{3,9})?) (?:or|oder) $`,
  ),
  "u",
);
/** Before a day without a preposition: "3 Dec – 7 Dec", "Monday - Friday", but not "notes Monday - by Friday send" */
const DASH_BEFORE = new RegExp(
  spaced(
    `(?<!\\p{L}|\\p{N})(?:${FULL_WEEKDAY}|mon|tue|wed|thu|fri|${DATE}|tomorrow|(?:über)?morgen)${PART} ?[–—-] $`,
  ),
  "u",
);
const DASHED = new RegExp(spaced(`^(?:\\p{L}{4,9} )?(?:${WHOLE})`), "u");
/** Before a date that begins with its number: "3 and 4 December", "3 – 7.12.", but not "lecture 3 – 7 December" */
const NUMBER_BEFORE = new RegExp(
  spaced(
    `(?<!\\p{N}|(?<!\\p{L})${NUMBERED} )(?<first>\\d{1,2})(?:st|nd|rd|th|\\.)? ?(?:[–—-] ?|(?:${TO}|${OR}) )$`,
  ),
  "u",
);
const RANGE_AFTER = new RegExp(
  spaced(
    `${PART} ?(?:[–—-] ?|(?:${TO}) )(?:${NAMED}|\\d{1,2}\\.)| ?/ ?(?:${NAMED}|${NEAR}|(?:weekend|wochenende)(?!\\p{L}))|` +
      ` (?:or|oder) (?:the |das |die )?(?:weekend|wochenende|(?:day|week) after|woche da(?:rauf|nach)|(?:next|n(?:ä|ae)chste[ns]?) (?:week|month|year|woche|monat|jahr)|(?<=(?:${LONG_MONTH}) \\p{L}{2,4} )(?:${LONG_MONTH})(?!\\p{L}))|${PART} (?:or|oder) ${NIGHT}`,
  ),
  "uy",
);
/** After a date that ends with its number: "Dec 3 – 7", "by the 3rd or 4th", but not "Dec 3 - 5 pages" */
const NUMBER_AFTER = new RegExp(
  spaced(
    `^ ?(?:[–—-] ?|(?:${TO}|${OR}) )(?:\\d{1,2}[./] ?)?${NUMBER}(?=[\\s.!?]*$|[,;)\\0]| (?:of|at|in|with|for|um|im|mit|${MONTH})(?!\\p{L}))`,
  ),
  "u",
);
const BEGINS_RANGE = new RegExp(spaced(`(?:${NAMED}|${NEAR})${PART} $`), "u");
const MAYBE =
  "(?:maybe|perhaps|possibly|else|even|early|vielleicht|evtl\\.?|eventuell|doch|erst|sonst|notfalls) ";
/**
 * Between two days of which a record has one: "Monday or Tuesday", "am Montag um 9 oder am Dienstag", "Friday, maybe Saturday",
 * "lunch Friday or dinner Saturday".
 */
const ALTERNATIVE = new RegExp(
  `^${PART}[\\s,\\0]{0,16}(?:(?:at|um) )?(?:\\d{1,2}(?:[:.]\\d\\d)?\\s?(?:am|pm|uhr|h)?)?[\\s,(]{0,24}` +
    `(?:(?:${OR})\\s{1,8}(?:${MAYBE})?|(?:or|oder)\\s{1,8}(?:\\p{L}{2,16}\\s{1,8}){1,2}|(?<=[,(]\\s{0,8})${MAYBE})$`,
  "u",
);
const COMMA = /^\s{0,16},\s{0,8}$/u;
const ONLY_WEEKDAY = new RegExp(`^(?:${FULL_WEEKDAY})$`, "u");

/** "The first Monday in January" is another day. */
const RANGE_START = new RegExp(spaced(`^(?:${TO}|in|im) `), "u");
const NEARBY = 32;

/** Whether the day is part of a range: "Monday to Friday", "5. bis 7. Dezember". `isLed`: it has a preposition. */
function isPartOfRange(text: string, { start, end }: FoundDay, isLed: boolean): boolean {
  const [before, words] = [text.slice(Math.max(0, start - NEARBY), start), text.slice(start, end)];
  const after = text.slice(end, end + NEARBY);
  RANGE_AFTER.lastIndex = end;
  if (RANGE_BEFORE.test(before) || RANGE_AFTER.test(text)) return true;
  if (!isLed && DASHED.test(words) && DASH_BEFORE.test(before)) return true;
  const first = NUMBER_BEFORE.exec(before)?.groups?.first;
  const last = /^(?:the |de[mn] )?(\d{1,2})(?!\d)/.exec(words)?.[1];
  if (first && last && Number(first) < Number(last)) return true;
  if (/\d(?:st|nd|rd|th|\.)?$/.test(words) && NUMBER_AFTER.test(after)) return true;
  return RANGE_START.test(words) && BEGINS_RANGE.test(before);
}

/** "3-7 December", "Mon-Fri", "Mon or Tue": no day is found there. */
const JOINED = new RegExp(
  spaced(
    `(?:${WHOLE})[–—/-](?:${WHOLE}|\\d{1,2}(?!\\p{N}))|(?<!\\p{N})${NUMBER}[–—/-](?:${DATE})(?!\\p{L})|(?<!\\p{L})(?:${WEEKDAY}) (?:${OR}) (?:${WEEKDAY})(?!\\p{L})`,
  ),
  "u",
);

/** Whether there are such days in the clause of the hour, which is blanked out: not in "open Mon-Fri, call at 9". */
const hasJoined = (text: string) =>
  text.split(/[,;] (?=[a-zäöüß])/u).some((clause) => clause.includes("    ") && JOINED.test(clause));

/** "Monday, Tuesday or Wednesday": the days of which a record has one. */
function alternativesAmong(days: FoundDay[], text: string): FoundDay[] {
  const found = new Set<FoundDay>();
  // "By Friday, Monday is a holiday" names Friday.
  const isLed = ({ start, end }: FoundDay) => days.some((led) => led.end === end && led.start < start);
  const isWeekday = (day: FoundDay) => ONLY_WEEKDAY.test(text.slice(day.start, day.end)) && !isLed(day);
  const isListed = (one: FoundDay, next: FoundDay) => found.has(next) || (isWeekday(one) && isWeekday(next));
  for (const one of days.toSorted((a, b) => b.start - a.start))
    for (const next of days) {
      if (next.day === one.day || next.start <= one.end || next.start > one.end + 2 * NEARBY) continue;
      const words = text.slice(one.end, next.start);
      if (ALTERNATIVE.test(words) || (COMMA.test(words) && isListed(one, next))) found.add(one).add(next);
    }
  return [...found];
}

/** Not in "report of 3 December, discuss next year" */
const DATE_BEFORE = new RegExp(
  spaced(`(?<!\\p{L}|\\p{N}|(?<!\\p{L})(?:of|from|vom|von) )(?:${DATE}), ?$`),
  "u",
);
const NEXT_YEAR = /^(?:im\s+)?(?:next\s+year|(?:n(?:ä|ae)chste|kommende)[ns]\s+jahr)$/u;

/** "Pay 3 May, next year too" is due on 3 May. */
const followsDate = (text: string, { start, end }: FoundDay): boolean =>
  NEXT_YEAR.test(text.slice(start, end)) && DATE_BEFORE.test(text.slice(Math.max(0, start - NEARBY), start));

/** Characters that are read; a topic has at most 500. */
export const MAX_READ_LENGTH = 2_000;

/** The day that a sentence names, if any. `isDoubtful`: it seems to name one, but none is certain. */
export type NamedDay = { day?: FoundDay | undefined; isDoubtful?: boolean };

/**
 * Finds the day that a sentence names: the last one after a preposition such as "by", "until" or "on", or else the last one
 * that is unambiguous; a past day only if there is no other. Links, quotations, repetitions and anything after 2,000
 * characters are ignored. Days relative to another day, days on another weekday than stated, and one of several are doubtful.
 */
export function findNamedDay(sentence: string, today: string): NamedDay {
  const text = sentence.slice(0, MAX_READ_LENGTH);
  const own = blankOutQuoted(text.toLowerCase());
  const lower = blankOutRelativeDays(own);
  if (lower.length !== text.length) return {};
  const repeated = findRepetitions(lower);
  const readable = repeated.reduce(
    (rest, { start, end }) => rest.slice(0, start) + blankOut(rest.slice(start, end)) + rest.slice(end),
    simplified(lower),
  );
  const isOfARepetition = ({ start }: FoundDay) =>
    repeated.some(({ end }) => end <= start && CONNECTING_WORDS.test(readable.slice(end, start)));
  const found = (rules: Matcher[], pattern: "led" | "inText") =>
    rules
      .flatMap((rule) => findMatches(readable, rule[pattern], rule, today))
      .filter((day) => !isOfARepetition(day));
  const all = [found(MATCHERS, "led"), found(BARE_MATCHERS, "inText")];
  const ranges = all.flatMap((days, at) => days.filter((day) => isPartOfRange(readable, day, at === 0)));
  const past = all.flat().filter(({ isPast }) => isPast);
  const isIn = (day: FoundDay, whole: FoundDay) => whole.start <= day.start && day.end <= whole.end;
  // "Am 3." is part of "am 3. Dezember letzten Jahres".
  const isPartOf = (day: FoundDay) =>
    ranges.some((range) => isIn(day, range)) || past.some((one) => isIn(day, one) && !isIn(one, day));
  const both = all.map((days) => days.filter((day) => !isPartOf(day) && !followsDate(readable, day)));
  const wrong = [
    ...both.flat().filter(({ day }) => day === CONTRADICTION),
    ...alternativesAmong(all.flat(), readable),
  ];
  const isDoubtful = lower !== own || wrong.length + ranges.length > 0 || hasJoined(readable);
  const [led = [], bare = []] = both.map((days) => withoutContradictions(days, wrong));
  const ahead = (days: FoundDay[]) => lastMatch(days.filter(({ isPast }) => !isPast));
  const [one, other] = [ahead(led), ahead(bare)];
  // In "a week from Friday", "from Friday" is part of a longer phrase.
  const isPart = one && other && other.start < one.start && other.end === one.end;
  const day = (isPart ? other : one) ?? other ?? lastMatch([...led, ...bare]);
  return { day, isDoubtful: !day && isDoubtful };
}

/** The day that a sentence names, if one is certain. */
export const findDay = (sentence: string, today: string): FoundDay | undefined =>
  findNamedDay(sentence, today).day;
