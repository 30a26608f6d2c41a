import { dateParser, firstDayParser, lastDayParser, type NamedDate, ordinalDate } from "./dates.ts";
import {
  after,
  before,
  listOf,
  longest,
  map,
  numeral,
  oneOf,
  optional,
  type Parser,
  phrase,
  sequence,
  type Token,
} from "./parsers.ts";
import { WEEKDAY_CODES } from "./shape.ts";
import { ENGLISH, type FrequencyUnit, GERMAN, type Vocabulary } from "./vocabulary.ts";

type RuleParts = Readonly<Record<string, string | number>>;

/** How often, and the part of the day if the words name one ("every morning"). */
export type RepetitionPhrase = { parts: RuleParts; daypart?: string };

const weekdayCode = (weekday: number) => WEEKDAY_CODES[weekday] ?? "";

const FOLLOWING_WORDS = new Set(
  "at by until till after for from starting beginning um gegen bis nach ab vom beginnend every each jedes jeden".split(
    " ",
  ),
);

/** Whether no word follows that the phrase could describe, as in "every 3rd customer" and "the weekly report". */
function isClosed(tokens: readonly Token[], next: number): boolean {
  const word = tokens[next]?.word;
  return word === undefined || FOLLOWING_WORDS.has(word) || !/[\p{L}\p{N}]/u.test(word);
}

const onlyIfClosed =
  <T>(parser: Parser<T>): Parser<T> =>
  (tokens, at) => {
    const found = parser(tokens, at);
    return found && isClosed(tokens, found.next) ? found : undefined;
  };

/** "Monday", "Mon-Fri" */
function weekdayParser(words: Vocabulary, names: Vocabulary["weekdays"]): Parser<RuleParts> {
  const range = map(
    sequence(oneOf(names), optional(after(phrase(words.range), oneOf(names)), undefined)),
    ([first, last = first]) => {
      const length = ((last - first + 7) % 7) + 1;
      return Array.from({ length }, (_, index) => weekdayCode((first + index) % 7));
    },
  );
  const each = after(optional(phrase(words.everyDay), true), range);
  return map(listOf(each), (days) => ({ BYDAY: [...new Set(days.flat())].join() }));
}

/** Several dates are one rule if they have the same day of the month, or the same month. */
function datesOfYear(dates: readonly NamedDate[]): RuleParts | undefined {
  const months = new Set(dates.map(({ month }) => month));
  const days = new Set(dates.map(({ date }) => date));
  const isOpen = dates.every(({ year }) => year === undefined);
  if (!isOpen || (months.size > 1 && days.size > 1)) return undefined;
  return { BYMONTH: [...months].join(), BYMONTHDAY: [...days].join() };
}

function dayParsers(words: Vocabulary) {
  const place = longest(
    oneOf(words.places),
    map(ordinalDate, (nth) => (nth <= 5 ? nth : undefined)),
  );
  const the = optional(phrase(words.the), true);
  const weekday = oneOf(words.weekdays);
  const onePlace = map(sequence(listOf(after(the, place)), weekday), ([places, day]) =>
    places.map((nth) => `${nth}${weekdayCode(day)}`),
  );
  const placed = map(listOf(onePlace), (days): RuleParts => ({ BYDAY: days.flat().join() }));
  const months = map(listOf(oneOf(words.months)), (names): RuleParts => ({ BYMONTH: names.join() }));
  return {
    place,
    weekdays: weekdayParser(words, words.weekdays),
    allWeekdays: longest(
      weekdayParser(words, words.allWeekdays),
      map(oneOf(words.allGroups), (BYDAY): RuleParts => ({ BYDAY })),
    ),
    placed,
    placedInMonths: map(sequence(placed, after(phrase(words.inMonth), months)), ([day, names]) => ({
      ...day,
      ...names,
    })),
    workingDay: map(
      sequence(after(the, place), oneOf(words.groups)),
      ([nth, BYDAY]): RuleParts | undefined => (BYDAY.includes("MO") ? { BYDAY, BYSETPOS: nth } : undefined),
    ),
    lastDay: map(sequence(after(the, place), phrase(words.day)), ([nth]): RuleParts | undefined =>
      nth === -1 ? { BYMONTHDAY: -1 } : undefined,
    ),
    end: map(phrase(words.end), (): RuleParts => ({ BYMONTHDAY: -1 })),
    /** "The first of every month" */
    placedDate: map(after(the, place), (date): RuleParts => ({ BYMONTHDAY: date })),
    dates: map(listOf(after(the, ordinalDate)), (dates): RuleParts => ({ BYMONTHDAY: dates.join() })),
    yearDates: map(listOf(dateParser(words)), datesOfYear),
  };
}

/**
 * Whether a phrase certainly means a day of the month: "every first" and "every last" do, but "every third Monday" may
 * mean every three weeks.
 */
const isCertainlyOfMonth = ({ BYDAY = "" }: RuleParts) => /^-?1[A-Z]|,/.test(`${BYDAY}`);

type DayParsers = ReturnType<typeof dayParsers>;

const withFrequency = (
  frequency: FrequencyUnit["freq"],
  parser: Parser<RuleParts>,
): Parser<RepetitionPhrase> => map(parser, (parts) => ({ parts: { FREQ: frequency, ...parts } }));

/** "every 2 weeks", "monthly", "once a year", each with its days. */
function spanPhrases(
  words: Vocabulary,
  { place, allWeekdays, weekdays, dates, placed, ...days }: DayParsers,
): Parser<RepetitionPhrase> {
  const on = phrase(words.on);
  const onDays: Record<FrequencyUnit["freq"], Parser<RuleParts>> = {
    DAILY: () => undefined,
    WEEKLY: longest(after(optional(on, true), allWeekdays), after(on, weekdays)),
    MONTHLY: after(on, longest(dates, placed, days.workingDay, days.lastDay)),
    YEARLY: after(on, longest(days.yearDates, days.placedInMonths)),
  };
  const withDays =
    (parser: Parser<FrequencyUnit>): Parser<RepetitionPhrase> =>
    (tokens, at) => {
      const found = parser(tokens, at);
      if (!found) return undefined;
      const { freq, interval } = found.value;
      const named = onDays[freq](tokens, found.next);
      const parts = { FREQ: freq, INTERVAL: interval, ...named?.value };
      return { value: { parts }, next: named?.next ?? found.next };
    };
  const ordinal = map(place, (nth) => (nth > 1 ? nth : undefined));
  const count = longest(numeral, oneOf(words.counts), ordinal);
  const unit = oneOf(words.units);
  const units = map(
    after(phrase(words.every), sequence(optional(count, 1), unit)),
    ([many, { freq, interval }]) => ({ freq, interval: interval * many }),
  );
  const adverb = withDays(oneOf(words.adverbs));
  // "The weekly report" is not a repetition. In German an adjective would have an ending.
  const alone: Parser<RepetitionPhrase> = (tokens, at) => {
    const found = adverb(tokens, at);
    return found && (found.next > at + 1 || isClosed(tokens, found.next)) ? found : undefined;
  };
  return longest(
    withDays(units),
    words === ENGLISH ? alone : adverb,
    withDays(after(phrase(words.once), unit)),
    map(after(phrase(words.every), oneOf(words.dayparts)), (daypart) => ({
      parts: { FREQ: "DAILY" },
      daypart,
    })),
  );
}

/** "every Monday", "every other Friday", "weekdays", "montags", each with an optional part of the day. */
function weekdayPhrases(words: Vocabulary, { weekdays, allWeekdays }: DayParsers): Parser<RepetitionPhrase> {
  const every = phrase(words.everyDay);
  const group = map(oneOf(words.groups), (BYDAY): RuleParts => ({ BYDAY }));
  const other = map(after(phrase(words.other), weekdays), (days): RuleParts => ({ ...days, INTERVAL: 2 }));
  const all = longest(
    after(every, longest(weekdays, group, other)),
    after(optional(phrase("on"), true), allWeekdays),
  );
  const night = map(
    oneOf(words.nights),
    (day): RepetitionPhrase => ({
      parts: { FREQ: "WEEKLY", BYDAY: weekdayCode(day) },
      daypart: "night",
    }),
  );
  return longest(
    night,
    map(sequence(all, optional(oneOf(words.dayparts), undefined)), ([parts, daypart]) => ({
      parts: { FREQ: "WEEKLY", ...parts },
      ...(daypart && { daypart }),
    })),
  );
}

/** "every first Monday", "on the 1st and 15th", "the last day of every month" */
function monthDayPhrases(
  words: Vocabulary,
  { placed, dates, ...days }: DayParsers,
): Parser<RepetitionPhrase> {
  const every = phrase(words.everyDay);
  const any = longest(placed, days.workingDay, days.lastDay, dates);
  const ofEveryMonth = phrase(words.ofEveryMonth);
  const severalDates = map(dates, (parts) => (`${parts.BYMONTHDAY}`.includes(",") ? parts : undefined));
  const month = after(optional(phrase("of"), true), oneOf(words.months));
  // "The 1st and 15th of December" are two days of a year.
  const several: Parser<RuleParts> = (tokens, at) => {
    const found = severalDates(tokens, at);
    return found && !month(tokens, found.next) ? found : undefined;
  };
  const certain = map(placed, (parts) => (isCertainlyOfMonth(parts) ? parts : undefined));
  // "On the 1st and 2nd floor" is not a date: accepted only if nothing follows or at the beginning of the text.
  const atAnEnd: Parser<RuleParts> = (tokens, at) => (at <= 2 ? several : onlyIfClosed(several))(tokens, at);
  return withFrequency(
    "MONTHLY",
    longest(
      after(every, longest(certain, several, onlyIfClosed(dates), days.placedInMonths)),
      after(every, before(any, longest(phrase(words.ofMonth), ofEveryMonth))),
      after(optional(phrase(words.on), true), before(longest(any, days.placedDate, days.end), ofEveryMonth)),
      after(phrase(words.on), before(several, phrase(words.ofMonth))),
      after(phrase(words.onThe), atAnEnd),
    ),
  );
}

/** "every 24 December", "on 3 May every year" */
function yearDayPhrases(
  words: Vocabulary,
  { yearDates, placedInMonths }: DayParsers,
): Parser<RepetitionPhrase> {
  const named = before(longest(yearDates, placedInMonths), phrase(words.ofYear));
  return withFrequency(
    "YEARLY",
    longest(after(phrase(words.everyDay), yearDates), after(optional(phrase(words.on), true), named)),
  );
}

function repetitionPhrases(words: Vocabulary): Parser<RepetitionPhrase> {
  const days = dayParsers(words);
  const kinds = [spanPhrases, weekdayPhrases, monthDayPhrases, yearDayPhrases];
  return longest(...kinds.map((phrasesOf) => phrasesOf(words, days)));
}

/** Bounds that may follow: what it counts from, its first day and its end. */
export type RepetitionBounds = {
  from?: "done";
  first?: (today: string) => string | undefined;
  until?: (today: string) => string | undefined;
  count?: number;
};

function boundsParser(words: Vocabulary): Parser<RepetitionBounds> {
  const comma = optional(phrase(","), true);
  const times = before(numeral, phrase(words.times));
  return longest<RepetitionBounds>(
    map(phrase(words.afterDone), () => ({ from: "done" })),
    map(after(comma, after(phrase(words.until), lastDayParser(words))), (until) => ({ until })),
    map(after(comma, after(phrase(words.starting), firstDayParser(words))), (first) => ({ first })),
    // "Every day 3 times" has another meaning.
    map(after(phrase(",|for|insgesamt|, insgesamt"), times), (count) => ({ count })),
  );
}

export const REPETITION_PARSERS = [ENGLISH, GERMAN].map((words) => ({
  often: repetitionPhrases(words),
  bounds: boundsParser(words),
}));
