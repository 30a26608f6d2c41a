import { GERMAN_MONTHS as MONTHS, GERMAN_WEEKDAYS as WEEKDAYS } from "../../contract/day-names.ts";
import { ANY_NUMBER_WORD, parseNumberWord } from "../../contract/repeat/number-words.ts";
import {
  addDays,
  addUnits,
  type DayContext,
  type DayRule,
  edgeOfMonth,
  endOfUnit,
  GERMAN_PREPOSITIONS as lead,
  type MatchGroups,
  nextDate,
  otherNextWeekday,
  resolveMonthDate,
  resolveWeekday,
  startOfNextUnit,
  type WeekdayChoice,
} from "./day-steps.ts";

const WEEKDAY = `(?<weekday>${WEEKDAYS.join("|")}|sonnabend)`;
/** Only after a preposition, because some of them are also other words. */
const SHORT_WEEKDAY = "(?<weekday>mo|di|mi|do|fr|sa|(?<!bis )so)\\.?";
const MONTH = `(?<month>${MONTHS.join("|")}|jänner|maerz)`;
const SHORT_MONTH = "(?<month>jan|feb|mär|apr|jun|jul|aug|sept?|okt|nov|dez)\\.?";
const COUNT = `(?<count>\\d{1,4}|${ANY_NUMBER_WORD})`;
const UNIT = "(?<unit>tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)";
const ANY_WHICH = "(?:diese|kommende|n(?:ä|ae)chste|letzte|vorige|vergangene)[nmrs]?";
const OTHER_WHICH = "(?:(?:ü|ue)bern(?:ä|ae)chste|vorletzte)[nmrs]?";
/** "Der Freitag", "Schwarzer Freitag", the first Monday of a month. */
const NO_NAME = `(?<!(?<!\\p{L})(?:${ANY_WHICH}|${OTHER_WHICH}|schwarze[nrm]?|de[mnrs]|die|das|(?:erste|zweite|dritte|vierte|jede|alle)[nmrs]?|\\d\\.) )`;
const PART_OF_DAY = "(?:früh|morgen|vormittag|mittag|nachmittag|abend)";
/** "Letzter Freitag im Monat", "Freitag der 13." */
const NO_MORE = `(?!,? (?:(?:im|des) (?:monats?|${MONTHS.join("|")})(?!\\p{L})|(?:de[nrm] )?\\d{1,2}\\.))`;
/** Words after which a number is not a date: "am 3. Tag", "am 2. Weihnachtstag". */
export const COUNTED_DAY =
  "(?:(?:geburts|jahres|namens|todes|hochzeits|(?:weihnachts|oster|pfingst)(?:feier)?|feier|spiel|urlaubs|ferien|arbeits|werk|schul|lebens)?tag|advent(?:ssonntag)?)(?!\\p{L})";
const NO_PLACE = `(?! ?(?:${COUNTED_DAY}|(?:mal|tor|loch|stock|platz|punkt|teil|akt|kapitel|versuch|quartal|semester|halbjahr|klasse|etage|gang|absatz|artikel)(?!\\p{L})))`;

const monthOf = (name = "") => {
  const plain = name.replace("ae", "ä").replace("jän", "jan");
  return MONTHS.findIndex((month) => month.startsWith(plain.slice(0, 3))) + 1;
};

export const germanWeekdayNumber = (name = "") =>
  name === "sonnabend" ? 6 : WEEKDAYS.findIndex((weekday) => weekday.startsWith(name.slice(0, 2))) + 1;

function whichOf(word = ""): WeekdayChoice {
  if (word.startsWith("n")) return "next";
  return /^[lv]/.test(word) ? "last" : undefined;
}

const weekday = ({ which, weekday: name }: MatchGroups, place: DayContext) =>
  resolveWeekday(germanWeekdayNumber(name), whichOf(which), place);

const other = ({ which, weekday: name }: MatchGroups, place: DayContext) =>
  whichOf(which) === "next" ? otherNextWeekday(germanWeekdayNumber(name), place) : undefined;

const monthDate = ({ month, date, year }: MatchGroups, place: DayContext) =>
  resolveMonthDate(monthOf(month), Number(date), year, place);

const SATURDAY = 6;

function referenceDay({ near, weekday: name }: MatchGroups, today: string): string {
  if (near) return near === "morgen" ? addDays(today, 1) : today;
  return resolveWeekday(germanWeekdayNumber(name), undefined, { today });
}

export const GERMAN_DAYS: DayRule[] = [
  { patterns: ["(?<!(?<!\\p{L})von )heute"], bare: "anywhere", lead, day: (_, { today }) => today },
  {
    // "Guten Morgen", "am Morgen" and "jeden Morgen" mean the morning, and "3 Morgen" is an area of land.
    patterns: ["(?<!(?<!\\p{L})(?:guten|am|jeden|diesen|zum|heute|der|den|dem|von|auf|\\d{1,4}) )morgen"],
    bare: "anywhere",
    lead: "(?:bis )?sp(?:ä|ae)testens|bis|ab|für|f(?:ä|ae)llig",
    day: (_, { today }) => addDays(today, 1),
  },
  { patterns: ["(?:ü|ue)bermorgen"], bare: "anywhere", lead, day: (_, { today }) => addDays(today, 2) },
  { patterns: ["gestern"], bare: "anywhere", lead, day: (_, { today }) => addDays(today, -1) },
  { patterns: ["vorgestern"], bare: "anywhere", lead, day: (_, { today }) => addDays(today, -2) },
  {
    patterns: [`${NO_NAME}(?:(?<which>${ANY_WHICH}) )?${WEEKDAY}${NO_MORE}`],
    bare: "anywhere",
    suffix: PART_OF_DAY,
    lead,
    day: weekday,
    other,
  },
  {
    patterns: [`n(?:ä|ae)chste woche (?:am )?${WEEKDAY}`, `${WEEKDAY} n(?:ä|ae)chster woche`],
    bare: "anywhere",
    lead,
    day: ({ weekday: name }, place) => resolveWeekday(germanWeekdayNumber(name), "next", place),
  },
  {
    patterns: [`(?:(?<which>${ANY_WHICH}) )?${SHORT_WEEKDAY}`],
    bare: "never",
    lead: "bis zum|bis|am|ab|fällig|spätestens",
    day: weekday,
    other,
  },
  {
    patterns: [`in ${COUNT} ${UNIT}`],
    bare: "anywhere",
    lead,
    day: ({ count = "", unit = "" }, { today }) => addUnits(parseNumberWord(count), unit, today),
  },
  {
    patterns: [`(?:(?<near>heute|morgen)|${WEEKDAY}) in ${COUNT} ${UNIT}`],
    bare: "anywhere",
    lead,
    day: ({ count = "", unit = "", ...from }, { today }) =>
      addUnits(parseNumberWord(count), unit, referenceDay(from, today)),
  },
  {
    patterns: [`vor ${COUNT} ${UNIT}`],
    bare: "anywhere",
    lead: "fällig",
    day: ({ count = "", unit = "" }, { today }) => addUnits(-parseNumberWord(count), unit, today),
  },
  {
    patterns: [`${COUNT} ${UNIT}`],
    bare: "never",
    lead: "innerhalb von|innerhalb|binnen|fällig in",
    day: ({ count = "", unit = "" }, { today }) => addUnits(parseNumberWord(count), unit, today),
  },
  {
    patterns: [
      "(?<!(?<!\\p{L})(?:der|die|das|dem|des|den) )(?:n(?:ä|ae)chste|kommende)[nmrs]? (?<unit>woche|monat|jahr)",
    ],
    bare: "anywhere",
    lead,
    day: ({ unit = "" }, { today }) => startOfNextUnit(unit, today),
  },
  {
    patterns: [
      "ende (?:de[sr] |diese[sr] |(?<next>(?:n(?:ä|ae)chste|kommende)[nrs] ))(?<unit>woche|monats|jahres)",
      "(?<unit>monat|jahr)e?sende",
    ],
    bare: "at the end",
    lead: `${lead}|zum`,
    day: ({ unit = "", next }, { today }) => endOfUnit(unit, today, next !== undefined),
  },
  {
    patterns: [
      `(?<edge>ende|anfang) (?:${MONTH}|${SHORT_MONTH.replace("month", "short")})(?: (?<year>\\d{4}))?`,
    ],
    bare: "at the end",
    lead,
    day: ({ edge, month, short, year }, place) =>
      edgeOfMonth(monthOf(month ?? short), year, place, edge === "ende" ? "last" : "first"),
  },
  {
    patterns: [`(?:am|an diesem|dieses|am kommenden|kommendes) wochenende`],
    bare: "anywhere",
    day: (_, place) => resolveWeekday(SATURDAY, "this", place),
  },
  {
    patterns: ["wochenende"],
    bare: "never",
    lead,
    day: (_, place) => resolveWeekday(SATURDAY, "this", place),
  },
  {
    patterns: ["(?:am |bis |bis zum )?n(?:ä|ae)chste[ns] wochenende"],
    bare: "anywhere",
    day: (_, place) => resolveWeekday(SATURDAY, "next", place),
    other: (_, place) => otherNextWeekday(SATURDAY, place),
  },
  {
    patterns: [MONTH, SHORT_MONTH].map((month) => `(?<date>\\d{1,2})\\. ?${month}(?: (?<year>\\d{4}))?`),
    bare: "anywhere",
    lead,
    isDate: true,
    day: monthDate,
  },
  {
    patterns: [`${MONTH}(?: (?<year>\\d{4}))?(?! ?\\d)`],
    bare: "never",
    lead: "bis zum|bis|im|ab|fällig im|fällig bis|spätestens",
    day: ({ month, year }, place) => edgeOfMonth(monthOf(month), year, place),
  },
  {
    patterns: [`(?<date>\\d{1,2})\\.${NO_PLACE}`],
    bare: "never",
    lead: `${lead.replace("|zum|", "|")}|ab dem|bis spätestens zum`,
    isDate: true,
    day: ({ date }, place) => nextDate(Number(date), place),
  },
  {
    patterns: ["(?<date>\\d{1,2})\\.(?=[ .!?]*$| ?[,;\\0])"],
    bare: "never",
    lead: "zum",
    day: ({ date }, place) => nextDate(Number(date), place),
  },
];

export const GERMAN_WEEKDAY = `${WEEKDAYS.join("|")}|sonnabend|mo|di|mi|do|fr|sa|so`;
