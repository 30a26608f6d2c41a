import { ENGLISH_MONTHS as MONTHS, ENGLISH_WEEKDAYS as WEEKDAYS } from "../../contract/day-names.ts";
import { ANY_NUMBER_WORD, parseNumberWord } from "../../contract/repeat/number-words.ts";
import {
  DAY_PREPOSITIONS,
  type DayRule,
  dayReaders,
  daysFromToday,
  nextSaturday,
  otherNextSaturday,
  readDateOfMonth,
  readEndOfUnit,
  readNextUnit,
  thisSaturday,
  type WeekdayChoice,
} from "./day-steps.ts";

const SHORT_WEEKDAYS = "mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun";
/** Words after which a short form is another word or one of several days: "she sat", "the sun", "newly wed", "Tue or Wed". */
export const NO_WEEKDAY_AFTER =
  "the|a|i|he|she|it|we|you|they|who|cat|dog|newly|more|less|no|not|some|of|evening|morning|and|or";
export const ENGLISH_WEEKDAY = `${WEEKDAYS.join("|")}|${SHORT_WEEKDAYS}`;
const ANY_WHICH = "this|next|n(?:ä|ae)chste[nmrs]?|coming|last|past|previous";
/** "Black Friday", "the Friday report", the first Monday of a month. */
const NO_NAME = `(?<!(?<!\\p{L})(?:${ANY_WHICH}|black|good|easter|palm|cyber|super|ash|fat|whit|maundy|shrove|holy|giving|pancake|the|first|second|third|fourth|fifth|\\d(?:st|nd|rd|th)|other|every|each) )`;
/** "The last Friday of the month", "Friday the 13th" */
const NO_MORE = `(?!,? (?:(?:of|in) (?:the month|each|every|${MONTHS.join("|")})(?!\\p{L})|(?:the )?\\d{1,2}(?:st|nd|rd|th)))`;
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
/** "3 May" and the like, where a text begins with it. */
const BEGINNING = `^(?:(?:${DAY_PREPOSITIONS}) )?(?:(?:${ENGLISH_WEEKDAY})\\.?,? )?(?:\\d{1,2}(?:st|nd|rd|th|\\.)? (?:of )?[a-z]{3,9}\\.?|[a-z]{3,9}\\.? (?:the )?\\d{1,2}(?:st|nd|rd|th)?)`;
/**
 * "Pay by 3 December. Next year …" and "pay by 3 December, next year …" are not of next year, but "pay by 3 December, next year"
 * and "3 December, next year pay" are.
 */
const YEAR = `(?<year>(?:(?<!, ?)\\d\\d|20)\\d\\d|(?:(?<!, ?|(?:\\p{L}{5}|may|june|july)\\. ?)|(?<=, ?)(?=[a-z]+ year[\\s.!?]*$)|(?<=${BEGINNING}, ?)(?=next(?! year (?:too|also|again))))(?:of )?(?:next|this|last|previous) year)`;
/** "Next year on 3 May", but not "the budget for next year on 3 May" */
const YEAR_AHEAD = "(?<!(?:for|of|about) )(?<year>(?:next|this|last|previous) year) ";
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

const { weekday, otherWeekday, weekdayOfNextWeek, monthDate, edgeOfMonth, inUnits, unitsAgo, unitsAfter } =
  dayReaders({
    count: countOf,
    month: monthOf,
    weekday: englishWeekdayNumber,
    which: (word = "") => WHICH[word] ?? (word.startsWith("n") ? "next" : undefined),
    tomorrow: "tomorrow",
  });

export const ENGLISH_DAYS: DayRule[] = [
  {
    patterns: [
      `(?<date>\\d{1,2})(?:st|nd|rd|th|\\.)? (?:of )?${MONTH}${NO_VERB}(?:,? ${YEAR}${NO_AMOUNT})?`,
      `${MONTH} (?:the )?(?<date>\\d{1,2})(?:st|nd|rd|th)?(?:,? ${YEAR})?${NO_AMOUNT}`,
    ],
    bare: "anywhere",
    isDate: true,
    day: monthDate,
  },
  {
    patterns: [
      `${YEAR_AHEAD}(?:on )?(?:the )?(?<date>\\d{1,2})(?:st|nd|rd|th|\\.)? (?:of )?${MONTH}`,
      `${YEAR_AHEAD}(?:on )?${MONTH} (?:the )?(?<date>\\d{1,2})(?:st|nd|rd|th)?`,
    ],
    bare: "anywhere",
    day: monthDate,
  },
  { patterns: [`${YEAR_AHEAD}in ${MONTH}(?! ?\\d)`], bare: "anywhere", day: edgeOfMonth },
  {
    patterns: [`${ORDINAL}${NO_PLACE}`],
    bare: "never",
    lead: DEADLINE_PREPOSITIONS,
    isDate: true,
    day: readDateOfMonth,
  },
  {
    // "On the 2nd floor" is not a day.
    patterns: [`${ORDINAL}(?=[ .!?]*$| ?[,;\\0])`],
    bare: "never",
    lead: "on",
    isDate: true,
    day: readDateOfMonth,
  },
  {
    patterns: [`${MONTH}(?: ${YEAR})?(?! ?\\d)`],
    bare: "never",
    lead: `${DEADLINE_PREPOSITIONS}|in|from`,
    day: edgeOfMonth,
  },
  { patterns: ["(?:the )?day after tomorrow"], bare: "anywhere", day: daysFromToday(2) },
  { patterns: ["(?<!(?<!\\p{L})of )tomorrow", "tmrw?", "tmw"], bare: "anywhere", day: daysFromToday(1) },
  {
    patterns: ["(?<!usa )today", "tonight", "this(?= (?:afternoon|evening))"],
    bare: "anywhere",
    day: daysFromToday(0),
  },
  { patterns: ["(?:the )?day before yesterday"], bare: "anywhere", day: daysFromToday(-2) },
  {
    // "The day before yesterday" is another day.
    patterns: ["(?<!before )yesterday", "last night"],
    bare: "anywhere",
    lead: "due by|due on|due|by|until|till?|on|for|from",
    day: daysFromToday(-1),
  },
  {
    patterns: [`in ${COUNT} ${UNIT}`, `${COUNT} ${UNIT} from (?:now|today)`],
    bare: "anywhere",
    day: inUnits,
  },
  {
    patterns: [
      `${COUNT} ${UNIT} (?:from|after|on) (?:(?<near>today|tomorrow)|(?<weekday>${WEEKDAYS.join("|")}))`,
      "(?<count>a|one|two) (?<unit>weeks?) (?<near>today|tomorrow)",
    ],
    bare: "anywhere",
    day: unitsAfter,
  },
  { patterns: [`${COUNT} ${UNIT} ago`], bare: "anywhere", day: unitsAgo },
  {
    patterns: [`${COUNT} ${UNIT}`, "(?:in )?(?<count>\\d{1,4}) ?(?<unit>[dwmy])"],
    bare: "never",
    lead: "within|due in",
    day: inUnits,
  },
  {
    patterns: [
      `${NO_NAME}(?:(?<which>${ANY_WHICH}) )?(?<weekday>${WEEKDAYS.join("|")})${NO_MORE}`,
      `${NO_NAME}(?<which>${ANY_WHICH}) (?<weekday>${SHORT_WEEKDAYS})`,
    ],
    bare: "anywhere",
    day: weekday,
    other: otherWeekday,
  },
  {
    patterns: [
      `next week (?:on )?(?<weekday>${ENGLISH_WEEKDAY})`,
      `(?<weekday>${ENGLISH_WEEKDAY}) (?:of )?next week`,
    ],
    bare: "anywhere",
    day: weekdayOfNextWeek,
  },
  {
    patterns: [`(?<!(?<!\\p{L})(?:${ANY_WHICH}|${NO_WEEKDAY_AFTER}) )(?<weekday>${SHORT_WEEKDAYS})`],
    bare: "at the end",
    day: weekday,
  },
  {
    patterns: [
      "(?<!(?<!\\p{L})(?:the|of) )next (?<unit>week|month|year)",
      "(?:the )?(?:beginning|start) of next (?<unit>week|month|year)",
    ],
    bare: "anywhere",
    day: readNextUnit,
  },
  {
    patterns: ["(?:at )?(?:the )?end of (?<next>next )(?<unit>week|month|year)"],
    bare: "anywhere",
    day: readEndOfUnit,
  },
  {
    patterns: ["(?:at )?(?:the )?end of (?:the |this )?(?<unit>week|month|year)", "eo(?<unit>[wmy])"],
    bare: "at the end",
    day: readEndOfUnit,
  },
  {
    patterns: [`(?:at )?(?:the )?(?<edge>end|beginning|start) of ${MONTH}(?: ${YEAR})?`],
    bare: "at the end",
    day: edgeOfMonth,
  },
  { patterns: ["weekend"], bare: "never", day: thisSaturday },
  { patterns: ["(?:(?:at|on|over) the|this) weekend"], bare: "at the end", day: thisSaturday },
  { patterns: ["next weekend"], bare: "anywhere", day: nextSaturday, other: otherNextSaturday },
];
