// When a delivery that failed is tried again.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between the attempts of one delivery: eight attempts in a day. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR];

/** A webhook that fails is left alone for a while, whatever else it should receive, but never for longer than this. */
const LONGEST_REST = HOUR;

/** A webhook that has failed so often in a row is switched off. With the pauses above that takes 15 hours. */
export const MAX_FAILURES = 20;

const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();

/** When a delivery is tried again after so many attempts; null when it is given up. */
export function nextAttempt(attempts: number, now: Date): string | null {
  const pause = PAUSES[attempts - 1];
  return pause === undefined ? null : later(now, pause);
}

/** Until when a webhook is left alone after so many failures in a row. */
export const restUntil = (failures: number, now: Date): string =>
  later(now, Math.min(PAUSES[failures - 1] ?? LONGEST_REST, LONGEST_REST));
