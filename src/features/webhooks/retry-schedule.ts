const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between the attempts of one delivery: eight attempts in a day. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR];

/** After a failure, a webhook receives nothing for a while, but at most this long. */
const MAX_REST = HOUR;

/** After this many failures in a row, a webhook is switched off. With the pauses above, that takes 15 hours. */
export const MAX_FAILURES = 20;

/** How long the sender leaves a test or replay to its own request. Longer than an attempt takes. */
export const DIRECT_ATTEMPT_MS = 15 * SECOND;

const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();

/** Retry times of a delivery that fails now, indexed by earlier failed attempts. Beyond the last, it is given up. */
export const retryTimes = (now: Date): string[] => PAUSES.map((pause) => later(now, pause));

/** Until when a webhook that fails now receives nothing, indexed by earlier failures in a row. */
export const restTimes = (now: Date): string[] =>
  Array.from({ length: MAX_FAILURES }, (_, before) =>
    later(now, Math.min(PAUSES[before] ?? MAX_REST, MAX_REST)),
  );
