import { dateOf, firstDayOf, type NamedDate, ordinalDate } from "./dates.ts";
import {
  after,
  among,
  before,
  both,
  listOf,
  longest,
  map,
  maybe,
  numeral,
  type Parser,
  phrase,
  type Token,
} from "./grammar.ts";
import { WEEKDAY_CODES } from "./shape.ts";
import { ENGLISH, GERMAN, type Unit, type Vocabulary } from "./vocabulary.ts";

/** Parts of an RRULE. */
type Parts = Readonly<Record<string, string | number>>;

/** How often, and the part of the day if the words name one ("every morning"). */
export type Often = { parts: Parts; daypart?: string };

const code = (weekday: number) => WEEKDAY_CODES[weekday] ?? "";

const LEADS = new Set(
  "at by until till after for from starting beginning um gegen bis nach ab vom beginnend every each jedes jeden".split(
    " ",
  ),
);

/** Whether no word follows that the phrase could describe, as in "every 3rd customer" and "the weekly report". */
function isClosed(tokens: readonly Token[], next: number): boolean {
  const word = tokens[next]?.word;
  return word === undefined || LEADS.has(word) || !/[\p{L}\p{N}]/u.test(word);
}

/** A parser that only matches if `isClosed` holds after it. */
const closed =
  <T>(parser: Parser<T>): Parser<T> =>
  (tokens, at) => {
    const found = parser(tokens, at);
    return found && isClosed(tokens, found.next) ? found : undefined;
  };

/** "Monday", "Mon-Fri" */
function weekdaysOf(words: Vocabulary, names: Vocabulary["weekdays"]): Parser<Parts> {
  const range = map(
    both(among(names), maybe(after(phrase(words.range), among(names)), undefined)),
    ([first, last = first]) => {
      const length = ((last - first + 7) % 7) + 1;
      return Array.from({ length }, (_, index) => code((first + index) % 7));
    },
  );
  const each = after(maybe(phrase(words.everyDay), true), range);
  return map(listOf(each), (days) => ({ BYDAY: [...new Set(days.flat())].join() }));
}

/** Several dates are one rule if they have the same day of the month, or the same month. */
function datesOfYear(dates: readonly NamedDate[]): Parts | undefined {
  const months = new Set(dates.map(({ month }) => month));
  const days = new Set(dates.map(({ date }) => date));
  const isOpen = dates.every(({ year }) => year === undefined);
  if (!isOpen || (months.size > 1 && days.size > 1)) return undefined;
  return { BYMONTH: [...months].join(), BYMONTHDAY: [...days].join() };
}

/** Parsers for days, shared by the phrases of a language. */
function daysOf(words: Vocabulary) {
  const place = longest(
    among(words.places),
    map(ordinalDate, (nth) => (nth <= 5 ? nth : undefined)),
  );
  const the = maybe(phrase(words.the), true);
  const weekday = among(words.weekdays);
  const onePlace = map(both(listOf(after(the, place)), weekday), ([places, day]) =>
    places.map((nth) => `${nth}${code(day)}`),
  );
  const placed = map(listOf(onePlace), (days): Parts => ({ BYDAY: days.flat().join() }));
  const months = map(listOf(among(words.months)), (names): Parts => ({ BYMONTH: names.join() }));
  return {
    place,
    weekdays: weekdaysOf(words, words.weekdays),
    allWeekdays: longest(
      weekdaysOf(words, words.allWeekdays),
      map(among(words.allGroups), (BYDAY): Parts => ({ BYDAY })),
    ),
    placed,
    placedInMonths: map(both(placed, after(phrase(words.inMonth), months)), ([day, names]) => ({
      ...day,
      ...names,
    })),
    workingDay: map(both(after(the, place), among(words.groups)), ([nth, BYDAY]): Parts | undefined =>
      BYDAY.includes("MO") ? { BYDAY, BYSETPOS: nth } : undefined,
    ),
    lastDay: map(both(after(the, place), phrase(words.day)), ([nth]): Parts | undefined =>
      nth === -1 ? { BYMONTHDAY: -1 } : undefined,
    ),
    dates: map(listOf(after(the, ordinalDate)), (dates): Parts => ({ BYMONTHDAY: dates.join() })),
    yearDates: map(listOf(dateOf(words)), datesOfYear),
  };
}

/** Whether a phrase certainly means a day of the month: "every first" and "every last" do, but "every third Monday" may mean every three weeks. */
const isOfMonth = ({ BYDAY = "" }: Parts) => /^-?1[A-Z]|,/.test(`${BYDAY}`);

type Days = ReturnType<typeof daysOf>;

const withFrequency = (frequency: Unit["freq"], parser: Parser<Parts>): Parser<Often> =>
  map(parser, (parts) => ({ parts: { FREQ: frequency, ...parts } }));

/** "every 2 weeks", "monthly", "once a year", each with its days. */
function spansIn(
  words: Vocabulary,
  { place, allWeekdays, weekdays, dates, placed, ...days }: Days,
): Parser<Often> {
  const on = phrase(words.on);
  const onDays: Record<Unit["freq"], Parser<Parts>> = {
    DAILY: () => undefined,
    WEEKLY: longest(after(maybe(on, true), allWeekdays), after(on, weekdays)),
    MONTHLY: after(on, longest(dates, placed, days.workingDay, days.lastDay)),
    YEARLY: after(on, longest(days.yearDates, days.placedInMonths)),
  };
  const withDays =
    (parser: Parser<Unit>): Parser<Often> =>
    (tokens, at) => {
      const found = parser(tokens, at);
      if (!found) return undefined;
      const { freq, interval } = found.value;
      const named = onDays[freq](tokens, found.next);
      const parts = { FREQ: freq, INTERVAL: interval, ...named?.value };
      return { value: { parts }, next: named?.next ?? found.next };
    };
  const ordinal = map(place, (nth) => (nth > 1 ? nth : undefined));
  const count = longest(numeral, among(words.counts), ordinal);
  const unit = among(words.units);
  const units = map(
    after(phrase(words.every), both(maybe(count, 1), unit)),
    ([many, { freq, interval }]) => ({
      freq,
      interval: interval * many,
    }),
  );
  const adverb = withDays(among(words.adverbs));
  // "The weekly report" is not a repetition. In German an adjective would have an ending.
  const alone: Parser<Often> = (tokens, at) => {
    const found = adverb(tokens, at);
    return found && (found.next > at + 1 || isClosed(tokens, found.next)) ? found : undefined;
  };
  return longest(
    withDays(units),
    words === ENGLISH ? alone : adverb,
    withDays(after(phrase(words.once), unit)),
    map(after(phrase(words.every), among(words.dayparts)), (daypart) => ({
      parts: { FREQ: "DAILY" },
      daypart,
    })),
  );
}

/** "every Monday", "every other Friday", "weekdays", "montags", each with an optional part of the day. */
function weekdaysIn(words: Vocabulary, { weekdays, allWeekdays }: Days): Parser<Often> {
  const every = phrase(words.everyDay);
  const group = map(among(words.groups), (BYDAY): Parts => ({ BYDAY }));
  const other = map(after(phrase(words.other), weekdays), (days): Parts => ({ ...days, INTERVAL: 2 }));
  const all = longest(
    after(every, longest(weekdays, group, other)),
    after(maybe(phrase("on"), true), allWeekdays),
  );
  return map(both(all, maybe(among(words.dayparts), undefined)), ([parts, daypart]) => ({
    parts: { FREQ: "WEEKLY", ...parts },
    ...(daypart && { daypart }),
  }));
}

/** "every first Monday", "on the 1st and 15th", "the last day of every month" */
function monthDaysIn(words: Vocabulary, { placed, dates, ...days }: Days): Parser<Often> {
  const every = phrase(words.everyDay);
  const any = longest(placed, days.workingDay, days.lastDay, dates);
  const ofEveryMonth = phrase(words.ofEveryMonth);
  const severalDates = map(dates, (parts) => (`${parts.BYMONTHDAY}`.includes(",") ? parts : undefined));
  const month = after(maybe(phrase("of"), true), among(words.months));
  // "The 1st and 15th of December" are two days of a year.
  const several: Parser<Parts> = (tokens, at) => {
    const found = severalDates(tokens, at);
    return found && !month(tokens, found.next) ? found : undefined;
  };
  const certain = map(placed, (parts) => (isOfMonth(parts) ? parts : undefined));
  // "On the 1st and 2nd floor" is not a date: accepted only if nothing follows or at the beginning of the text.
  const atAnEnd: Parser<Parts> = (tokens, at) => (at <= 2 ? several : closed(several))(tokens, at);
  return withFrequency(
    "MONTHLY",
    longest(
      after(every, longest(certain, several, closed(dates), days.placedInMonths)),
      after(every, before(any, longest(phrase(words.ofMonth), ofEveryMonth))),
      after(maybe(phrase(words.on), true), before(any, ofEveryMonth)),
      after(phrase(words.on), before(several, phrase(words.ofMonth))),
      after(phrase(words.onThe), atAnEnd),
    ),
  );
}

/** "every 24 December", "on 3 May every year" */
function yearDaysIn(words: Vocabulary, { yearDates, placedInMonths }: Days): Parser<Often> {
  const named = before(longest(yearDates, placedInMonths), phrase(words.ofYear));
  return withFrequency(
    "YEARLY",
    longest(after(phrase(words.everyDay), yearDates), after(maybe(phrase(words.on), true), named)),
  );
}

/** Phrases for how often something repeats, in one language. */
function oftenIn(words: Vocabulary): Parser<Often> {
  const days = daysOf(words);
  return longest(...[spansIn, weekdaysIn, monthDaysIn, yearDaysIn].map((parser) => parser(words, days)));
}

/** Bounds that may follow: what it counts from, its first day and its end. */
export type Bounds = {
  from?: "done";
  first?: (today: string) => string | undefined;
  until?: NamedDate;
  count?: number;
};

function boundsIn(words: Vocabulary): Parser<Bounds> {
  const comma = maybe(phrase(","), true);
  const times = before(numeral, phrase(words.times));
  return longest<Bounds>(
    map(phrase(words.afterDone), () => ({ from: "done" })),
    map(after(comma, after(phrase(words.until), dateOf(words))), (until) => ({ until })),
    map(after(comma, after(phrase(words.starting), firstDayOf(words))), (first) => ({ first })),
    // "Every day 3 times" has another meaning.
    map(after(phrase(",|for|insgesamt|, insgesamt"), times), (count) => ({ count })),
  );
}

/** Parsers for repetitions and their bounds, per language. */
export const LANGUAGES = [ENGLISH, GERMAN].map((words) => ({
  often: oftenIn(words),
  bounds: boundsIn(words),
}));
