import type { Reminder } from "../../../../src/contract/reminder-text.ts";
import { firstDay } from "../../../../src/contract/repeat/first-day.ts";
import { ruleOf } from "../../../../src/contract/repeat/rule.ts";
import {
  daypartAt,
  type FoundTime,
  findTime,
  inDaypart,
  timeOfDaypart,
} from "../../../../src/contract/repeat/time-phrase.ts";
import { type FoundRepetition, findRepetition } from "../../../../src/contract/repeat/words.ts";
import { type FoundDay, findDay } from "../../kit/date-phrase.ts";
import { addDays } from "../../kit/dates.ts";
import { withoutQuoted } from "../../kit/quoted.ts";
import { findReminders } from "../../kit/remind-phrase.ts";
import { repetitionsIn } from "../../kit/repetition.ts";

// When something is due: its day, its hour, how it repeats and its reminders, as a sentence says them.

export type WhenPart = {
  kind: "due_date" | "due_time" | "repeat" | "remind";
  value: string;
  start: number;
  end: number;
  /** What else the words may mean: the other half of the day. */
  other?: string;
};

export type When = {
  parts: WhenPart[];
  due_date?: string;
  due_time?: string;
  /** An RRULE. */
  repeat?: string;
  repeat_from?: "done";
  remind?: Reminder[];
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
  /** Whether the other half of the day was meant. */
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
    ...(day ? [{ kind: "due_date" as const, value: day.day, start: day.start, end: day.end }] : []),
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

/** What the words mean, before it is put into fields. */
function understood(text: string, clock: Clock): Read & { unread?: Span } {
  const clockTime = findTime(text);
  // The words of a repetition may go on after its hour: "every day at 9 until 3 May".
  const timeless = clockTime ? filled(text, clockTime, " ") : text;
  const repetition = findRepetition(timeless, clock);
  const once = repetition ? filled(timeless, repetition, "\0") : timeless;
  const named = findDay(once, clock.today);
  const day = named && (!repetition || fits(named, text, repetition)) ? named : undefined;
  const read: Read = { ...(day && { day }), ...(repetition && { repetition }) };
  const [unread] = repetition ? [] : repetitionsIn(once);
  return { ...read, ...timeBeside(clockTime, text, read), ...(unread && { unread }) };
}

/** The hour that was meant where the words leave two open. */
function meant(time: FoundTime, { isOther }: Clock): FoundTime {
  return time.other && isOther?.(time) ? { ...time, time: time.other, other: time.time } : time;
}

/**
 * Reads when something is due from a sentence. What is in a link or in quotation marks says nothing.
 *
 * @param line in which U+0000 stands for what has been taken out
 */
export function readWhen(line: string, clock: Clock): When {
  const lower = withoutQuoted(line.toLowerCase());
  if (lower.length !== line.length) return { parts: [] };
  const reminders = findReminders(lower);
  const { unread, time, ...others } = understood(
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
    ...(unread && { unread }),
  };
}
