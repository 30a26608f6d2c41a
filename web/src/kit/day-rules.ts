import { ENGLISH_MONTHS as MONTHS, ENGLISH_WEEKDAYS as WEEKDAYS } from "../../../src/contract/day-names.ts";
import { ANY_NUMBER_WORD, numberOf } from "../../../src/contract/repeat/number-words.ts";
import { addDays } from "./dates.ts";
import {
  ANY_DAY,
  type DayRule,
  dated,
  endOf,
  GERMAN_LEADS,
  type Groups,
  later,
  nextDate,
  nextStart,
  weekdayDay,
} from "./day-steps.ts";

// How English names days, and what is written with numbers alone. The day comes before the month.

const SHORT_WEEKDAYS = "mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun";
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const COUNT = `(?<count>\\d{1,4}|a couple of|${ANY_NUMBER_WORD})`;
const UNIT = "(?<unit>days?|weeks?|fortnights?|months?|years?)";
const DATE = "(?<date>\\d{1,2})";
const ORDINAL = "(?<date>\\d{1,2})(?:st|nd|rd|th)";
const YEAR = "(?<year>\\d{4}|\\d{2})";

const monthOf = (name = "") => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1;
const weekdayNumber = (name = "") =>
  WEEKDAYS.findIndex((weekday) => weekday.startsWith(name.slice(0, 3))) + 1;
const countOf = (word = "") => (word === "a couple of" ? 2 : numberOf(word));

const weekday = ({ which, weekday: name }: Groups, today: string) =>
  weekdayDay(weekdayNumber(name), which, today);

const ofMonth = ({ month, date, year }: Groups, today: string) =>
  dated(monthOf(month), Number(date), year, today);

/** Day first; month first only where nothing else is possible, as in 12/25. */
const slashed = ({ first, second, year }: Groups, today: string) =>
  dated(Number(second), Number(first), year, today) ?? dated(Number(first), Number(second), year, today);

const dotted = ({ date, second, year }: Groups, today: string) =>
  dated(Number(second), Number(date), year, today);

const NUMBERED = `${ANY_DAY}|${GERMAN_LEADS}`;
const DEADLINE = "due by|due on|due|no later than|by|until|till?|before";

export const ENGLISH_DAYS: DayRule[] = [
  {
    patterns: ["(?<year>\\d{4})-(?<second>\\d{1,2})-(?<date>\\d{1,2})"],
    bare: "anywhere",
    lead: NUMBERED,
    day: dotted,
  },
  {
    patterns: [`${DATE}\\.\\s?(?<second>\\d{1,2})\\.\\s?${YEAR}`, `${DATE}\\.\\s?(?<second>\\d{1,2})\\.`],
    bare: "anywhere",
    lead: NUMBERED,
    day: dotted,
  },
  {
    patterns: [`${DATE}\\.(?<second>\\d{1,2})`],
    bare: "never",
    lead: `${DEADLINE}|on|am|bis|zum`,
    day: dotted,
  },
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
