import { unavailable } from "./errors.ts";

/** Attempts of a change that loses to other writers: far more than needed in practice. */
const MAX_ATTEMPTS = 100;

/** Repeats an attempt until it returns a value; undefined means that another writer came first. Throws 503 after 100. */
export async function retryUntilWritten<Answer>(
  noun: string,
  attempt: () => Promise<Answer | undefined>,
): Promise<Answer> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    const answer = await attempt();
    if (answer !== undefined) return answer;
  }
  throw unavailable(`Too many changes of this ${noun} at once: try again`);
}
