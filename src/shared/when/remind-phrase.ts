import { MAX_LEAD_DAYS } from "../../contract/reminder-text.ts";
import { ANY_NUMBER_WORD, parseNumberWord } from "../../contract/repeat/number-words.ts";

// Reminders as people type them: "remind me an hour before", "erinnere mich einen Tag vorher".

export type FoundReminder = {
  /** Lead time as a duration: PT1H. */
  before: string;
  start: number;
  end: number;
};

const COUNT = `\\d{1,4}|${ANY_NUMBER_WORD}`;
const UNIT = "min(?:ute)?n?s?|h|hrs?|hours?|std|stunden?|days?|tage?n?|weeks?|wochen?";
const HALF = "half an hour|eine halbe stunde";
const DAY_BEFORE = "the day|am tag";
const ONE = `(?:${HALF}|${DAY_BEFORE}|(?:${COUNT}) ?(?:${UNIT}))`;
const SEVERAL = `${ONE}(?:(?:,| and| und) ${ONE}){0,4}`;

const spaced = (pattern: string) => pattern.replaceAll(" ?", "\\s{0,4}").replaceAll(" ", "\\s{1,4}");

const PHRASE = new RegExp(
  spaced(
    "(?<![\\p{L}\\p{N}])(?:" +
      `(?:and )?(?:remind me|with a reminder|reminder) (?<english>${SEVERAL}) (?:before(?:hand)?|earlier|ahead|in advance)|` +
      `(?:und )?(?:erinnere? mich|(?:mit )?erinnerung) (?<german>${SEVERAL}) (?:vorher|davor|zuvor|früher)|` +
      `(?:und )?(?<last>${SEVERAL}) (?:vorher|davor|zuvor|früher) (?:daran )?erinnern` +
      ")(?![\\p{L}\\p{N}])",
  ),
  "gu",
);
const EACH = new RegExp(spaced(`${HALF}|(?<day>${DAY_BEFORE})|(?<count>${COUNT}) ?(?<unit>${UNIT})`), "gu");

function durationOf({ day, count, unit = "" }: Record<string, string | undefined>): string | undefined {
  if (day) return "P1D";
  if (!count) return "PT30M";
  const number = parseNumberWord(count);
  if (number === 0) return undefined;
  const days = { d: 1, t: 1, w: 7 }[unit.charAt(0)];
  if (days) return number * days > MAX_LEAD_DAYS ? undefined : `P${number * days}D`;
  const minutes = number * (unit.startsWith("m") ? 1 : 60);
  if (minutes > MAX_LEAD_DAYS * 1440) return undefined;
  return minutes % 60 === 0 ? `PT${minutes / 60}H` : `PT${minutes}M`;
}

const isFirstOfItsKind = ({ before }: FoundReminder, index: number, all: FoundReminder[]) =>
  all.findIndex((one) => one.before === before) === index;

/** The reminders in a sentence in lower case, without repetitions. A phrase with an invalid reminder is ignored. */
export function findReminders(lower: string): FoundReminder[] {
  const all = [...lower.matchAll(PHRASE)].flatMap((match): FoundReminder[] => {
    const words = match.groups?.english ?? match.groups?.german ?? match.groups?.last ?? "";
    const durations = [...words.matchAll(EACH)].map(({ groups }) => durationOf(groups ?? {}));
    const [start, end] = [match.index, match.index + match[0].length];
    const isRight = !durations.includes(undefined);
    return durations.flatMap((before) => (isRight && before ? [{ before, start, end }] : []));
  });
  return all.filter(isFirstOfItsKind);
}
