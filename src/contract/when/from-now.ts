import { ANY_NUMBER_WORD, numberOf } from "../repeat/number-words.ts";
import type { FoundTime } from "../repeat/time-phrase.ts";

// Hours that are counted from now: "in 2 hours", "in half an hour", "in 20 Minuten".

const PHRASE = new RegExp(
  "(?<![\\p{L}\\p{N}])in\\s{1,4}(?:half an hour|einer halben stunde|" +
    `(?<count>\\d{1,4}|${ANY_NUMBER_WORD})\\s{0,4}(?<unit>m(?:ins?|inutes?|inuten)|h(?:ours?|rs?)?|std|stunden?))(?![\\p{L}\\p{N}])`,
  "u",
);

const MINUTES_PER_DAY = 1440;

/** "In a minute" is soon. */
const FEWEST = 2;

const two = (number: number) => String(number).padStart(2, "0");

/**
 * The first such hour of a sentence in lower case, at most a day from now.
 *
 * @param now HH:MM
 */
export function findFromNow(lower: string, now: string): FoundTime | undefined {
  const match = PHRASE.exec(lower);
  if (!match) return undefined;
  const { count, unit = "" } = match.groups ?? {};
  const minutes = count ? numberOf(count) * (unit.startsWith("m") ? 1 : 60) : 30;
  if (minutes < FEWEST || minutes > MINUTES_PER_DAY) return undefined;
  const [hour = 0, minute = 0] = now.split(":").map(Number);
  const then = (hour * 60 + minute + minutes) % MINUTES_PER_DAY;
  const time = `${two(Math.floor(then / 60))}:${two(then % 60)}`;
  return { time, start: match.index, end: match.index + match[0].length };
}
