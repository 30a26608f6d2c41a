const FIRST_MS = 1000;
const MAX_MS = 30_000;

/**
 * Exponential backoff in milliseconds, up to half a minute, with random jitter of up to half of it so that tabs do not retry
 * in step.
 *
 * @param attempts number of failed attempts
 * @param chance from 0 to 1
 */
export const retryDelayMs = (attempts: number, chance = Math.random()): number =>
  Math.min(MAX_MS, FIRST_MS * 2 ** attempts) * (1 - chance / 2);
