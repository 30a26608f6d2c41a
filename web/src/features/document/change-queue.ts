import type { Document } from "../../api/documents.ts";

// A tab sends its changes of a document one after the other: of two based on the same version, the second would be rejected.

type Outcome = Document | undefined;

const latest = new Map<string, Promise<Outcome>>();

/** The outcome of the change that was queued last; undefined if none is pending or it failed. */
export const pendingChange = async (key: string): Promise<Outcome> => latest.get(key);

/** Whether no change of the document is pending. */
export const hasNoPendingChange = (key: string): boolean => !latest.has(key);

/** Sends a change after the pending ones. `key`: the document's id; for a new document, the writer id of its draft. */
export function queueChange<Changed extends Outcome>(
  key: string,
  change: (before: Outcome) => Promise<Changed>,
): Promise<Changed> {
  const sent = pendingChange(key).then(change);
  const outcome = sent.catch(() => undefined);
  latest.set(key, outcome);
  return sent.finally(() => latest.get(key) === outcome && latest.delete(key));
}
