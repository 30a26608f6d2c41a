import { type DayContext, type DayRule, type MatchGroups, resolveMonthDate } from "./day-steps.ts";
import { DEADLINE_PREPOSITIONS } from "./english.ts";
import { YEAR_AFTER } from "./german.ts";

// Numeric dates, with the day before the month.

const YEAR = "(?<year>\\d{4}|\\d{2})";
const YEAR_AFTER_DOT = "(?:\\s{1,3}(?=\\d{4})|\\s?)(?<year>\\d{4}|\\d{2})";
/** The hour of "3.12. 19:00 30 people" is blanked out, and longer: 30 is no year. */
const SPACES = "\\s{0,3}";
const DATE = "(?<date>\\d{1,2})";
export const NUMBERED_NOUN =
  "versions?|v|release|build|python|node|ios|macos|android|chapters?|sections?|figure|fig\\.|table|page|step|part|no\\.|kapitel|abschnitt|abbildung|abb\\.|tabelle|seite|s\\.|schritt|teil|nr\\.|nummer|punkt|artikel|art\\.|absatz|abs\\.|ziffer";
/** "Version 1.10.", "§ 3.12.", the second number of "1. 2. 3." */
const NO_VERSION = `(?<!(?:\\d\\.|[§#]|(?<!\\p{L})(?:${NUMBERED_NOUN})) ?)`;
const NO_MORE = `(?!${SPACES}\\d)`;
const NO_AMOUNT =
  "(?! ?(?:€|\\$|%|(?:euros?|eur|dollars?|percent|prozent|hours?|hrs?|h|std|stunden?|minutes?|min|days?|weeks?|months?|years?|tagen?|wochen?|monaten?|jahren?|cups?|miles?|[kcm]?m|k?g|[km]?l|liter|litres?|[kmgt]b)(?!\\p{L})))";

/** Day first; month first only if nothing else is possible, as in 12/25. */
const slashed = ({ first, second, year }: MatchGroups, context: DayContext) =>
  resolveMonthDate(Number(second), Number(first), year, context) ??
  resolveMonthDate(Number(first), Number(second), year, context);

const dotted = ({ date, second, year }: MatchGroups, context: DayContext) =>
  resolveMonthDate(Number(second), Number(date), year, context);

export const NUMERIC_DAYS: DayRule[] = [
  {
    patterns: ["(?<year>\\d{4})-(?<second>\\d{1,2})-(?<date>\\d{1,2})"],
    bare: "anywhere",
    isDate: true,
    day: dotted,
  },
  {
    patterns: [
      `${NO_VERSION}${DATE}\\. ?(?<second>\\d{1,2})\\.${YEAR_AFTER_DOT}`,
      `${NO_VERSION}${DATE}\\. ?(?<second>\\d{1,2})\\.(?:,? (?<year>${YEAR_AFTER}))?${NO_MORE}${NO_AMOUNT}`,
    ],
    bare: "anywhere",
    isDate: true,
    day: dotted,
  },
  {
    patterns: [`${DATE}\\.(?<second>\\d{1,2})${NO_AMOUNT}`],
    bare: "never",
    lead: `${DEADLINE_PREPOSITIONS}|on|am|bis|zum`,
    isDate: true,
    day: dotted,
  },
  {
    patterns: [`(?<first>\\d{1,2})[/-](?<second>\\d{1,2})[/-]${YEAR}`],
    bare: "anywhere",
    isDate: true,
    day: slashed,
  },
  {
    patterns: [`(?<first>\\d{1,2})/(?<second>\\d{1,2})${NO_AMOUNT}`],
    bare: "after its weekday",
    lead: `${DEADLINE_PREPOSITIONS}|on`,
    isDate: true,
    day: slashed,
  },
];
