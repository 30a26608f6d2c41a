const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between the attempts of one delivery: eight attempts in a day. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR];

/** A webhook that fails is left alone for a while, whatever else it should receive, but never for longer than this. */
const LONGEST_REST = HOUR;

/** A webhook that has failed so often in a row is switched off. With the pauses above that takes 15 hours. */
export const MAX_FAILURES = 20;

/** How long a test or replay is left to its own request, longer than an attempt takes, before the sender finds it. */
export const OWN_REQUEST_MS = 15 * SECOND;

const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();

/** When a delivery that fails now is tried again, by how many attempts failed before; after the last it is given up. */
export const retriesAfter = (now: Date): string[] => PAUSES.map((pause) => later(now, pause));

/** Until when a webhook that fails now is left alone, by how many attempts in a row failed before. */
export const restsAfter = (now: Date): string[] =>
  Array.from({ length: MAX_FAILURES }, (_, before) =>
    later(now, Math.min(PAUSES[before] ?? LONGEST_REST, LONGEST_REST)),
  );
