import type { Reminder } from "../reminder-text.ts";
import { firstDay } from "../repeat/first-day.ts";
import { ruleOf } from "../repeat/rule.ts";
import { daypartAt, type FoundTime, findTime, inDaypart, timeOfDaypart } from "../repeat/time-phrase.ts";
import { type FoundRepetition, findRepetition } from "../repeat/words.ts";
import { type FoundDay, MAX_READ, type Named, nameDay } from "./day.ts";
import { addDays } from "./day-steps.ts";
import { findFromNow } from "./from-now.ts";
import { withoutQuoted } from "./quoted.ts";
import { findReminders } from "./remind-phrase.ts";
import { repetitionsIn } from "./repetition.ts";

// When something is due: its day, its hour, how it repeats and its reminders, as a sentence says them.

export type WhenPart = {
  kind: "due_date" | "due_time" | "repeat" | "remind";
  value: string;
  start: number;
  end: number;
  /** What else the words may mean: the other half of the day, the Friday of this week. */
  other?: string;
};

/** A day that is over: few people say with it when something is due, so they are asked. */
export type Offer = { value: string; start: number; end: number };

export type When = {
  parts: WhenPart[];
  due_date?: string;
  due_time?: string;
  /** An RRULE. */
  repeat?: string;
  repeat_from?: "done";
  remind?: Reminder[];
  offer?: Offer;
  /** Where words say that something repeats, and were not understood. */
  unread?: { start: number; end: number };
};

export type Clock = {
  /** The person's day. */
  today: string;
  /** The time that it is for the person, HH:MM. */
  now?: string;
  /** The day on which it is due unless the words name another, and from which on a repetition begins. */
  from?: string;
  /** Whether what else the words may mean was meant, or a day that is over. */
  isOther?: (words: { start: number; end: number }) => boolean;
};

type Span = { start: number; end: number };

const filled = (text: string, { start, end }: Span, filler: string) =>
  text.slice(0, start) + filler.repeat(end - start) + text.slice(end);

const MAX_REMINDERS = 5;

const UNTIL = /^(?:until|till?|bis)\b/u;

const firstFrom = (rule: string, from: string) => firstDay(ruleOf(rule), { from });

/** A day that is named beside a repetition must be one of its days, or it means something else. */
function fits(day: FoundDay, lower: string, { rule, first }: FoundRepetition): boolean {
  if (first || UNTIL.test(lower.slice(day.start, day.end))) return false;
  return firstFrom(rule, day.day) === day.day;
}

/** The day from which on something can be due: tomorrow, once its hour has passed today. */
const nextDay = (time: string | undefined, { today, now, from }: Clock) =>
  from ?? (time && now && time <= now ? addDays(today, 1) : today);

type Read = { day?: FoundDay; time?: FoundTime; repetition?: FoundRepetition };

function dueDate({ day, time, repetition }: Read, clock: Clock): string | undefined {
  if (day) return day.day;
  const from = nextDay(time?.time, clock);
  if (repetition) return firstFrom(repetition.rule, repetition.first ?? from);
  return clock.from ?? (time && from);
}

/** The hour, from a clock or a part of the day: "tomorrow morning", "every evening at 8", "heute Abend". */
function timeBeside(time: FoundTime | undefined, text: string, { day, repetition }: Read): Read {
  const own = repetition?.daypart;
  const beside = [day, repetition].flatMap((one) => (one ? (daypartAt(text, one.end) ?? []) : []))[0];
  const part =
    own && repetition
      ? { time: timeOfDaypart(own) ?? "", start: repetition.end, end: repetition.end }
      : beside;
  if (!part) return { ...(time && { time }) };
  if (!time) return { time: part };
  // Its words belong to those of the day.
  const widened = <T extends Span>(one: T | undefined) =>
    one && beside && one.end <= part.start && !text.slice(one.end, part.start).trim()
      ? { ...one, end: part.end }
      : one;
  const [wideDay, wideRepetition] = [widened(day), widened(repetition)];
  return {
    time: inDaypart(time, part),
    ...(wideDay && { day: wideDay }),
    ...(wideRepetition && { repetition: wideRepetition }),
  };
}

const fieldsOf = ({ time, repetition }: Read): Pick<When, "due_time" | "repeat" | "repeat_from"> => ({
  ...(time && { due_time: time.time }),
  ...(repetition && { repeat: repetition.rule }),
  ...(repetition?.from === "done" && { repeat_from: "done" }),
});

function partsOf({ day, time, repetition }: Read): WhenPart[] {
  return [
    ...(day
      ? [
          {
            kind: "due_date" as const,
            ...{ value: day.day, start: day.start, end: day.end },
            ...(day.other && { other: day.other }),
          },
        ]
      : []),
    ...(repetition
      ? [{ kind: "repeat" as const, value: repetition.rule, start: repetition.start, end: repetition.end }]
      : []),
    // The part of the day in "every morning" is among the words of the repetition.
    ...(time && time.end > time.start
      ? [
          {
            kind: "due_time" as const,
            ...{ value: time.time, start: time.start, end: time.end },
            ...(time.other && { other: time.other }),
          },
        ]
      : []),
  ];
}

type Understood = Read & { offer?: FoundDay; unread?: Span };

/** The hour beside a day that is over belongs to it: "the call of yesterday at 5". */
const isBeside = (time: FoundTime, day: FoundDay, text: string) =>
  /^[\s,]*$/.test(text.slice(...(time.start < day.start ? [time.end, day.start] : [day.end, time.start])));

function withoutOffer(read: Understood, text: string): Understood {
  const { day, time, repetition, ...rest } = read;
  const isTheirs = day && time && !repetition && isBeside(time, day, text);
  return {
    ...rest,
    ...(day && { offer: day }),
    ...(repetition && { repetition }),
    ...(time && !isTheirs && { time }),
  };
}

/** The day that was meant where the words leave two open. */
const meantDay = ({ other, ...day }: FoundDay, { isOther }: Clock): FoundDay => {
  if (!other) return day;
  return isOther?.(day) ? { ...day, day: other, other: day.day } : { ...day, other };
};

/** The day that is named, and meant, beside a repetition. */
const dayOf = ({ day }: Named, repetition: FoundRepetition | undefined, text: string, clock: Clock) =>
  day && (!repetition || fits(day, text, repetition)) ? meantDay(day, clock) : undefined;

/** An hour that is counted from now, where nothing says that another day is meant. */
const fromNow = (text: string, others: Read & { unread?: Span }, { now, today, from = today }: Clock) =>
  now && Object.keys(others).length === 0 && from === today ? findFromNow(text, now) : undefined;

/** "Di um 17 Uhr": a weekday, or a name. */
const SHORT_WEEKDAY = /(?<![\p{L}\p{N}])(?:mo|di|mi|do|fr|sa)[.,]{0,2}\s{1,4}$/u;
const NEARBY = 12;

/** Whether words say when it is due and no day is certain: then their hour is none of today. */
function isUnsure({ day, isDoubtful }: Named, time: FoundTime | undefined, text: string): boolean {
  if (day || isDoubtful || !time) return isDoubtful ?? false;
  const before = text.slice(Math.max(0, time.start - NEARBY), time.start);
  return /^um|uhr/.test(text.slice(time.start, time.end)) && SHORT_WEEKDAY.test(before);
}

/** What the words mean, before it is put into fields. */
function understood(text: string, clock: Clock): Understood {
  const clockTime = findTime(text);
  // The words of a repetition may go on after its hour: "every day at 9 until 3 May".
  const timeless = clockTime ? filled(text, clockTime, " ") : text;
  const repetition = findRepetition(timeless, clock);
  const once = repetition ? filled(timeless, repetition, "\0") : timeless;
  const named = nameDay(once, clock.today);
  const day = dayOf(named, repetition, text, clock);
  const read: Read = { ...(day && { day }), ...(repetition && { repetition }) };
  const [unread] = repetition ? [] : repetitionsIn(once);
  const rest = unread && { unread };
  if (!repetition && isUnsure(named, clockTime, text)) return { ...rest };
  const time = clockTime ?? fromNow(text, { ...read, ...rest }, clock);
  const all = { ...read, ...timeBeside(time, text, read), ...rest };
  return all.day?.isPast && !clock.isOther?.(all.day) ? withoutOffer(all, text) : all;
}

/** The hour that was meant where the words leave two open. */
function meant(time: FoundTime, { isOther }: Clock): FoundTime {
  return time.other && isOther?.(time) ? { ...time, time: time.other, other: time.time } : time;
}

/** What is looked at of a line: whole words. */
function firstWords(line: string): string {
  if (line.length <= MAX_READ) return line;
  const cut = line.slice(0, MAX_READ);
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), 0));
}

/**
 * Reads when something is due from a sentence. What is in a link or in quotation marks says nothing.
 *
 * @param line in which U+0000 stands for what has been taken out; of more than 2,000 characters only those are read
 */
export function readWhen(line: string, clock: Clock): When {
  const text = firstWords(line);
  const lower = withoutQuoted(text.toLowerCase());
  if (lower.length !== text.length) return { parts: [] };
  const reminders = findReminders(lower);
  const { unread, offer, time, ...others } = understood(
    reminders.reduce((rest, one) => filled(rest, one, "\0"), lower),
    clock,
  );
  const read: Read = { ...others, ...(time && { time: meant(time, clock) }) };
  const due_date = dueDate(read, clock);
  const remind = due_date ? reminders.slice(0, MAX_REMINDERS) : [];
  const parts = remind.map(({ before, start, end }) => ({
    kind: "remind" as const,
    value: before,
    start,
    end,
  }));
  return {
    parts: [...partsOf(read), ...parts],
    ...(due_date && { due_date }),
    ...fieldsOf(read),
    ...(remind.length > 0 && { remind: remind.map(({ before }) => ({ before })) }),
    ...(offer && { offer: { value: offer.day, start: offer.start, end: offer.end } }),
    ...(unread && { unread }),
  };
}
