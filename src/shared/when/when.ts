import { ENGLISH_WEEKDAYS, GERMAN_WEEKDAYS } from "../../contract/day-names.ts";
import { MAX_REMINDERS, type Reminder } from "../../contract/reminder-text.ts";
import { type FoundRepetition, findRepetition } from "../../contract/repeat/find-repetition.ts";
import { firstOccurrence } from "../../contract/repeat/occurrences.ts";
import { parseStoredRule } from "../../contract/repeat/rule.ts";
import {
  ANY_DAYPART,
  daypartAt,
  type FoundTime,
  findTime,
  resolveByDaypart,
  timeOfDaypart,
} from "../../contract/repeat/time-phrase.ts";
import { type FoundDay, findNamedDay, MAX_READ_LENGTH, type NamedDay, numberOfWeekday } from "./day.ts";
import { addDays, resolveWeekday } from "./day-steps.ts";
import { NO_WEEKDAY_AFTER } from "./english.ts";
import { findFromNow } from "./from-now.ts";
import { blankOutQuoted } from "./quoted.ts";
import { FEAST } from "./relative-days.ts";
import { findReminders } from "./remind-phrase.ts";
import { findRepetitions } from "./repetition.ts";

// Reads from a sentence when something is due: day, time, repetition and reminders.

type TextRange = { start: number; end: number };

export type WhenPart = TextRange & {
  kind: "due_date" | "due_time" | "repeat" | "remind";
  value: string;
  /** An alternative value of ambiguous words: the other half of the day, the Friday of this week. */
  other?: string;
};

/** A past day. It rarely is a due date, so it is only suggested. */
type PastDay = TextRange & { value: string };

export type DueWhen = {
  parts: WhenPart[];
  due_date?: string;
  due_time?: string;
  /** An RRULE. */
  repeat?: string;
  repeat_from?: "done";
  remind?: Reminder[];
  offer?: PastDay;
  /** Range of a phrase of repetition that was not understood. */
  unread?: TextRange;
};

export type WhenContext = {
  today: string;
  /** The person's local time, HH:MM. */
  now?: string;
  /** Default due day, and the earliest start of a repetition. */
  from?: string;
  /** Whether the person chose the alternative meaning of these words, or a past day as due date. */
  isOther?: (words: TextRange) => boolean;
};

const fill = (text: string, { start, end }: TextRange, filler: string) =>
  text.slice(0, start) + filler.repeat(end - start) + text.slice(end);

const UNTIL = /^(?:until|till?|bis)\b/u;

const firstDayFrom = (rule: string, from: string) => firstOccurrence(parseStoredRule(rule), { from });

/** Whether a day beside a repetition is one of its days. Otherwise it means something else. */
function fitsRepetition(day: FoundDay, lower: string, { rule, first }: FoundRepetition): boolean {
  if (first || UNTIL.test(lower.slice(day.start, day.end))) return false;
  return firstDayFrom(rule, day.day) === day.day;
}

/** The first possible due day: tomorrow if the time has passed today. */
const nextDay = (time: string | undefined, { today, now, from }: WhenContext) =>
  from ?? (time && now && time <= now ? addDays(today, 1) : today);

type ReadParts = { day?: FoundDay; time?: FoundTime; repetition?: FoundRepetition };

function dueDate({ day, time, repetition }: ReadParts, clock: WhenContext): string | undefined {
  if (day) return day.day;
  const from = nextDay(time?.time, clock);
  if (repetition) return firstDayFrom(repetition.rule, repetition.first ?? from);
  return clock.from ?? (time && from);
}

const NIGHT = /(?:tonight|nacht)$/u;
/** Hours before this one, and 12, may be those after midnight as well. */
const FIRST_OF_EVENING = 5;

/** "tonight at 9" is in the evening, "tonight at 2" may be after midnight. */
function atNight(time: FoundTime, day: FoundDay): FoundTime {
  const isEarly = Number(time.time.slice(0, 2)) % 12 < FIRST_OF_EVENING;
  return isEarly ? time : resolveByDaypart(time, { ...day, time: timeOfDaypart("night") ?? "" });
}

/** Words after "until Friday evening" that do not belong to it, as they do in "until 3 May night shift". */
const ENDS =
  /^(?:\s*(?:$|[.,;:!?)\0])|\s+(?:at|by|for|with|from|to|on|um|ab|mit|für)(?!\p{L})|\s+(?!treffen|essen|rennen)\p{L}+(?:en|ern|eln)(?!\p{L}))/u;

/** The part of the day as a time, but not in "every day until Friday evening": it says when the last one ends. */
function timeOfPart(part: FoundTime, text: string, repetition: FoundRepetition | undefined): ReadParts {
  const isOfLastDay = part.end > part.start && part.start >= (repetition?.end ?? part.end);
  if (!repetition?.rule.includes("UNTIL") || !isOfLastDay) return { time: part };
  return ENDS.test(text.slice(part.end)) ? { repetition: { ...repetition, end: part.end } } : {};
}

/** Combines a time with a part of the day: "tomorrow morning", "every evening at 8", "heute Abend". */
function combineTime(time: FoundTime | undefined, text: string, { day, repetition }: ReadParts): ReadParts {
  const own = repetition?.daypart;
  const beside = [day, repetition].flatMap((one) => (one ? (daypartAt(text, one.end) ?? []) : []))[0];
  if (time && day && NIGHT.test(text.slice(day.start, day.end))) return { time: atNight(time, day) };
  const part =
    own && repetition
      ? { time: timeOfDaypart(own) ?? "", start: repetition.end, end: repetition.end }
      : beside;
  if (!part) return { ...(time && { time }) };
  if (!time) return timeOfPart(part, text, repetition);
  // The part of the day becomes part of the words of the day or repetition.
  const widened = <T extends TextRange>(one: T | undefined) =>
    one && beside && one.end <= part.start && !text.slice(one.end, part.start).trim()
      ? { ...one, end: part.end }
      : one;
  const [wideDay, wideRepetition] = [widened(day), widened(repetition)];
  return {
    time: resolveByDaypart(time, part),
    ...(wideDay && { day: wideDay }),
    ...(wideRepetition && { repetition: wideRepetition }),
  };
}

const makePart = (
  kind: WhenPart["kind"],
  value: string,
  { start, end, other }: TextRange & { other?: string },
) => ({
  kind,
  value,
  start,
  end,
  ...(other && { other }),
});

function whenParts({ day, time, repetition }: ReadParts): WhenPart[] {
  return [
    ...(day ? [makePart("due_date", day.day, day)] : []),
    ...(repetition ? [makePart("repeat", repetition.rule, repetition)] : []),
    // In "every morning" the part of the day is part of the repetition, so it has no range of its own.
    ...(time && time.end > time.start ? [makePart("due_time", time.time, time)] : []),
  ];
}

type ParsedParts = ReadParts & { offer?: FoundDay; unread?: TextRange };

/** Whether a time is next to a past day and therefore belongs to it: "the call of yesterday at 5". */
const isBeside = (time: FoundTime, day: FoundDay, text: string) =>
  /^[\s,]*$/.test(text.slice(...(time.start < day.start ? [time.end, day.start] : [day.end, time.start])));

function withDayAsOffer(read: ParsedParts, text: string): ParsedParts {
  const { day, time, repetition, ...rest } = read;
  const isTheirs = day && time && !repetition && isBeside(time, day, text);
  return {
    ...rest,
    ...(day && { offer: day }),
    ...(repetition && { repetition }),
    ...(time && !isTheirs && { time }),
  };
}

const chosenDay = ({ other, ...day }: FoundDay, { isOther }: WhenContext): FoundDay => {
  if (!other) return day;
  return isOther?.(day) ? { ...day, day: other, other: day.day } : { ...day, other };
};

/** The named day, unless it does not fit a repetition beside it. */
const dayBeside = (
  { day }: NamedDay,
  repetition: FoundRepetition | undefined,
  text: string,
  clock: WhenContext,
) => (day && (!repetition || fitsRepetition(day, text, repetition)) ? chosenDay(day, clock) : undefined);

/** A time relative to now, unless the words name a day or repetition or the default day is not today. */
const fromNow = (text: string, others: ParsedParts, { now, today, from = today }: WhenContext) =>
  now && Object.keys(others).length === 0 && from === today ? findFromNow(text, now) : undefined;

/** "What can kids do 17:00", but not "… do 17 Uhr" */
const QUESTION = /(?<!\p{L})(?:what|how|who|where|when|why|which|could|should|does|did)(?!\p{L})[^.!?\0]*$/u;
const CLOCK_TIME = /^\d[\d:]*$/u;
const ENGLISH_SHORT = "mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun";
const SHORT_WEEKDAY = `${ENGLISH_SHORT}|mo|di|mi|do|(?<!(?<!\\p{L})pay )fr|sa`;
/** "Di 17 Uhr", "Fri 9:30", but not "she sat at 5", "what to do 17:00", "pay Fr. 17:00" or "so um 17 Uhr". */
const WEEKDAY_BEFORE = new RegExp(
  `(?<![\\p{L}\\p{N}]|(?<!\\p{L})(?:${NO_WEEKDAY_AFTER}|to|then|with|will|would|can|could|must|should|please) )` +
    `(?<name>${SHORT_WEEKDAY})\\.?(?=,?\\s{1,4}$)`,
  "u",
);
/** Two letters are a weekday only before such a time: "Ask Mo at 9", "what the kids do at 6pm". */
const GERMAN_TIME =
  /^(?:um|gegen|ab|bis|von|vor|nach|viertel|mittags)(?!\p{L})|^\d[\d:.]*(?!\s?[ap]\.?m|[\d:.])/u;
const ANY_SHORT = `(?:${SHORT_WEEKDAY}|so)\\.?`;
const PART = `(?:\\s?(?:${ANY_DAYPART})s?)?`;
const OR = "and|und|or|oder|bzw\\.?";
const WEEKDAY = `(?:${[...ENGLISH_WEEKDAYS, ...GERMAN_WEEKDAYS].join("|")})`;
/** "Mo Mi 9 Uhr", but not "Anruf Fr. Di 9 Uhr" */
const GERMAN_PAIR =
  "(?<!(?<!\\p{L})(?:call|ask|with|mit|bei|anruf) )(?:(?:mo|di|mi|sa)\\.?|fr)\\s(?:mo|di|mi|do|fr|sa|so)\\.?";
/**
 * "Mon, Wed and Fri at 9", "Mon Wed 9:00", "Mo-Fr 9 Uhr", "So 9 Uhr", "Heiligabend um 18 Uhr": not a single day, or not certainly
 * that one.
 */
const DOUBTFUL_BEFORE = new RegExp(
  `(?<!\\p{L})(?:${ANY_SHORT}${PART}\\s?(?:[-–/,&+]|${OR}|to|bis|through)\\s?${ANY_SHORT}|` +
    `(?:${ENGLISH_SHORT})\\.?\\s(?:${ENGLISH_SHORT})\\.?|${GERMAN_PAIR}|${WEEKDAY}\\s?(?:[/&+]|${OR})\\s?${WEEKDAY}|^so\\.?|${FEAST}),?\\s{1,4}$`,
  "u",
);
/** "Mon 9:00 or Tue 10:00", "um 9 Uhr oder Dienstag", "Mon 5pm, Tue 6pm", but not "at 7am and do 20 push-ups" or "at 7 and Friday’s plan" */
const SECOND_DAY = new RegExp(
  `^,\\s{1,4}(?:${WEEKDAY}|${ANY_SHORT}),?\\s{1,4}(?:(?:at|um)\\s{1,4})?\\d{1,2}(?:[:.]\\d\\d|\\s?(?:am|pm|uhr)(?!\\p{L}))|` +
    `^\\s{1,4}(?:${OR}|[&/+])\\s{1,4}(?:(?:on|am)\\s{1,4})?` +
    `(?:${WEEKDAY}(?!\\p{L}|['’]s)|(?:(?!do|so|sat)${ANY_SHORT},?\\s{1,4}(?:(?:at|um)\\s{1,4})?\\d|` +
    "(?:do|so|sat)\\.?,?\\s{1,4}(?:(?:at|um)\\s{1,4})?\\d{1,2}(?:[:.]\\d\\d|\\s?(?:am|pm|uhr)(?!\\p{L}))))",
  "u",
);
/** "Oma So 11 Uhr", but not "so um 11" */
const SUNDAY_BEFORE = /(?<!\p{L})so\.?,?\s{1,4}$/u;
const NEARBY = 32;

/** Where the words before a time begin that make its day doubtful. */
function doubtBefore(text: string, { start, end }: TextRange, isNamed: boolean): number | undefined {
  const from = Math.max(0, start - NEARBY);
  const before = text.slice(from, start);
  const isBare = /^\d/.test(text.slice(start, end));
  const doubt = DOUBTFUL_BEFORE.exec(before) ?? (isBare && !isNamed ? SUNDAY_BEFORE.exec(before) : null);
  return doubt ? from + doubt.index : undefined;
}

/** Whether a short form before a time is a weekday: "Mo 9 Uhr", but not "Ask Mo at 9" or "What can kids do 17:00". */
function isWeekdayBefore(name: string, before: string, time: string): boolean {
  if (name === "do" && CLOCK_TIME.test(time) && QUESTION.test(before)) return false;
  return name.length > 2 || GERMAN_TIME.test(time);
}

const WEEKDAY_NIGHT = new RegExp(
  `(?<!\\p{L}|(?<!\\p{L})(?:jede[nr]?|alle) )(?:(?:am|ab|bis(?: zur)?|in(?: der)?) )?(?:(?:diese|kommende|n(?:ä|ae)chste)[nr]? |(?<other>(?:(?:vor)?letzte|vorige|vergangene|(?:ü|ue)bern(?:ä|ae)chste)[nr]? ))?(?<name>${GERMAN_WEEKDAYS.join("|")})nacht(?!\\p{L})`,
  "gu",
);
const EVENING = "18:00";

/** "Jede Freitagnacht um 2 Uhr" may be on Saturdays. */
const isOfNextDay = (words: string, time?: FoundTime): boolean =>
  /(?:tag|woch)nacht/.test(words) && time !== undefined && atNight(time, { ...time, day: "" }).time < EVENING;

/** "Freitagnacht um 23 Uhr" is on Friday, but "Freitagnacht um 2 Uhr" may be on Saturday. */
function weekdayOfNight(text: string, time: FoundTime, { today }: WhenContext): NamedDay {
  const [night, ...others] = text.matchAll(WEEKDAY_NIGHT);
  if (!night) return {};
  const { name = "", other } = night.groups ?? {};
  const number = numberOfWeekday(name);
  const place = { start: night.index, end: night.index + night[0].length };
  const day = { day: resolveWeekday(number, undefined, { today }), ...place };
  const isRepeated = findRepetitions(text).some(
    ({ start, end }) => start <= night.index && night.index < end,
  );
  const isClear = !other && !isRepeated && others.length === 0 && atNight(time, day).time >= EVENING;
  return isClear ? { day } : { isDoubtful: true };
}

/** The named day, or else the abbreviated weekday directly before the time, or that of a night. */
function withWeekdayBefore(
  named: NamedDay,
  { clockTime: time, repetition }: { clockTime: FoundTime | undefined; repetition: unknown },
  text: string,
  clock: WhenContext,
): NamedDay {
  if (!time || repetition || named.isDoubtful) return named;
  if (SECOND_DAY.test(text.slice(time.end, time.end + NEARBY))) return { isDoubtful: true };
  const doubt = doubtBefore(text, time, named.day !== undefined);
  const isAmong = ({ start, end }: TextRange) => start < time.start && end > (doubt ?? end);
  if (named.day ? isAmong(named.day) : doubt !== undefined) return { isDoubtful: true };
  const from = Math.max(0, time.start - NEARBY);
  const before = text.slice(from, time.start);
  if (named.day) return named;
  const { 0: words = "", index = 0, groups: { name = "" } = {} } = WEEKDAY_BEFORE.exec(before) ?? {};
  if (!name || !isWeekdayBefore(name, before, text.slice(time.start, time.end)))
    return weekdayOfNight(text, time, clock);
  const start = from + index;
  const day = resolveWeekday(numberOfWeekday(name), undefined, { today: clock.today });
  return { day: { day, start, end: start + words.length } };
}

/** The repetition, unless it is only part of a longer phrase: "twice daily", "every morning and evening". */
function findWholeRepetition(text: string, clock: WhenContext): FoundRepetition | undefined {
  const found = findRepetition(text, clock);
  const isPart = ({ start, end }: TextRange) =>
    found && start < found.end && found.start < end && (start < found.start || found.end < end);
  return findRepetitions(text).some(isPart) ? undefined : found;
}

const SECOND_DAYS = new RegExp(
  `^\\s{1,4}(?:${OR})\\s{1,4}(?:(?:on|the|am|den)\\s{1,4}){0,2}(?:${WEEKDAY}|\\d{1,2}(?:st|nd|rd|th|\\.)(?<noun>\\s{1,4}\\p{L})?)`,
  "u",
);

/** A repetition followed by a second time or day: "every Monday at 9 and Thursday at 10", "monthly on the 3rd or 4th". */
function doubtfulRepetition(timeless: string, repetition?: TextRange, time?: FoundTime) {
  if (!repetition) return undefined;
  const { start, end } = repetition;
  const hasSecondTime = time && start < time.start && time.end < end && findTime(timeless);
  const second = SECOND_DAYS.exec(timeless.slice(end, end + NEARBY));
  // "Every Sunday and the 2nd floor" has no second day.
  const words = timeless.slice(start, end);
  const hasSecondDay = second && (!second.groups?.noun || /\d/.test(words));
  return hasSecondTime || hasSecondDay || isOfNextDay(words, time) ? repetition : undefined;
}

function parseParts(text: string, clock: WhenContext): ParsedParts {
  const clockTime = findTime(text);
  // A phrase of repetition may continue after its time: "every day at 9 until 3 May".
  const timeless = clockTime ? fill(text, clockTime, " ") : text;
  const repetition = findWholeRepetition(timeless, clock);
  const doubtful = doubtfulRepetition(timeless, repetition, clockTime);
  if (doubtful) return { unread: doubtful };
  const once = repetition ? fill(timeless, repetition, "\0") : timeless;
  const named = withWeekdayBefore(findNamedDay(once, clock.today), { clockTime, repetition }, text, clock);
  const day = dayBeside(named, repetition, text, clock);
  const read: ReadParts = { ...(day && { day }), ...(repetition && { repetition }) };
  const [unread] = repetition ? [] : findRepetitions(once);
  const rest = unread && { unread };
  // The sentence seems to name a day but none is certain: the time in it is not taken as one of today.
  if (!repetition && named.isDoubtful) return { ...rest };
  const time = clockTime ?? fromNow(text, { ...read, ...rest }, clock);
  const all = { ...read, ...combineTime(time, text, read), ...rest };
  return all.day?.isPast && !clock.isOther?.(all.day) ? withDayAsOffer(all, text) : all;
}

function chosenTime(time: FoundTime, { isOther }: WhenContext): FoundTime {
  return time.other && isOther?.(time) ? { ...time, time: time.other, other: time.time } : time;
}

/** The part of a line that is read, cut between words. */
function firstWords(line: string): string {
  if (line.length <= MAX_READ_LENGTH) return line;
  const cut = line.slice(0, MAX_READ_LENGTH);
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), 0));
}

/**
 * Reads from a sentence when something is due, ignoring links and quotations.
 *
 * @param line the sentence, with U+0000 for blanked-out text; only its first 2,000 characters are read
 */
export function readWhen(line: string, clock: WhenContext): DueWhen {
  const text = firstWords(line);
  const lower = blankOutQuoted(text.toLowerCase());
  if (lower.length !== text.length) return { parts: [] };
  const reminders = findReminders(lower);
  const { unread, offer, time, ...others } = parseParts(
    reminders.reduce((rest, one) => fill(rest, one, "\0"), lower),
    clock,
  );
  const read: ReadParts = { ...others, ...(time && { time: chosenTime(time, clock) }) };
  const due_date = dueDate(read, clock);
  const remind = due_date ? reminders.slice(0, MAX_REMINDERS) : [];
  return {
    parts: [...whenParts(read), ...remind.map((one) => makePart("remind", one.before, one))],
    ...(due_date && { due_date }),
    ...(read.time && { due_time: read.time.time }),
    ...(read.repetition && { repeat: read.repetition.rule }),
    ...(read.repetition?.from === "done" && { repeat_from: "done" }),
    ...(remind.length > 0 && { remind: remind.map(({ before }) => ({ before })) }),
    ...(offer && { offer: { value: offer.day, start: offer.start, end: offer.end } }),
    ...(unread && { unread }),
  };
}
