import { byName } from "../by-name.ts";
import { ENGLISH_MONTHS, ENGLISH_WEEKDAYS, GERMAN_MONTHS, GERMAN_WEEKDAYS } from "../day-names.ts";
import { ENGLISH_VERBS } from "./task-verbs.ts";

// Words of repetition in the supported languages. Ambiguous ones are omitted on purpose: "biweekly", "every second Monday".

/** A span of time: a frequency and an interval. */
export type FrequencyUnit = { freq: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY"; interval: number };

export type RelativeYear = "this year" | "next year";

export type Vocabulary = {
  every: string;
  /** Before a weekday or a date: "jeder so" is not a Sunday. */
  everyDay: string;
  units: Readonly<Record<string, FrequencyUnit>>;
  /** Number of units: "two", "other". */
  counts: Readonly<Record<string, number>>;
  /** Ordinals: "third". */
  places: Readonly<Record<string, number>>;
  weekdays: Readonly<Record<string, number>>;
  /** Each such weekday: "mondays". */
  allWeekdays: Readonly<Record<string, number>>;
  /** Several weekdays: "weekday". */
  groups: Readonly<Record<string, string>>;
  allGroups: Readonly<Record<string, string>>;
  months: Readonly<Record<string, number>>;
  adverbs: Readonly<Record<string, FrequencyUnit>>;
  /** "Jede Freitagnacht": the night that begins on a weekday. */
  nights: Readonly<Record<string, number>>;
  /** Parts of the day, by the key of their time. */
  dayparts: Readonly<Record<string, string>>;
  /** Every other weekday. */
  other: string;
  on: string;
  onThe: string;
  the: string;
  ofMonth: string;
  ofEveryMonth: string;
  inMonth: string;
  ofYear: string;
  day: string;
  /** The last day: "the end of every month". */
  end: string;
  once: string;
  range: string;
  afterDone: string;
  until: string;
  starting: string;
  times: string;
  near: Readonly<Record<string, number>>;
  /** Month and date of feasts that are one day, the same in every year. Easter and “Weihnachten” are not. */
  feasts: Readonly<Record<string, readonly [month: number, date: number]>>;
  endOfMonth: string;
  endOfYear: string;
  /** Before a month or year. */
  endOf: string;
  /** A year after a date without one. */
  years: Readonly<Record<string, RelativeYear>>;
  /** Words that may follow a weekday, a feast or an end: others may be part of a longer name. */
  afterDay: RegExp;
  /** Words that may follow a date without its month. */
  afterOrdinal: RegExp;
};

const numbered = <T>(words: string, value: (index: number) => T): Record<string, T> =>
  Object.fromEntries(
    words.split(" ").flatMap((names, index) => names.split("|").map((name) => [name, value(index)])),
  );

/** Values of names and of their synonyms, both in the same order. */
const namesWithSynonyms = (names: readonly string[], others: string, first: number) => ({
  ...numbered(names.join(" "), (at) => at + first),
  ...numbered(others, (at) => at + first),
});

const DAY: FrequencyUnit = { freq: "DAILY", interval: 1 };
const WEEK: FrequencyUnit = { freq: "WEEKLY", interval: 1 };
const FORTNIGHT: FrequencyUnit = { freq: "WEEKLY", interval: 2 };
const MONTH: FrequencyUnit = { freq: "MONTHLY", interval: 1 };
const QUARTER: FrequencyUnit = { freq: "MONTHLY", interval: 3 };
const HALF_YEAR: FrequencyUnit = { freq: "MONTHLY", interval: 6 };
const YEAR: FrequencyUnit = { freq: "YEARLY", interval: 1 };

const WORKING_DAYS = "MO,TU,WE,TH,FR";

const ENGLISH_GOES_ON = new RegExp(
  `^(?:at|by|for|with|from|to|on|starting|beginning|every|each|morning|noon|afternoon|evening|night|${ENGLISH_VERBS})$`,
  "u",
);

export const ENGLISH: Vocabulary = {
  every: "every|each",
  everyDay: "every|each|on every|on each",
  units: byName(
    ["day|days", DAY],
    ["week|weeks", WEEK],
    ["fortnight|fortnights", FORTNIGHT],
    ["month|months", MONTH],
    ["quarter|quarters", QUARTER],
    ["year|years", YEAR],
  ),
  counts: {
    other: 2,
    ...numbered("two three four five six seven eight nine ten eleven twelve", (at) => at + 2),
  },
  places: { ...numbered("first second third fourth fifth", (at) => at + 1), last: -1 },
  weekdays: namesWithSynonyms(ENGLISH_WEEKDAYS, "mon tues|tue weds|wed thurs|thur|thu fri sat sun", 0),
  allWeekdays: numbered(ENGLISH_WEEKDAYS.map((name) => `${name}s`).join(" "), (at) => at),
  groups: byName(["weekday|workday|working day|work day|business day", WORKING_DAYS], ["weekend", "SA"]),
  allGroups: byName(
    ["weekdays|workdays|working days|work days|business days", WORKING_DAYS],
    ["weekends", "SA,SU"],
  ),
  months: namesWithSynonyms(ENGLISH_MONTHS, "jan feb mar apr may jun jul aug sept|sep oct nov dec", 1),
  adverbs: byName(
    ["daily", DAY],
    ["weekly", WEEK],
    ["fortnightly", FORTNIGHT],
    ["monthly", MONTH],
    ["quarterly", QUARTER],
    ["yearly|annually", YEAR],
  ),
  nights: {},
  dayparts: { morning: "morning", afternoon: "afternoon", evening: "evening", night: "night" },
  other: "other",
  on: "on|on the|the",
  onThe: "on|on the",
  the: "the",
  ofMonth: "of the month|in the month",
  ofEveryMonth: "of every month|of each month|every month|each month",
  inMonth: "of|in|each|every",
  ofYear: "every year|each year",
  day: "day",
  end: "end|the end|at the end",
  once: "once a|once per|once every",
  range: "-|–|to|through",
  afterDone:
    "after done|after it is done|after it ' s done|after it ’ s done|after it was done|after being done|after completion|after completing|after finishing|after the last time|from done|since done",
  until: "until|till|until the|till the",
  starting: "starting|starting on|starting from|beginning|beginning on|from|as of",
  times: "times",
  near: { today: 0, tomorrow: 1 },
  feasts: byName(
    ["christmas eve", [12, 24]],
    ["christmas day|christmas|xmas", [12, 25]],
    ["new year ' s eve|new year ’ s eve|new years eve", [12, 31]],
    ["new year ' s day|new year ’ s day|new years day", [1, 1]],
    ["halloween", [10, 31]],
  ),
  endOfMonth: "the end of the month|end of month|end of the month|the end of this month",
  endOfYear: "the end of the year|end of year|end of the year|the end of this year",
  endOf: "the end of|end of",
  years: byName(["this year|of this year", "this year"], ["next year|of next year", "next year"]),
  afterDay: ENGLISH_GOES_ON,
  afterOrdinal: ENGLISH_GOES_ON,
};

export const GERMAN: Vocabulary = {
  every: "jeden|jede|jedes|jedem|alle|aller",
  everyDay: "jeden|jedes|an jedem|am jeden",
  units: byName(
    ["tag|tage|tagen", DAY],
    ["woche|wochen", WEEK],
    ["monat|monate|monaten", MONTH],
    ["quartal|quartale|vierteljahr|vierteljahre", QUARTER],
    ["halbjahr|halbjahre", HALF_YEAR],
    ["jahr|jahre|jahren", YEAR],
  ),
  counts: numbered("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", (at) => at + 2),
  places: {
    ...numbered(
      "ersten|erste|erster|erstes zweiten|zweite|zweiter|zweites dritten|dritte|dritter|drittes vierten|vierte|vierter|viertes fünften|fünfte|fünfter|fünftes",
      (at) => at + 1,
    ),
    ...numbered("letzten|letzte|letzter|letztes", () => -1),
  },
  weekdays: namesWithSynonyms(GERMAN_WEEKDAYS, "mo di mi do fr sonnabend|sa so", 0),
  allWeekdays: {
    ...numbered(GERMAN_WEEKDAYS.map((name) => `${name}s`).join(" "), (at) => at),
    sonnabends: 5,
  },
  groups: byName(["werktag|arbeitstag|wochentag", WORKING_DAYS], ["wochenende", "SA"]),
  allGroups: byName(["werktags|wochentags|an werktagen|an arbeitstagen", WORKING_DAYS]),
  months: namesWithSynonyms(GERMAN_MONTHS, "jänner|jan feb mär apr mai jun jul aug sept|sep okt nov dez", 1),
  adverbs: byName(
    ["täglich", DAY],
    ["wöchentlich", WEEK],
    ["zweiwöchentlich|vierzehntägig|vierzehntäglich", FORTNIGHT],
    ["monatlich", MONTH],
    ["vierteljährlich|quartalsweise", QUARTER],
    ["halbjährlich", HALF_YEAR],
    ["jährlich", YEAR],
  ),
  nights: Object.fromEntries(
    ["jede", "jeden", "in jeder"].flatMap((every) =>
      GERMAN_WEEKDAYS.map((name, at) => [`${every} ${name}nacht`, at]),
    ),
  ),
  dayparts: byName(
    ["morgen|morgens|vormittag|vormittags", "morning"],
    ["mittag|mittags", "noon"],
    ["nachmittag|nachmittags", "afternoon"],
    ["abend|abends", "evening"],
  ),
  other: "",
  on: "am|zum|an dem|an",
  onThe: "am|zum",
  the: "den|dem|am",
  ofMonth: "des monats|im monat",
  ofEveryMonth: "jedes monats|jeden monats|eines jeden monats|in jedem monat|jeden monat|eines monats",
  inMonth: "im|jeden|jedes",
  ofYear: "jedes jahr|jedes jahres|jeden jahres|in jedem jahr",
  day: "tag",
  end: "ende|zum ende",
  once: "einmal pro|einmal am|einmal im|einmal in der|ein mal pro",
  range: "-|–|bis",
  afterDone:
    "nach erledigung|nach der erledigung|nach dem erledigen|nach abschluss|nach dem abschluss|nach dem letzten mal|ab erledigung|nachdem es erledigt ist|nachdem es erledigt wurde|nachdem es erledigt war",
  until: "bis|bis zum|bis am",
  starting: "ab|ab dem|beginnend|beginnend am|vom",
  times: "mal",
  near: { heute: 0, morgen: 1 },
  feasts: byName(["heiligabend", [12, 24]], ["silvester", [12, 31]], ["neujahr", [1, 1]]),
  endOfMonth: "monatsende|zum monatsende|ende des monats|zum ende des monats",
  endOfYear: "jahresende|zum jahresende|ende des jahres|zum ende des jahres",
  endOf: "ende",
  years: byName(
    ["diesen jahres|dieses jahres|dieses jahr", "this year"],
    ["nächsten jahres|nächstes jahr|kommenden jahres|kommendes jahr", "next year"],
  ),
  // Compounds are one word, but "Freitag nächster Woche" is another day and "so weit" no Sunday.
  afterDay: new RegExp(
    `^(?!(?:in|nach|vor|und|oder|de[rs]|diese[rs]|(?:über)?nächste[nrs]?|kommende[nrs]?|darauf|danach|weit|lange|${GERMAN_MONTHS.join("|")})$)`,
    "u",
  ),
  // A verb, but not a noun: "bis zum 15. lesen", "bis zum 2. Treffen".
  afterOrdinal:
    /^(?:um|ab|mit|für|jede[ns]?|morgens|mittags|abends|(?!treffen|essen|rennen)\p{L}+(?:en|ern|eln))$/u,
};
