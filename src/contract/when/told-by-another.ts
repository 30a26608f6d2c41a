import { ENGLISH_MONTHS, ENGLISH_WEEKDAYS, GERMAN_MONTHS, GERMAN_WEEKDAYS } from "../day-names.ts";
import { ANY_NUMBER_WORD } from "../repeat/number-words.ts";
import { taken } from "./quoted.ts";

// Days that are named by another one: "2 weeks before Friday", "Mittwoch nach Ostern", "Friday after next". They are not
// read, and neither is the day that they are counted from.

const WEEKDAY = `(?:${[...ENGLISH_WEEKDAYS, ...GERMAN_WEEKDAYS].join("|")}|sonnabend)`;
const MONTH = `(?:${[...ENGLISH_MONTHS, ...GERMAN_MONTHS].join("|")}|(?:jan|feb|mar|mär|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez)(?!\\p{L}))`;
const FEAST =
  "(?:easter|christmas|xmas|thanksgiving|pentecost|new year|ostern|weihnachten|heiligabend|silvester|neujahr|pfingsten|" +
  "himmelfahrt|fronleichnam|fasching|karneval|nikolaus|erntedank)";
const DATE = `(?:\\d{1,2}(?:st|nd|rd|th|\\.(?= ?[\\p{L}\\d])|(?= ${MONTH}))|${MONTH} \\d|\\d{4}-|\\d{1,2}/\\d|${FEAST})`;
const WHICH = "(?:this|next|coming|last|(?:diese|kommende|n(?:ä|ae)chste|letzte|vorige|vergangene)[nmrs]?)";
const FAR = "(?:last|letzte[nr]?|vorige[nr]?|vergangene[nr]?|(?:ü|ue)bern(?:ä|ae)chste[nr]?)";
const THE = "(?:(?:the|dem|den|der) )?";
const UNITS = "(?:weeks?|fortnights?|months?|years?|wochen?|monate?n?|jahre?n?)";
const COUNT = `(?:\\d{1,4}|${ANY_NUMBER_WORD})`;
/** What other days are counted from, and not by the rules of a language: "a week from Friday" is known. */
const ORIGIN = `${THE}(?:${WHICH} ${WEEKDAY}|${DATE})`;
const ANY_ORIGIN = `${THE}(?:${WHICH} )?(?:${WEEKDAY}|${DATE}|tomorrow|(?:über)?morgen)`;

const PHRASES = [
  `(?:days|tagen?|${UNITS}) (?:before|vor|nach|ab) ${ANY_ORIGIN}`,
  `(?:days|${UNITS}) (?:from|after) ${ORIGIN}`,
  `for ${COUNT} (?:days|${UNITS}) (?:from|after|on) ${ANY_ORIGIN}`,
  `(?:day|tag) (?:after|from|nach) ${THE}(?:${WHICH} )?(?:${WEEKDAY}|${DATE})`,
  `${WEEKDAY} (?:before|after|following|vor|nach) (?:${THE}${DATE}|next(?! ?\\p{L}))`,
  `${WEEKDAY} in ${COUNT} (?:weeks?|months?)`,
  `${WEEKDAY} (?:of )?${FAR} (?:week|woche)`,
  `${FAR} (?:week|woche) (?:(?:on|am) )?${WEEKDAY}`,
];

const PHRASE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${PHRASES.join("|").replace(/ (\??)/g, (_, maybe) => (maybe ? "\\s{0,8}" : "\\s{1,8}"))})`,
  "gu",
);

/** The text in lower case, with nothing in place of such days. */
export const withoutToldByAnother = (lower: string): string => lower.replace(PHRASE, taken);
