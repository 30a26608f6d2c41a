import { unavailable } from "./errors.ts";

/** How often a change starts again because another writer came first: far more often than writers meet. */
const MAX_ATTEMPTS = 100;

/**
 * Repeats an attempt until it answers something; undefined means that another writer came first. Throws 503 when that
 * happens a hundred times in a row.
 *
 * @param noun what is being changed, for the message
 */
export async function untilWritten<Answer>(
  noun: string,
  attempt: () => Promise<Answer | undefined>,
): Promise<Answer> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    const answer = await attempt();
    if (answer !== undefined) return answer;
  }
  throw unavailable(`Too many changes of this ${noun} at once: try again`);
}
