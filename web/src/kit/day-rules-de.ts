import { GERMAN_MONTHS as MONTHS, GERMAN_WEEKDAYS as WEEKDAYS } from "../../../src/contract/day-names.ts";
import { ANY_NUMBER_WORD, numberOf } from "../../../src/contract/repeat/number-words.ts";
import { addDays } from "./dates.ts";
import { type DayRule, dated, later, GERMAN_LEADS as lead, nextStart, weekdayDay } from "./day-steps.ts";

// How German names days. "Nächsten Freitag" is missing on purpose: people do not agree on which one that is.

const COUNT = `(?<count>\\d{1,4}|${ANY_NUMBER_WORD})`;
const UNIT = "(?<unit>tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)";
const UNITS: Record<string, string> = { t: "day", w: "week", m: "month", j: "year" };

const unitOf = (word = "") => UNITS[word.charAt(0)] ?? "day";

export const GERMAN_DAYS: DayRule[] = [
  { patterns: ["heute"], bare: "anywhere", lead, day: (_, today) => today },
  {
    // "Guten Morgen", "am Morgen" and "jeden Morgen" are in the morning.
    patterns: ["(?<!(?:guten|am|jeden|diesen|zum|heute) )morgen"],
    bare: "anywhere",
    lead: "bis|ab",
    day: (_, today) => addDays(today, 1),
  },
  { patterns: ["übermorgen"], bare: "anywhere", lead, day: (_, today) => addDays(today, 2) },
  {
    patterns: [
      `(?:(?:diesen|kommenden) )?(?<!(?:nächsten|letzten|vorigen) )(?<weekday>${WEEKDAYS.join("|")})`,
    ],
    bare: "anywhere",
    lead,
    day: ({ weekday = "" }, today) => weekdayDay(WEEKDAYS.indexOf(weekday) + 1, undefined, today),
  },
  {
    patterns: [`in ${COUNT} ${UNIT}`],
    bare: "anywhere",
    lead,
    day: ({ count = "", unit }, today) => later(numberOf(count), unitOf(unit), today),
  },
  {
    patterns: ["nächste[ns]? (?<unit>woche|monat|jahr)"],
    bare: "anywhere",
    lead,
    day: ({ unit }, today) => nextStart(unitOf(unit), today),
  },
  {
    patterns: [`(?<date>\\d{1,2})\\. ?(?<month>${MONTHS.join("|")})(?: (?<year>\\d{4}))?`],
    bare: "anywhere",
    lead,
    day: ({ date, month = "", year }, today) => dated(MONTHS.indexOf(month) + 1, Number(date), year, today),
  },
];
