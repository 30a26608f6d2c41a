const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/**
 * How long to wait before a new attempt, in milliseconds: about twice as long each time, up to half a minute, and by chance
 * up to half of it less, so that many tabs do not ask at the same moment.
 *
 * @param attempts how many have failed
 * @param chance from 0 to 1
 */
export const pauseAfter = (attempts: number, chance = Math.random()): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** attempts) * (1 - chance / 2);
