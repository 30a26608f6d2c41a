import {
  ENGLISH_MONTHS,
  ENGLISH_WEEKDAYS,
  GERMAN_MONTHS,
  GERMAN_WEEKDAYS,
} from "../../contract/day-names.ts";
import { ANY_NUMBER_WORD } from "../../contract/repeat/number-words.ts";
import { ENGLISH_VERBS, GERMAN_VERBS } from "../../contract/repeat/task-verbs.ts";
import { COUNTED_DAY } from "./german.ts";
import { blankOut } from "./quoted.ts";

// Days relative to another day: "2 weeks before Friday", "Mittwoch nach Ostern", "Friday after next", "am 2. Montag im Mai",
// "not before Friday".
// Neither they nor the other day are read.

const WEEKDAY = `(?:${[...ENGLISH_WEEKDAYS, ...GERMAN_WEEKDAYS].join("|")}|sonnabend)`;
const MONTH = `(?:${[...ENGLISH_MONTHS, ...GERMAN_MONTHS].join("|")}|jan|feb|mar|mär|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez)(?!\\p{L})`;
/** Words that may follow a date or a holiday: "before Christmas shopping" and "after 5th Avenue" are not dates. */
const GOES_ON = `(?:of|at|in|on|by|for|with|to|and|or|then|about|around|from|until|till|if|${ENGLISH_VERBS}|um|gegen|ab|bis|mit|bei|im|und|oder|${GERMAN_VERBS}|${MONTH})(?!\\p{L})`;
const ALONE = `(?!\\p{L}|[-'’]\\p{L}| (?!${GOES_ON})\\p{L})`;
const ENGLISH_FEAST = `(?:easter|christmas|xmas|thanksgiving|pentecost|new years?(?:['’]s)?)(?: (?:day|eve|sunday|monday|week|weekend|holidays?|break|vacation)(?!\\p{L})|${ALONE})`;
const GERMAN_FEAST =
  "(?:ostern|weihnachten|heiligabend|silvester|neujahr|pfingsten|himmelfahrt|fronleichnam|fasching|karneval|nikolaus|" +
  "erntedank)(?:s?tag)?(?!\\p{L}|-\\p{L})";
export const FEAST = `(?:${ENGLISH_FEAST}|${GERMAN_FEAST})`;
const DATE = `(?:\\d{1,2}(?:st|nd|rd|th)${ALONE}|\\d{1,2}\\.? ?${MONTH}|\\d{1,2}\\. ?(?:0?[1-9]|1[0-2])(?!\\d)|de[mn] \\d{1,2}\\.(?! ?\\d)${ALONE}|\\d{1,2}\\. ?${COUNTED_DAY}|${MONTH} \\d|\\d{4}-|\\d{1,2}/\\d|${FEAST})`;
const WHICH =
  "(?:this|these|next|coming|last|past|(?:diese|kommende|n(?:ä|ae)chste|letzte|vorige|vergangene)[nmrs]?)";
const FAR = "(?:last|letzte[nr]?|vorige[nr]?|vergangene[nr]?|(?:ü|ue)bern(?:ä|ae)chste[nr]?)";
const THE = "(?:(?:the|dem|den|der) )?";
const UNITS = "(?:weeks?|fortnights?|months?|years?|wochen?|monate?n?|jahre?n?)";
const COUNT = `(?:\\d{1,4}|${ANY_NUMBER_WORD})`;
const NUMBERED = "\\d{1,2}(?:st|nd|rd|th)";
const NTH = `(?:[1-5](?:st|nd|rd|th|\\.)|first|second|third|fourth|fifth|last|(?:erst|zweit|dritt|viert|fünft|letzt)e[nmrs]?)`;
const OF_IT = `(?:of|in|im|des) (?:(?:the|neuen) )?(?:month|year|monats?|jahr(?:es)?|quartals?|${MONTH})(?!\\p{L})`;
/** Reference days that the rules of a language do not handle: "a week from Friday" is understood. */
const ORIGIN = `${THE}(?:${WHICH} ${WEEKDAY}|${DATE})`;
const ANY_ORIGIN = `${THE}(?:${WHICH} )?(?:${WEEKDAY}|${DATE}|tomorrow|(?:über)?morgen)`;

const PHRASES = [
  // "Next week before Friday" and "the last 3 months before Friday" are not relative to Friday.
  `(?:days|tagen?|(?<!(?<!\\p{L})${WHICH} (?:${COUNT} )?)${UNITS}) (?:before|vor|nach|ab) ${ANY_ORIGIN}`,
  `(?:days|${UNITS}) (?:from|after) ${ORIGIN}`,
  `for ${COUNT} (?:days|${UNITS}) (?:from|after|on) ${ANY_ORIGIN}`,
  `(?:day|tag) (?:after|from|nach) ${THE}(?:${WHICH} )?(?:${WEEKDAY}|${DATE})`,
  `(?:day|night|evening|tag|nacht|abend) (?:before|vor) ${THE}${FEAST}`,
  `${WEEKDAY} (?:before|after|following|vor|nach) (?:${THE}${DATE}|next(?! ?\\p{L}))`,
  `${WEEKDAY} in ${COUNT} (?:weeks?|months?)`,
  // "Monday week" is a week after Monday.
  `(?:${WEEKDAY}|tomorrow) week(?= (?:at|by|for|to|with|about|and)(?!\\p{L})|[ .!?]*$)`,
  `${WEEKDAY} (?:of )?${FAR} (?:week|woche)(?!\\p{L}|['’])`,
  `${FAR} (?:week|woche) (?:(?:on|am) )?${WEEKDAY}`,
  `(?:on|by|before|until|till?) (?:the )?${NUMBERED} (?:${WEEKDAY}|day|birthday|anniversary)(?!\\p{L})(?: ${OF_IT})?`,
  `${NTH} ${WEEKDAY} ${OF_IT}`,
  `(?<!(?:vergiss|vergesst|why|warum|wieso|or) )(?:not|nicht|except|außer|ausser) (?:(?:on|for|before|am|vor) )?${ANY_ORIGIN}(?![^.!?]{0,64} vergessen)`,
  `(?:am|ab|bis|vor|sp(?:ä|ae)testens|(?:ab|bis|vor) dem|bis zum) \\d{1,2}\\. ?${COUNTED_DAY}(?: ${OF_IT})?`,
];

const PHRASE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${PHRASES.join("|").replace(/ (\??)/g, (_, maybe) => (maybe ? "\\s{0,8}" : "\\s{1,8}"))})`,
  "gu",
);

/** The text in lower case, with such days blanked out. */
export const blankOutRelativeDays = (lower: string): string => lower.replace(PHRASE, blankOut);
