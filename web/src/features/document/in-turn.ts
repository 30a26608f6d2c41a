import type { Document } from "../../api/documents.ts";

// What this tab writes of a document is sent one change after the other: of two that are based on the same version, the
// second would be refused.

type Outcome = Document | undefined;

const latest = new Map<string, Promise<Outcome>>();

/** What the change that was sent last comes to; undefined when none is under way, or it was refused. */
export const underWay = async (key: string): Promise<Outcome> => latest.get(key);

/** Whether no change of a document waits for its answer. */
export const isSettled = (key: string): boolean => !latest.has(key);

/**
 * Sends a change after those that are under way.
 *
 * @param key the document; for one that does not exist yet, its writer
 * @param change gets what the change before it came to. Its errors are those of the answer
 */
export function inTurn<Changed extends Outcome>(
  key: string,
  change: (before: Outcome) => Promise<Changed>,
): Promise<Changed> {
  const sent = underWay(key).then(change);
  const outcome = sent.catch(() => undefined);
  latest.set(key, outcome);
  const settle = () => latest.get(key) === outcome && latest.delete(key);
  return sent.finally(settle);
}
