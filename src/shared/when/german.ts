import { GERMAN_MONTHS as MONTHS, GERMAN_WEEKDAYS as WEEKDAYS } from "../../contract/day-names.ts";
import { ANY_NUMBER_WORD, parseNumberWord } from "../../contract/repeat/number-words.ts";
import {
  type DayRule,
  dayReaders,
  daysFromToday,
  GERMAN_PREPOSITIONS,
  nextSaturday,
  otherNextSaturday,
  readDateOfMonth,
  readEndOfUnit,
  readNextUnit,
  thisSaturday,
  type WeekdayChoice,
} from "./day-steps.ts";

const WEEKDAY = `(?<weekday>${WEEKDAYS.join("|")}|sonnabend)`;
/** Only after a preposition, because some of them are also other words. */
const SHORT_WEEKDAY = "(?<weekday>mo|di|mi|do|fr|sa|(?<!bis )so)\\.?";
const MONTH = `(?<month>${MONTHS.join("|")}|jänner|maerz)`;
const SHORT_MONTH = "(?<month>jan|feb|mär|apr|jun|jul|aug|sept?|okt|nov|dez)\\.?";
const RELATIVE_YEAR =
  "(?:(?:im|des) )?(?:n(?:ä|ae)chste|kommende|diese|letzte|vorige|vergangene)[ns] jahr(?:es)?";
/** "3. Mai" and the like, where a text begins with it. */
const BEGINNING =
  "^(?:(?:am|bis|bis zum|zum) )?(?:[a-z]{2,10}\\.?,? (?:den )?)?\\d{1,2}\\. ?(?:[a-zä]{3,9}\\.?|\\d{1,2}\\.)";
/** As in English: "3. Mai, nächstes Jahr zahlen" and "zahlen 3. Mai, nächstes Jahr", but not "zahlen 3. Mai, nächstes Jahr auch" */
export const YEAR_AFTER = `(?:(?<!, ?)|(?<=, ?)(?=${RELATIVE_YEAR}[\\s.!?]*$)|(?<=${BEGINNING}, ?)(?!${RELATIVE_YEAR} (?:auch|wieder|noch)))${RELATIVE_YEAR}`;
const YEAR = `(?<year>\\d{4}|${YEAR_AFTER})`;
/** "Nächstes Jahr am 3. Mai", but not "Budget für nächstes Jahr am 3. Mai" or "Planung des nächsten Jahres am 3. Mai" */
const YEAR_AHEAD = `(?<!(?:für|vom|zum) )(?<year>${RELATIVE_YEAR})(?<!s) `;
const COUNT = `(?<count>\\d{1,4}|${ANY_NUMBER_WORD})`;
const UNIT = "(?<unit>tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)";
const ANY_WHICH = "(?:(?:diese|kommende|n(?:ä|ae)chste|letzte|vorige|vergangene)[nmrs]?|next)";
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

const { weekday, otherWeekday, weekdayOfNextWeek, monthDate, edgeOfMonth, inUnits, unitsAgo, unitsAfter } =
  dayReaders({
    count: parseNumberWord,
    month: monthOf,
    weekday: germanWeekdayNumber,
    which: whichOf,
    tomorrow: "morgen",
  });

export const GERMAN_DAYS: DayRule[] = [
  { patterns: ["(?<!(?<!\\p{L})von )heute(?: nacht)?"], bare: "anywhere", day: daysFromToday(0) },
  {
    // "Guten Morgen", "am Morgen" and "jeden Morgen" mean the morning, and "3 Morgen" is an area of land.
    patterns: ["(?<!(?<!\\p{L})(?:guten|am|jeden|diesen|zum|heute|der|den|dem|von|auf|\\d{1,4}) )morgen"],
    bare: "anywhere",
    lead: "(?:bis )?sp(?:ä|ae)testens|bis|ab|für|f(?:ä|ae)llig",
    day: daysFromToday(1),
  },
  { patterns: ["(?:ü|ue)bermorgen"], bare: "anywhere", day: daysFromToday(2) },
  { patterns: ["gestern"], bare: "anywhere", day: daysFromToday(-1) },
  { patterns: ["vorgestern"], bare: "anywhere", day: daysFromToday(-2) },
  {
    patterns: [`${NO_NAME}(?:(?<which>${ANY_WHICH}) )?${WEEKDAY}${NO_MORE}`],
    bare: "anywhere",
    suffix: PART_OF_DAY,
    day: weekday,
    other: otherWeekday,
  },
  {
    patterns: [`n(?:ä|ae)chste woche (?:am )?${WEEKDAY}`, `${WEEKDAY} n(?:ä|ae)chster woche`],
    bare: "anywhere",
    day: weekdayOfNextWeek,
  },
  {
    patterns: [`(?:(?<which>${ANY_WHICH}) )?${SHORT_WEEKDAY}`],
    bare: "never",
    lead: "bis zum|bis|am|ab|fällig|spätestens",
    day: weekday,
    other: otherWeekday,
  },
  { patterns: [`in ${COUNT} ${UNIT}`], bare: "anywhere", day: inUnits },
  {
    patterns: [`(?:(?<near>heute|morgen)|${WEEKDAY}) in ${COUNT} ${UNIT}`],
    bare: "anywhere",
    day: unitsAfter,
  },
  { patterns: [`vor ${COUNT} ${UNIT}`], bare: "anywhere", lead: "fällig", day: unitsAgo },
  {
    patterns: [`${COUNT} ${UNIT}`],
    bare: "never",
    lead: "innerhalb von|innerhalb|binnen|fällig in",
    day: inUnits,
  },
  {
    patterns: [
      "(?<!(?<!\\p{L})(?:der|die|das|dem|des|den|ende|mitte) )(?:anfang |im |in der )?(?:n(?:ä|ae)chste|kommende)[nmrs]? (?<unit>woche|monat|jahr)",
      "anfang (?:n(?:ä|ae)chste|kommende)n (?<unit>monat|jahr)e?s",
    ],
    bare: "anywhere",
    day: readNextUnit,
  },
  {
    patterns: ["ende (?<next>(?:n(?:ä|ae)chste|kommende)[nrs] )(?<unit>woche|monats|jahres)"],
    bare: "anywhere",
    day: readEndOfUnit,
  },
  {
    patterns: ["ende (?:de[sr]|diese[sr]) (?<unit>woche|monats|jahres)", "(?<unit>monat|jahr)e?sende"],
    bare: "at the end",
    day: readEndOfUnit,
  },
  {
    patterns: [`(?<edge>ende|anfang) (?:${MONTH}|${SHORT_MONTH.replace("month", "short")})(?: ${YEAR})?`],
    bare: "at the end",
    day: edgeOfMonth,
  },
  {
    patterns: [`(?:am|an diesem|dieses|am kommenden|kommendes) wochenende`],
    bare: "anywhere",
    day: thisSaturday,
  },
  { patterns: ["wochenende"], bare: "never", day: thisSaturday },
  {
    patterns: ["(?:am |bis |bis zum )?n(?:ä|ae)chste[ns] wochenende"],
    bare: "anywhere",
    day: nextSaturday,
    other: otherNextSaturday,
  },
  {
    patterns: [MONTH, SHORT_MONTH].map(
      (month) => `(?<date>\\d{1,2})\\. ?${month}(?:(?:,(?= \\D))? ${YEAR})?`,
    ),
    bare: "anywhere",
    isDate: true,
    day: monthDate,
  },
  {
    patterns: [`${YEAR_AHEAD}(?:am )?(?<date>\\d{1,2})\\. ?${MONTH}`],
    bare: "anywhere",
    day: monthDate,
  },
  { patterns: [`${YEAR_AHEAD}im ${MONTH}(?! ?\\d)`], bare: "anywhere", day: edgeOfMonth },
  {
    patterns: [`${MONTH}(?: ${YEAR})?(?! ?\\d)`],
    bare: "never",
    lead: "bis zum|bis|im|ab|fällig im|fällig bis|spätestens",
    day: edgeOfMonth,
  },
  {
    patterns: [`(?<date>\\d{1,2})\\.${NO_PLACE}`],
    bare: "never",
    lead: `${GERMAN_PREPOSITIONS.replace("|zum|", "|")}|ab dem|bis spätestens zum`,
    isDate: true,
    day: readDateOfMonth,
  },
  {
    patterns: ["(?<date>\\d{1,2})\\.(?=[ .!?]*$| ?[,;\\0])"],
    bare: "never",
    lead: "zum",
    day: readDateOfMonth,
  },
];

export const GERMAN_WEEKDAY = `${WEEKDAYS.join("|")}|sonnabend|mo|di|mi|do|fr|sa|so`;
