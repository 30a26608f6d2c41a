import { randomId } from "../../api/random-id.ts";
import { type Changeable, changesNow, keepChanges, type WaitingChange } from "../../state/waiting-changes.ts";

// What of a change must not be sent yet.

export type Held = Record<"drafts" | "steps" | "unsaved", ReadonlySet<string>> & {
  /** The documents of which an earlier change waits. */
  documents: Set<string>;
};

const UNSAVED =
  "What you wrote in it is not saved: somebody has changed the same passage. Open it to see both";

/** The documents of which a change waits for somebody. */
const undecided = (before: number) =>
  changesNow().flatMap(({ refused, at, documents }) =>
    refused && at <= before ? documents.map(({ id }) => id) : [],
  );

type Divided = Record<"go" | "stay" | "unsaved", Changeable[]>;

/** An earlier change of a document comes first, and so does its text; what another tab sends is not sent from here. */
function divide({ change, documents, step, at, isDecided }: WaitingChange, held: Held): Divided {
  const waits = new Set([...held.documents, ...undecided(at)]);
  const isTrash = change.kind === "trash" && !isDecided;
  const parts: Divided = { go: [], stay: [], unsaved: [] };
  for (const document of documents) {
    const hasText = isTrash && held.drafts.has(document.id);
    if (held.steps.has(step) || waits.has(document.id)) parts.stay.push(document);
    else if (hasText) parts[held.unsaved.has(document.id) ? "unsaved" : "stay"].push(document);
    else parts.go.push(document);
  }
  return parts;
}

/**
 * What of a change may be sent now; undefined if none of it. The rest is kept as another one, unless it was sent before: then
 * all of it waits. Where the text of a document waits for somebody, so does what was to be done after it.
 */
export async function partToSend(waiting: WaitingChange, held: Held): Promise<WaitingChange | undefined> {
  const { go, stay, unsaved } = divide(waiting, held);
  if (go.length === waiting.documents.length) return waiting;
  const isWhole = waiting.sent !== undefined || go.length + unsaved.length === 0;
  for (const { id } of isWhole ? waiting.documents : [...stay, ...unsaved]) held.documents.add(id);
  if (isWhole) return undefined;
  const part = { ...waiting, documents: go };
  const rest = { ...waiting, key: randomId(), documents: stay };
  const refused = unsaved.map((document) => ({
    ...{ ...waiting, key: `${waiting.key}:${document.id}`, documents: [document] },
    ...{ refused: UNSAVED, isGuarded: true },
  }));
  const parts = [part, rest].filter(({ documents }) => documents.length > 0);
  await keepChanges([...parts, ...refused], [waiting]);
  return go.length > 0 ? part : undefined;
}
