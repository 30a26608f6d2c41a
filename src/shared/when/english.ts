import { ENGLISH_MONTHS as MONTHS, ENGLISH_WEEKDAYS as WEEKDAYS } from "../../contract/day-names.ts";
import { ANY_NUMBER_WORD, parseNumberWord } from "../../contract/repeat/number-words.ts";
import {
  addDays,
  addUnits,
  type DayContext,
  type DayRule,
  edgeOfMonth,
  endOfUnit,
  type MatchGroups,
  nextDate,
  otherNextWeekday,
  resolveMonthDate,
  resolveWeekday,
  startOfNextUnit,
  type WeekdayChoice,
} from "./day-steps.ts";

const SHORT_WEEKDAYS = "mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun";
export const ENGLISH_WEEKDAY = `${WEEKDAYS.join("|")}|${SHORT_WEEKDAYS}`;
const ANY_WHICH = "this|next|coming|last|past|previous";
/** "Black Friday", "the Friday report", the first Monday of a month. */
const NO_NAME = `(?<!(?<!\\p{L})(?:${ANY_WHICH}|black|good|easter|palm|cyber|super|ash|fat|whit|maundy|shrove|holy|giving|pancake|the|first|second|third|fourth|fifth|\\d(?:st|nd|rd|th)|other|every|each) )`;
/** "The last Friday of the month", "Friday the 13th" */
const NO_MORE = `(?!,? (?:(?:of|in) (?:the month|each|every|${MONTHS.join("|")})(?!\\p{L})|(?:the )?\\d{1,2}(?:st|nd|rd|th)))`;
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const COUNT = `(?<count>\\d{1,4}|a couple of|${ANY_NUMBER_WORD})`;
const UNIT = "(?<unit>days?|weeks?|fortnights?|months?|years?)";
const ORDINAL = "(?<date>\\d{1,2})(?:st|nd|rd|th)";

/** "3 may fail" is not 3 May. */
const NO_VERB =
  "(?<!may(?= (?:also|apply|be|become|bring|change|come|do|fail|get|go|have|help|join|leave|need|not|occur|only|still|take|use|want|well)(?!\\p{L})))";
/** "March 3 miles", "Jan 5 Euro" */
const NO_AMOUNT =
  "(?! ?(?:€|\\$|%|euros?|eur|dollars?|miles?|km|kg|people|persons?|times|leute|mal)(?!\\p{L}))";

/** "By the 2nd attempt", "before the 3rd Monday" */
const NO_PLACE = `(?! (?:day|week|month|quarter|year|time|attempt|try|round|meeting|floor|street|avenue|grade|page|draft|version|chapter|birthday|anniversary|${WEEKDAYS.join("|")})(?!\\p{L}))`;

export const DEADLINE_PREPOSITIONS = "due by|due on|due:?|no later than|by|until|till?|before";

const monthOf = (name = "") => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1;
export const englishWeekdayNumber = (name = "") =>
  WEEKDAYS.findIndex((weekday) => weekday.startsWith(name.slice(0, 3))) + 1;
const countOf = (word = "") => (word === "a couple of" ? 2 : parseNumberWord(word));

const WHICH: Record<string, WeekdayChoice> = {
  this: "this",
  next: "next",
  last: "last",
  past: "last",
  previous: "last",
};
const whichOf = (word = "") => WHICH[word];

const weekday = ({ which, weekday: name }: MatchGroups, place: DayContext) =>
  resolveWeekday(englishWeekdayNumber(name), whichOf(which), place);

const other = ({ which, weekday: name }: MatchGroups, place: DayContext) =>
  which === "next" ? otherNextWeekday(englishWeekdayNumber(name), place) : undefined;

const monthDate = ({ month, date, year }: MatchGroups, place: DayContext) =>
  resolveMonthDate(monthOf(month), Number(date), year, place);

const SATURDAY = 6;

function referenceDay({ near, weekday: name }: MatchGroups, today: string): string {
  if (near) return near === "tomorrow" ? addDays(today, 1) : today;
  return resolveWeekday(englishWeekdayNumber(name), undefined, { today });
}

export const ENGLISH_DAYS: DayRule[] = [
  {
    patterns: [
      `(?<date>\\d{1,2})(?:st|nd|rd|th|\\.)? (?:of )?${MONTH}${NO_VERB}(?:,? (?<year>\\d{4}))?`,
      `${MONTH} (?:the )?(?<date>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?${NO_AMOUNT}`,
    ],
    bare: "anywhere",
    isDate: true,
    day: monthDate,
  },
  {
    patterns: [`${ORDINAL}${NO_PLACE}`],
    bare: "never",
    lead: DEADLINE_PREPOSITIONS,
    isDate: true,
    day: ({ date }, place) => nextDate(Number(date), place),
  },
  {
    // "On the 2nd floor" is not a day.
    patterns: [`${ORDINAL}(?=[ .!?]*$| ?[,;\\0])`],
    bare: "never",
    lead: "on",
    isDate: true,
    day: ({ date }, place) => nextDate(Number(date), place),
  },
  {
    patterns: [`${MONTH}(?: (?<year>\\d{4}))?(?! ?\\d)`],
    bare: "never",
    lead: `${DEADLINE_PREPOSITIONS}|in|from`,
    day: ({ month, year }, place) => edgeOfMonth(monthOf(month), year, place),
  },
  { patterns: ["(?:the )?day after tomorrow"], bare: "anywhere", day: (_, { today }) => addDays(today, 2) },
  {
    patterns: ["(?<!(?<!\\p{L})of )tomorrow", "tmrw?", "tmw"],
    bare: "anywhere",
    day: (_, { today }) => addDays(today, 1),
  },
  {
    patterns: ["(?<!usa )today", "tonight", "this(?= (?:afternoon|evening))"],
    bare: "anywhere",
    day: (_, { today }) => today,
  },
  {
    patterns: ["(?:the )?day before yesterday"],
    bare: "anywhere",
    day: (_, { today }) => addDays(today, -2),
  },
  {
    // "The day before yesterday" is another day.
    patterns: ["(?<!before )yesterday"],
    bare: "anywhere",
    lead: "due by|due on|due|by|until|till?|on|for|from",
    day: (_, { today }) => addDays(today, -1),
  },
  {
    patterns: [`in ${COUNT} ${UNIT}`, `${COUNT} ${UNIT} from (?:now|today)`],
    bare: "anywhere",
    day: ({ count, unit = "" }, { today }) => addUnits(countOf(count), unit, today),
  },
  {
    patterns: [
      `${COUNT} ${UNIT} (?:from|after|on) (?:(?<near>today|tomorrow)|(?<weekday>${WEEKDAYS.join("|")}))`,
    ],
    bare: "anywhere",
    day: ({ count, unit = "", ...from }, { today }) =>
      addUnits(countOf(count), unit, referenceDay(from, today)),
  },
  {
    patterns: [`${COUNT} ${UNIT} ago`],
    bare: "anywhere",
    day: ({ count, unit = "" }, { today }) => addUnits(-countOf(count), unit, today),
  },
  {
    patterns: [`${COUNT} ${UNIT}`, "(?:in )?(?<count>\\d{1,4}) ?(?<unit>[dwmy])"],
    bare: "never",
    lead: "within|due in",
    day: ({ count, unit = "" }, { today }) => addUnits(countOf(count), unit, today),
  },
  {
    patterns: [
      `${NO_NAME}(?:(?<which>${ANY_WHICH}) )?(?<weekday>${WEEKDAYS.join("|")})${NO_MORE}`,
      `${NO_NAME}(?<which>${ANY_WHICH}) (?<weekday>${SHORT_WEEKDAYS})`,
    ],
    bare: "anywhere",
    day: weekday,
    other,
  },
  {
    patterns: [
      `next week (?:on )?(?<weekday>${ENGLISH_WEEKDAY})`,
      `(?<weekday>${ENGLISH_WEEKDAY}) (?:of )?next week`,
    ],
    bare: "anywhere",
    day: ({ weekday: name }, place) => resolveWeekday(englishWeekdayNumber(name), "next", place),
  },
  {
    // Excludes other meanings: "She sat in the sun", "newly wed".
    patterns: [
      `(?<!(?<!\\p{L})(?:${ANY_WHICH}|the|a|i|he|she|it|we|you|they|who|cat|dog|newly|more|less|no|some|of|evening|morning|and) )(?<weekday>${SHORT_WEEKDAYS})`,
    ],
    bare: "at the end",
    day: weekday,
  },
  {
    patterns: ["(?<!(?<!\\p{L})the )next (?<unit>week|month|year)"],
    bare: "anywhere",
    day: ({ unit = "" }, { today }) => startOfNextUnit(unit, today),
  },
  {
    patterns: [
      "(?:at )?(?:the )?end of (?:the |this |(?<next>next ))?(?<unit>week|month|year)",
      "eo(?<unit>[wmy])",
    ],
    bare: "at the end",
    day: ({ unit = "", next }, { today }) => endOfUnit(unit, today, next !== undefined),
  },
  {
    patterns: [`(?:at )?(?:the )?(?<edge>end|beginning|start) of ${MONTH}(?: (?<year>\\d{4}))?`],
    bare: "at the end",
    day: ({ edge, month, year }, place) =>
      edgeOfMonth(monthOf(month), year, place, edge === "end" ? "last" : "first"),
  },
  { patterns: ["weekend"], bare: "never", day: (_, place) => resolveWeekday(SATURDAY, "this", place) },
  {
    patterns: ["(?:(?:at|on|over) the|this) weekend"],
    bare: "at the end",
    day: (_, place) => resolveWeekday(SATURDAY, "this", place),
  },
  {
    patterns: ["next weekend"],
    bare: "anywhere",
    day: (_, place) => resolveWeekday(SATURDAY, "next", place),
    other: (_, place) => otherNextWeekday(SATURDAY, place),
  },
];
