import { randomId } from "../../api/random-id.ts";
import { type ChangeableDocument, type PendingChange, pendingChanges } from "../../state/pending-changes.ts";

// Holds back the parts of a change that must not be sent yet.

export type HeldBack = Record<"drafts" | "unsaved", ReadonlySet<string>> & {
  /** Documents that have an earlier pending change. */
  documents: Set<string>;
};

const UNSAVED =
  "Your text in it isn’t saved, because the same passage was changed elsewhere. Open it to compare";

/** Documents with a rejected change that the user has not decided on. */
const undecided = (before: number) =>
  pendingChanges
    .get()
    .flatMap(({ refused, at, documents }) => (refused && at <= before ? documents.map(({ id }) => id) : []));

const isSentElsewhere = (step: string) =>
  pendingChanges.isSending(step) && !pendingChanges.sending.get().get(step);

type Divided = Record<"go" | "stay" | "unsaved", ChangeableDocument[]>;

/** Holds back documents with an earlier pending change or an unsaved text, and steps that another tab is sending. */
function divide({ change, documents, step, at, isDecided }: PendingChange, held: HeldBack): Divided {
  const blocked = new Set([...held.documents, ...undecided(at)]);
  const isTrash = change.kind === "trash" && !isDecided;
  const isElsewhere = isSentElsewhere(step);
  const parts: Divided = { go: [], stay: [], unsaved: [] };
  for (const document of documents) {
    const hasText = isTrash && held.drafts.has(document.id);
    if (isElsewhere || blocked.has(document.id)) parts.stay.push(document);
    else if (hasText) parts[held.unsaved.has(document.id) ? "unsaved" : "stay"].push(document);
    else parts.go.push(document);
  }
  return parts;
}

/**
 * The part of a change that can be sent now; undefined if there is none. The rest is stored as a separate change, unless the
 * change was sent before: then all of it is held back. A trashed document whose text is not saved is left to the user.
 */
export async function sendablePart(
  waiting: PendingChange,
  held: HeldBack,
): Promise<PendingChange | undefined> {
  const { go, stay, unsaved } = divide(waiting, held);
  if (go.length === waiting.documents.length) return waiting;
  const isWhole = waiting.sent !== undefined || go.length + unsaved.length === 0;
  for (const { id } of isWhole ? waiting.documents : [...stay, ...unsaved]) held.documents.add(id);
  if (isWhole) return undefined;
  const part = { ...waiting, documents: go };
  const rest = { ...waiting, key: randomId(), documents: stay };
  const refused = unsaved.map((document) => ({
    ...waiting,
    key: `${waiting.key}:${document.id}`,
    documents: [document],
    refused: UNSAVED,
    isGuarded: true,
  }));
  const parts = [part, rest].filter(({ documents }) => documents.length > 0);
  await pendingChanges.write([...parts, ...refused], [waiting]);
  return go.length > 0 ? part : undefined;
}
