import { addDays, addMonths, civilDay, weekdayOf } from "./dates.ts";
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

type Groups = Record<string, string | undefined>;
type Rule = {
  patterns: string[];
  /** Where in a sentence it needs no preposition: "may" and "3/4" are rarely dates. */
  bare: "anywhere" | "at the end" | "never";
  /** The prepositions that make a date of it: "for 2 weeks" is none. */
  lead?: string;
  day: (groups: Groups, today: string) => string | undefined;
};

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const SHORT_WEEKDAYS = "mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun";
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const NUMBERS = [
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];
const COUNT = `(?<count>\\d{1,4}|an?|a couple of|${NUMBERS.join("|")})`;
const UNIT = "(?<unit>days?|weeks?|fortnights?|months?|years?)";
const DATE = "(?<date>\\d{1,2})";
const ORDINAL = "(?<date>\\d{1,2})(?:st|nd|rd|th)";
const YEAR = "(?<year>\\d{4}|\\d{2})";
/** What may follow a date: no letter, and no number that goes on. */
const AFTER = "(?![\\p{L}\\p{N}]|[.,/:-]\\p{N})";

const monthOf = (name = "") => MONTHS.indexOf(name.slice(0, 3)) + 1;
const weekdayNumber = (name = "") =>
  WEEKDAYS.findIndex((weekday) => weekday.startsWith(name.slice(0, 3))) + 1;
const mondayOf = (day: string) => addDays(day, 1 - weekdayOf(day));
const firstOf = (day: string) => `${day.slice(0, 8)}01`;
const lastOf = (day: string) => addDays(addMonths(firstOf(day), 1), -1);

function countOf(word = ""): number {
  if (/^\d/.test(word)) return Number(word);
  if (word === "a couple of") return 2;
  return word.startsWith("a") ? 1 : NUMBERS.indexOf(word) + 1;
}

function later(count: number, unit: string, today: string): string | undefined {
  const days = { d: 1, w: 7, f: 14 }[unit.charAt(0)];
  const months = unit.startsWith("y") ? 12 : 1;
  const day = days ? addDays(today, count * days) : addMonths(today, count * months);
  return /^\d{4}-/.test(day) ? day : undefined;
}

/** The day of that month and date: in a year, or the next time that it comes, today included. */
function dated(month: number, date: number, year: string | undefined, today: string): string | undefined {
  if (year) return civilDay(year.length === 2 ? 2000 + Number(year) : Number(year), month, date);
  const thisYear = Number(today.slice(0, 4));
  // 29 February may be eight years away, around a century that has none.
  for (let next = thisYear; next <= thisYear + 8; next += 1) {
    const day = civilDay(next, month, date);
    if (day && day >= today) return day;
  }
  return undefined;
}

/** The next such day of a month, today included: "the 31st". */
function nextDate(date: number, today: string): string | undefined {
  for (let months = 0; months <= 2; months += 1) {
    const [year, month] = addMonths(firstOf(today), months).split("-").map(Number);
    const day = civilDay(year ?? 0, month ?? 0, date);
    if (day && day >= today) return day;
  }
  return undefined;
}

function weekday({ which, weekday: name }: Groups, today: string): string {
  const number = weekdayNumber(name);
  const inThisWeek = addDays(mondayOf(today), number - 1);
  if (which === "next") return addDays(inThisWeek, 7);
  if (which === "this" && inThisWeek >= today) return inThisWeek;
  return inThisWeek > today ? inThisWeek : addDays(inThisWeek, 7);
}

function nextStart(unit: string | undefined, today: string): string {
  if (unit === "week") return addDays(mondayOf(today), 7);
  return unit === "month" ? addMonths(firstOf(today), 1) : `${Number(today.slice(0, 4)) + 1}-01-01`;
}

/** The last working day of a week, the last day of a month or a year. */
function endOf(unit: string | undefined, today: string): string {
  if (unit === "month" || unit === "m") return lastOf(today);
  if (unit === "year" || unit === "y") return `${today.slice(0, 4)}-12-31`;
  const friday = addDays(mondayOf(today), 4);
  return friday >= today ? friday : addDays(friday, 7);
}

const ofMonth = ({ month, date, year }: Groups, today: string) =>
  dated(monthOf(month), Number(date), year, today);

/** Day first; month first only where nothing else is possible, as in 12/25. */
const slashed = ({ first, second, year }: Groups, today: string) =>
  dated(Number(second), Number(first), year, today) ?? dated(Number(first), Number(second), year, today);

const dotted = ({ date, second, year }: Groups, today: string) =>
  dated(Number(second), Number(date), year, today);

const ANY_DAY = "due by|due on|due|no later than|by|until|till?|on|for|before|from";
const DEADLINE = "due by|due on|due|no later than|by|until|till?|before";

const RULES: Rule[] = [
  { patterns: ["(?<year>\\d{4})-(?<second>\\d{1,2})-(?<date>\\d{1,2})"], bare: "anywhere", day: dotted },
  {
    patterns: [`${DATE}\\.\\s?(?<second>\\d{1,2})\\.\\s?${YEAR}`, `${DATE}\\.\\s?(?<second>\\d{1,2})\\.`],
    bare: "anywhere",
    day: dotted,
  },
  { patterns: [`${DATE}\\.(?<second>\\d{1,2})`], bare: "never", lead: `${DEADLINE}|on`, day: dotted },
  { patterns: [`(?<first>\\d{1,2})[/-](?<second>\\d{1,2})[/-]${YEAR}`], bare: "anywhere", day: slashed },
  {
    patterns: ["(?<first>\\d{1,2})/(?<second>\\d{1,2})"],
    bare: "never",
    lead: `${DEADLINE}|on`,
    day: slashed,
  },
  {
    patterns: [
      `(?<date>\\d{1,2})(?:st|nd|rd|th|\\.)? (?:of )?${MONTH}(?:,? (?<year>\\d{4}))?`,
      `${MONTH} (?<date>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?`,
    ],
    bare: "anywhere",
    day: ofMonth,
  },
  {
    patterns: [`(?:the )?${ORDINAL}`],
    bare: "never",
    lead: DEADLINE,
    day: ({ date }, today) => nextDate(Number(date), today),
  },
  {
    patterns: [`${MONTH}(?: (?<year>\\d{4}))?`],
    bare: "never",
    lead: `${DEADLINE}|in|from`,
    day: ({ month, year }, today) => dated(monthOf(month), 1, year, today),
  },
  { patterns: ["(?:the )?day after tomorrow"], bare: "anywhere", day: (_, today) => addDays(today, 2) },
  { patterns: ["tomorrow", "tmrw?", "tmw"], bare: "anywhere", day: (_, today) => addDays(today, 1) },
  { patterns: ["today", "tonight"], bare: "anywhere", day: (_, today) => today },
  { patterns: ["yesterday"], bare: "never", day: (_, today) => addDays(today, -1) },
  {
    patterns: [`in ${COUNT} ${UNIT}`, `${COUNT} ${UNIT} from (?:now|today)`],
    bare: "anywhere",
    day: ({ count, unit = "" }, today) => later(countOf(count), unit, today),
  },
  {
    patterns: [`${COUNT} ${UNIT}`, "(?:in )?(?<count>\\d{1,4}) ?(?<unit>[dwmy])"],
    bare: "never",
    lead: "within|due in",
    day: ({ count, unit = "" }, today) => later(countOf(count), unit, today),
  },
  {
    patterns: [
      `(?:(?<which>this|next|coming) )?(?<weekday>${WEEKDAYS.join("|")})`,
      `(?<which>this|next|coming) (?<weekday>${SHORT_WEEKDAYS})`,
    ],
    bare: "anywhere",
    day: weekday,
  },
  { patterns: [`(?<weekday>${SHORT_WEEKDAYS})`], bare: "at the end", day: weekday },
  {
    patterns: ["next (?<unit>week|month|year)"],
    bare: "anywhere",
    day: ({ unit }, today) => nextStart(unit, today),
  },
  {
    patterns: ["(?:at )?(?:the )?end of (?:the |this )?(?<unit>week|month|year)", "eo(?<unit>[wmy])"],
    bare: "at the end",
    day: ({ unit }, today) => endOf(unit, today),
  },
  {
    patterns: ["(?:(?:this|the) )?weekend"],
    bare: "at the end",
    day: (_, today) => weekday({ which: "this", weekday: "saturday" }, today),
  },
];

type Matcher = Rule & { alone: RegExp; led: RegExp; inText: RegExp };

/** The rule as regular expressions: for a whole text, after a preposition, and without one. */
function matcherOf(rule: Rule, pattern: string): Matcher {
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

const MATCHERS = RULES.flatMap((rule) => rule.patterns.map((pattern) => matcherOf(rule, pattern)));

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

function matchesOf(text: string, pattern: RegExp, { day }: Rule, today: string): FoundDay[] {
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
