import { ANY_NUMBER_WORD, parseNumberWord } from "../../contract/repeat/number-words.ts";
import { ENGLISH_VERBS, GERMAN_VERBS } from "../../contract/repeat/task-verbs.ts";
import { type FoundTime, formatTime } from "../../contract/repeat/time-phrase.ts";

// Times relative to now: "in 2 hours call Ada", "call Ada in half an hour", "Ada in 20 Minuten anrufen". But not durations:
// "learn Go in 24 hours".

const PHRASE = new RegExp(
  "(?<![\\p{L}\\p{N}])in\\s{1,4}(?:half an hour|einer halben stunde|" +
    `(?<count>\\d{1,4}|${ANY_NUMBER_WORD})\\s{0,4}(?<unit>m(?:ins?|inutes?|inuten)|h(?:ours?|rs?)?|std|stunden?))(?![\\p{L}\\p{N}])`,
  "u",
);

/** "In 80 minutes around the world", "in 10 Minuten am Tag" */
const NO_TASK =
  "(?:around|through|to|or|from|with|without|a|an|per|each|every|daily|is|are|i|you|he|she|it|we|they|" +
  "um|durch|zu|zum|zur|nach|oder|von|mit|ohne|am|pro|jeden?|täglich|fertig|ist|sind|ich|du|er|sie|es|wir|man)(?!\\p{L})";
const TASK_AFTER = new RegExp(`^[\\s,:]{1,8}(?!${NO_TASK})\\p{L}`, "u");
/** "Call Ada …", but not "call of" or "check how to". */
const ENGLISH_TASK = new RegExp(
  `^(?:${ENGLISH_VERBS})(?:\\s{1,8}(?!(?:how|if|whether|that|what|when|why|of|about|or|to)(?!\\p{L}))[^\\s\\d]{1,32}){0,4}$`,
  "u",
);
const GERMAN_TASK = new RegExp(`^[^\\d]*(?<!\\p{L})(?:${GERMAN_VERBS})$`, "u");

const GERMAN_VERB = new RegExp(`^(?:${GERMAN_VERBS})$`, "u");

/** "Remind me in 2 hours to call Ada" */
const REMIND_ME = /^(?:remind me|erinnere? mich)$/u;

const MINUTES_PER_DAY = 1440;

/** Minimum in minutes, because "in a minute" just means soon. */
const MIN_MINUTES = 2;

/** Trims spaces, blanked-out text and, at the end, punctuation. */
const trimFiller = (words: string) => words.replace(/^[\s\0]+/, "").replace(/(?<![\s\0,.!])[\s\0,.!]+$/, "");

/** Whether something is to be done at that time, rather than taking that long. */
function isTaskTime(before: string, after: string): boolean {
  if (!before) return TASK_AFTER.test(after);
  if (REMIND_ME.test(before)) return true;
  if (!trimFiller(after)) return ENGLISH_TASK.test(before) || GERMAN_TASK.test(before);
  return !/\d/.test(before) && GERMAN_VERB.test(trimFiller(after));
}

/**
 * The first such time in a sentence in lower case, at most a day from now.
 *
 * @param now HH:MM
 */
export function findFromNow(lower: string, now: string): FoundTime | undefined {
  const match = PHRASE.exec(lower);
  if (!match) return undefined;
  const { count, unit = "" } = match.groups ?? {};
  const minutes = count ? parseNumberWord(count) * (unit.startsWith("m") ? 1 : 60) : 30;
  if (minutes < MIN_MINUTES || minutes > MINUTES_PER_DAY) return undefined;
  const end = match.index + match[0].length;
  if (!isTaskTime(trimFiller(lower.slice(0, match.index)), lower.slice(end))) return undefined;
  const [hour = 0, minute = 0] = now.split(":").map(Number);
  const then = (hour * 60 + minute + minutes) % MINUTES_PER_DAY;
  return { time: formatTime(Math.floor(then / 60), then % 60), start: match.index, end };
}
