import { byName } from "../by-name.ts";
import { ENGLISH_WEEKDAYS, GERMAN_WEEKDAYS } from "../day-names.ts";
import { HOUR_WORDS, parseNumberWord } from "./number-words.ts";
import { GERMAN_VERBS } from "./task-verbs.ts";

// Times as people type them: "at 5", "5pm", "17:00", "noon", "um 17 Uhr". A bare hour from 1 to 7 is in the afternoon, one
// from 8 to 12 in the morning or at noon; the alternative is returned with it.

export type FoundTime = {
  /** HH:MM */
  time: string;
  /** The time in the other half of the day, if the words are ambiguous. */
  other?: string;
  /** Range of the words in the text, including the preposition. */
  start: number;
  end: number;
};

type ReadTime = { hour: number; minute: number; isOpen?: boolean; other?: string };
type Groups = Record<string, string | undefined>;
type TimeRule = { pattern: RegExp; read: (groups: Groups) => ReadTime };

const ENGLISH_LEAD = "(?:at|by|until|till|from|before|after|around)\\s+";
const GERMAN_LEAD = "(?:um|gegen|ab|bis)\\s+";
const ANY_LEAD = `(?:${ENGLISH_LEAD}|${GERMAN_LEAD}|(?:von|vor|nach)\\s+)`;
/** The end of a range is not the time, nor is one of two: "9 to 10am", "zwischen 9 und 10 Uhr", "um 9 oder 10 Uhr". */
const TO = "(?:to|until|till|bis)\\s{1,4}";
const NUMBER = "(?<![\\p{N}.,:/-])\\d{1,2}\\s{1,4}";
const OR = "(?:or|oder|bzw\\.?)\\s{1,4}";
const BETWEEN = "(?:between|zwischen)\\s{1,4}\\d{1,2}\\s{1,4}(?:and|und)\\s{1,4}";
/** "EUR 17:00", "$17:00", but not "45 € 20:00" */
const NO_PRICE = "(?<!(?<!\\d[,.]?[-–]?\\s{0,4})(?:€|\\$|£|(?<!\\p{L})(?:euros?|eur|usd|chf|gbp))\\s{0,4})";
const BEFORE = `(?<![\\p{L}\\p{N}.,:/+–-]|${NUMBER}(?:${TO}|${OR})|${BETWEEN})(?!(?<=${NUMBER})${TO})`;
const AFTER = "(?![\\p{L}\\p{N}]|[.,:/–-]\\p{N})";
const HOUR = "(?<hour>[01]?\\d|2[0-3])";
const MINUTE = "(?<minute>[0-5]\\d)";
const WEEKDAYS = [...GERMAN_WEEKDAYS, "sonnabend"].join("|");

const CURRENCY = "€|\\$|£|%|euros?|eur|usd|chf|gbp|dollars?|pounds?|francs?|franken|prozent|percent";
/** "17:00 EUR", "um 17.50 Euro", but not "um 17:00 Euro-Treffen" or "um 21:00 Euro 2028 schauen" */
const NO_CURRENCY = `(?!\\s*(?:${CURRENCY})(?![\\p{L}-]|\\s+\\d))`;
const COUNTED =
  "people|persons?|leute|personen|times|mal|hours|minutes|days|weeks|months|years|(?:stunde|minute|woche)n?|(?:tag|monat|jahr)en?";
/** "Um 5 Euro billiger", "gegen 3 Leute", "um 2 Tage verschieben" */
const NO_AMOUNT = `(?!\\s*(?:${CURRENCY}|${COUNTED})(?!\\p{L}))`;

/** Words that may follow a bare number: "at 5 locations" is not a time. */
const GOES_ON =
  "about|with|for|in|on|to|from|and|then|sharp|because|via|today|tomorrow|tonight|every|each|remind|next|this|" +
  "mit|wegen|für|zu|zum|zur|bei|beim|am|im|und|dann|heute|morgen|übermorgen|jeden|jede|erinnere|erinner|pünktlich|" +
  `morgens|früh|vormittags|mittags|nachmittags|abends|${GERMAN_VERBS}|` +
  `mon|tue|wed|thu|fri|sat|sun|${ENGLISH_WEEKDAYS.join("|")}|${WEEKDAYS}`;
const ALONE = `(?=[\\s.!?,;:)]*$|\\s*[\\0,;)]|[.!?:]\\s|\\s+(?:${GOES_ON})(?![\\p{L}\\p{N}]))`;

/** Words after which a bare number is a time, whatever follows: "every Monday at 9 …". So is one at the beginning of the text. */
const DAY_WORD =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)?days?|tomorrow|weekdays?|workdays?|weekends?|week|month|year|daily|weekly|monthly|yearly|" +
  "morning|afternoon|evening|night|mon|tue|wed|thu|fri|sat|sun|\\d(?:st|nd|rd|th)|" +
  `(?:${WEEKDAYS})s?|heute|morgen|übermorgen|tage?|woche|monat|jahr|werktag(?:s|en)?|wochentags?|arbeitstag(?:s|en)?|täglich|wöchentlich|monatlich|jährlich|` +
  "früh|vormittag|mittag|nachmittag|abend|\\d{1,2}\\.";
const DAY_BEFORE = `(?<![\\p{L}\\p{N}])(?:today|${DAY_WORD}),?\\s+`;
const SHORT_DAY_BEFORE = "(?<![\\p{L}\\p{N}])(?:mo|di|mi|do|fr|sa)[.,]?\\s+";
const AFTER_DAY = `(?<=^\\s*|${DAY_BEFORE})`;

const rule = (pattern: string, read: TimeRule["read"]): TimeRule => ({
  pattern: new RegExp(`${BEFORE}(?:${pattern})`, "u"),
  read,
});

const hourAndMinute = ({ hour, minute }: Groups) => ({ hour: Number(hour), minute: Number(minute ?? 0) });

/** An hour from 1 to 12 is ambiguous. With a leading zero it is in 24-hour format. */
const ambiguousTime = (groups: Groups) => {
  const { hour, minute } = hourAndMinute(groups);
  return { hour, minute, isOpen: !groups.hour?.startsWith("0") && hour >= 1 && hour <= 12 };
};

const HOUR_NAME = `(?:(?<hour>1[0-2]|[1-9])|(?<word>${HOUR_WORDS}))`;
const namedHour = ({ hour, word }: Groups) => (hour ? Number(hour) : parseNumberWord(word));

function aroundHour(hour: number, after: number): ReadTime {
  const minutes = hour * 60 + after;
  return { hour: Math.floor(minutes / 60) || 12, minute: (minutes + 60) % 60, isOpen: true };
}

/** "5 customers", but not "8 bus" */
const PLURAL = "\\s{1,4}\\p{L}{2,}[^\\P{L}s]s(?!\\p{L})";
const MINUTES_FROM_HOUR = `(?:at|um|gegen)\\s+(?<count>5|10|20|five|ten|fünf|zehn)\\s+(?:past|nach|(?<to>to|vor))\\s+${HOUR_NAME}`;

/** After an hour: "9 Uhr 27. November", "20 Uhr 15 in Folge" */
const NO_MINUTES = "(?!\\.\\s*[\\p{L}\\d]|\\s+in\\s+(?:\\d|folge|reihe))";
/** Nouns that have no plural ending after a number: "30 Stück", "30 Liegestütz" */
const NO_PLURAL = "stück|blatt|grad|pfund|kilo|(?:kilo)?gramm|cent|schritt|liegestütz|sack|watt|volt";
/** "9 Uhr 30 Zahnarzt", but not "9 Uhr 30 Kniebeugen": what may be a plural is counted. */
const NOT_COUNTED =
  `(?<=15|30|45)(?=\\s(?!(?:${CURRENCY}|${COUNTED}|${NO_PLURAL})(?!\\p{L}))` +
  "(?:\\p{L}*(?:termin|treffen|essen|feier|friseur|theater|schule|kirche|probe)|\\p{L}{2,}[^\\P{L}elnrs])(?![\\p{L}-]))";

const MIDNIGHT_LEAD = "(?:at|by|until|till|before|around|um|gegen|bis|vor)\\s+";
/** "At 12 midnight", "12 o’clock noon" */
const TWELVE = "(?:12\\s+(?:(?:o['’]clock|uhr)\\s+)?)?";
/** "At Midnight Mass" */
const NO_COMPOUND = "(?!\\s+(?:mass|snack|oil|sun|express|train|blue|club|run|show)(?!\\p{L}))";

const RULES: TimeRule[] = [
  rule(
    `(?:${ENGLISH_LEAD})?(?<hour>1[0-2]|0?[1-9])(?:[:.]${MINUTE})?\\s?(?<half>[ap])(?:m|\\.m\\.)(?!\\s+(?:${WEEKDAYS}|\\d))${AFTER}`,
    (groups) => ({
      hour: (Number(groups.hour) % 12) + (groups.half === "p" ? 12 : 0),
      minute: hourAndMinute(groups).minute,
    }),
  ),
  rule(`${ANY_LEAD}?${HOUR}(?:[:.]${MINUTE})?\\s?uhr${AFTER}`, hourAndMinute),
  rule(
    `${ANY_LEAD}?${HOUR}\\s?uhr\\s${MINUTE}${NO_MINUTES}(?:${ALONE}|${NOT_COUNTED}|(?=\\s(?:ab|nach|ins)\\s))`,
    hourAndMinute,
  ),
  rule(`${GERMAN_LEAD}${HOUR}(?:[:.]${MINUTE})?\\s?h${AFTER}`, hourAndMinute),
  rule(`(?:${ANY_LEAD}|${NO_PRICE})(?<hour>[01]\\d|2[0-3]):${MINUTE}${AFTER}${NO_CURRENCY}`, hourAndMinute),
  rule(
    `(?:${ANY_LEAD}|(?<=${DAY_BEFORE}|${SHORT_DAY_BEFORE}))(?<hour>\\d):${MINUTE}${AFTER}${NO_CURRENCY}`,
    ambiguousTime,
  ),
  // ISO 8601: the T between a day and its time.
  {
    pattern: new RegExp(`(?<=\\d{4}-\\d\\d-\\d\\d)t${HOUR}:${MINUTE}(?::\\d\\d)?(?!\\+)${AFTER}`, "u"),
    read: hourAndMinute,
  },
  rule(`(?:um|gegen)\\s+${HOUR}\\.${MINUTE}(?![\\p{L}\\p{N}]|\\.)${NO_CURRENCY}`, ambiguousTime),
  rule(`(?:at|um|gegen)\\s+${HOUR}${ALONE}`, ambiguousTime),
  rule(`${AFTER_DAY}(?:at|um|gegen)\\s+${HOUR}${AFTER}${NO_AMOUNT}`, ambiguousTime),
  rule(`(?:at|by|until|till|before)\\s+${HOUR}\\s?o['’]clock${AFTER}`, ambiguousTime),
  rule(`(?:at|um|gegen)\\s+(?<word>${HOUR_WORDS})${ALONE}`, ({ word = "" }) => ({
    hour: parseNumberWord(word),
    minute: 0,
    isOpen: true,
  })),
  rule(`(?:um|gegen)\\s+halb\\s+${HOUR_NAME}${AFTER}`, (groups) => ({
    hour: (namedHour(groups) + 11) % 12 || 12,
    minute: 30,
    isOpen: true,
  })),
  rule(
    `(?:(?:at|by|before|um|gegen|bis)\\s+)?(?:(?<half>half)\\s+past|(?:a\\s+)?quarter\\s+(?:past|(?<to>to))|viertel\\s+(?:nach|(?<vor>vor)))\\s+${HOUR_NAME}${ALONE}`,
    ({ half, to, vor, ...groups }) => {
      const past = half ? 30 : 15;
      return aroundHour(namedHour(groups), to || vor ? -15 : past);
    },
  ),
  ...[`${MINUTES_FROM_HOUR}${ALONE}`, `${AFTER_DAY}${MINUTES_FROM_HOUR}${AFTER}${NO_AMOUNT}`].map((pattern) =>
    rule(pattern, ({ count, to, ...groups }) =>
      aroundHour(namedHour(groups), parseNumberWord(count) * (to ? -1 : 1)),
    ),
  ),
  // The end of the named day, or of today. Its beginning is the alternative.
  rule(
    `(?:${MIDNIGHT_LEAD}|(?<=${DAY_BEFORE}))${TWELVE}(?:midnight${NO_COMPOUND}|mitternacht)${AFTER}`,
    () => ({ hour: 23, minute: 59, other: "00:00" }),
  ),
  rule(`(?:${GERMAN_LEAD})?(?:24(?:[:.]00)?\\s?uhr|12\\s?uhr\\s+nachts)${AFTER}`, () => ({
    hour: 23,
    minute: 59,
  })),
  rule(
    `(?:(?:at|by|until|till|before|around)\\s+)?${TWELVE}noon${AFTER}|(?:bis\\s+)?mittags${AFTER}`,
    () => ({
      hour: 12,
      minute: 0,
    }),
  ),
];

export const formatTime = (hour: number, minute: number) =>
  `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

const FIRST_OF_MORNING = 8;

/** The time in the likelier half of the day, and the other one. */
function bothHalves({ hour, minute, isOpen, other }: ReadTime): Pick<FoundTime, "time" | "other"> {
  if (!isOpen) return { time: formatTime(hour, minute), ...(other && { other }) };
  const early = formatTime(hour % 12, minute);
  const late = formatTime((hour % 12) + 12, minute);
  return hour < FIRST_OF_MORNING || hour === 12 ? { time: late, other: early } : { time: early, other: late };
}

const EARLY = "morgens|früh|vormittags|in the morning";
const LATE = "nachmittags|abends|in the (?:afternoon|evening)";
const MIDDAY = "mittags";
const HALF = new RegExp(`^\\s+(?:(?<early>${EARLY})|(?<late>${LATE})|(?<midday>${MIDDAY}))${AFTER}`, "u");
/** Characters to look at after a time: longer than any of these phrases. */
const HALF_LETTERS = 40;

/** Applies the part of the day that follows a time: "7 Uhr abends", "at 7 in the evening". */
function resolveByHalf(time: FoundTime, lower: string): FoundTime {
  const { 0: words = "", groups } = HALF.exec(lower.slice(time.end, time.end + HALF_LETTERS)) ?? {};
  const [hour = 0, minute = 0] = time.time.split(":").map(Number);
  const isMidday = groups?.midday !== undefined;
  const isLate = groups?.late !== undefined || (isMidday && hour % 12 < 10);
  if (!words || hour === 0 || (hour > 12 && !time.other && !isLate)) return time;
  const { other: _, ...one } = time;
  return { ...one, time: formatTime((hour % 12) + (isLate ? 12 : 0), minute), end: time.end + words.length };
}

/** "At 8am and 8pm", "um 8 und um 20 Uhr": two times, of which a record has one. */
const SECOND_TIME =
  /^(?:\s*[/,]\s*\d{1,2}(?::\d\d|,(?!\d)|\s+(?:or|oder|and|und)\s)|\s+(?:or|oder)\s+(?:\d|noon|midnight|mittags)|\s+(?:and|und|&|or|oder)\s+(?:(?:at|um)\s+\d|\d{1,2}(?:[:.]\d\d)?(?:\s?(?:am|pm|uhr)(?!\p{L})|[\s.!?]*$)|\d{1,2}:\d\d))/u;

/** "Monday 9 and 10 Uhr", but not "table for 4 and 7pm" */
const FIRST_OF_TWO = new RegExp(`(?:around\\s+|${DAY_BEFORE})\\d{1,2}\\s(?:and|und)\\s$`, "u");

/** "2pm to 4pm", "12 to 1 with Ada", "9 to 12 standup", "14 Uhr bis 16 Uhr", but not "9 to 5 customers" or "um 9 bis 3. Mai". */
const END_OF_RANGE = new RegExp(
  `^\\s+(?:(?:to|until|till)\\s+\\d{1,2}${ALONE}|to\\s+(?:1[0-2]|[1-9])(?=\\s{1,4}\\p{L})(?!${PLURAL})${NO_AMOUNT}|` +
    "(?:to|until|till|bis)\\s+\\d{1,2}(?::\\d\\d|(?:[:.]\\d\\d)?\\s?(?:am|pm|uhr|h)(?!\\p{L})|(?=[\\s!?]*$)))",
  "u",
);

/** "At 10 to 5 customers": ten to five, or at ten to so many of them. */
const MINUTES_TO = /\sto\s+\S+$/u;
const COUNTED_NEXT = new RegExp(`^${PLURAL}`, "u");

/** The time in a sentence in lower case, the first one unless two belong together. */
export function findTime(lower: string): FoundTime | undefined {
  const found = RULES.flatMap(({ pattern, read }): FoundTime[] => {
    const match = pattern.exec(lower);
    if (!match) return [];
    const end = match.index + match[0].length;
    return [{ ...bothHalves(read(match.groups ?? {})), start: match.index, end }];
  });
  const [first] = found.sort((a, b) => a.start - b.start || b.end - a.end);
  const rest = lower.slice(first?.end, (first?.end ?? 0) + HALF_LETTERS);
  if (!first || SECOND_TIME.test(rest) || END_OF_RANGE.test(rest)) return undefined;
  if (FIRST_OF_TWO.test(lower.slice(Math.max(0, first.start - HALF_LETTERS), first.start))) return undefined;
  if (MINUTES_TO.test(lower.slice(first.start, first.end)) && COUNTED_NEXT.test(rest)) return undefined;
  return resolveByHalf(first, lower);
}

const DAYPARTS = byName(
  ["morning|früh|morgen|vormittag", "09:00"],
  ["noon|mittag", "12:00"],
  ["afternoon|nachmittag", "15:00"],
  ["evening|abend", "19:00"],
  ["night", "21:00"],
);

/** The parts of the day in English and German, as alternatives of an expression. */
export const ANY_DAYPART = Object.keys(DAYPARTS).join("|");

/** "Monday morning or afternoon" names no part. */
const NO_OTHER_PART = `(?!\\s+${OR}(?:in the )?(?:${ANY_DAYPART})${AFTER})`;
const DAYPART = new RegExp(
  `^[\\s,]*(?<words>(?:in the |in der |am )?(?<part>${ANY_DAYPART}))${AFTER}${NO_OTHER_PART}`,
  "u",
);

export const timeOfDaypart = (part: string): string | undefined => DAYPARTS[part];

/** The part of the day that follows a position in a sentence: "tomorrow morning", "heute Abend". */
export function daypartAt(lower: string, place: number): FoundTime | undefined {
  const match = DAYPART.exec(lower.slice(place, place + 40));
  const { part, words = "" } = match?.groups ?? {};
  if (!match || !part) return undefined;
  const end = place + match[0].length;
  return { time: DAYPARTS[part] ?? "", start: end - words.length, end };
}

const NOON = "12:00";

/** Resolves an ambiguous time by a part of the day: "tomorrow evening at 8" is 20:00. */
export function resolveByDaypart(time: FoundTime, part: FoundTime): FoundTime {
  const { other, ...one } = time;
  if (!other) return time;
  const fits = (clockTime: string) => clockTime < NOON === part.time < NOON;
  return { ...one, time: fits(one.time) ? one.time : other };
}
