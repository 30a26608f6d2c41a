import { localAccount } from "../../api/current-account.ts";
import { randomId } from "../../api/random-id.ts";
import { isTransientError } from "../../api/request.ts";
import { formatCount } from "../../kit/text.ts";
import { titleText } from "../../kit/title-text.ts";
import {
  type ChangeableDocument,
  type DocumentChange,
  type PendingChange,
  pendingChanges,
} from "../../state/pending-changes.ts";
import { documentKey, ensureMe, queries } from "../../state/queries.ts";
import { hasTag } from "../../state/tags.ts";
import { beginToast, type Toast, toast } from "../../state/toasts.ts";
import { undoChanges } from "../../state/undo.ts";
import { pinTag } from "./pinned.ts";
import { PINNED_TAG } from "./pinned-query.ts";
import {
  MAX_DOCUMENTS_PER_REQUEST,
  type StepOutcome,
  sendChanges,
  trackStep,
  withdrawChanges,
} from "./send-changes.ts";

// Actions on documents. Each shows a message with Undo. Offline, the change is kept in this browser and shown as done.

export type { ChangeableDocument as Changeable };

/** "“Packing list”", or "3 documents". */
export const documentNames = (documents: readonly Pick<ChangeableDocument, "title">[]) =>
  documents.length === 1
    ? `“${titleText(documents[0]?.title ?? "")}”`
    : `${formatCount(documents.length)} documents`;

const pendingOf = (step: string) => pendingChanges.get().filter((one) => one.step === step);

const ELSEWHERE = "Already sent from another tab. Undo it from Activity";

/** Undoes a step: pending changes are dropped, and changes that the service has made are reverted. */
async function undoStep(step: string, { changes }: StepOutcome): Promise<void> {
  const pending = pendingOf(step);
  await withdrawChanges(pending);
  if (changes.length > 0) await undoChanges(changes);
  else if (pending.length === 0) toast({ kind: "refused", text: ELSEWHERE });
}

/** A document without its content, which pending changes do not need. */
const withoutContent = <Item extends ChangeableDocument>(item: Item): ChangeableDocument => {
  const { content: _, ...summary } = item as Item & { content?: unknown };
  return summary;
};

/** Trashing is based on the newest version this tab knows, because a list may be older than what was written here. */
function withNewestVersion(change: DocumentChange, item: ChangeableDocument): ChangeableDocument {
  const known = queries.getQueryData<ChangeableDocument>(documentKey(item.id));
  const isNewer = change.kind === "trash" && known && known.version > item.version;
  return isNewer ? { ...item, version: known.version } : item;
}

/** Stores a change of any number of documents, split into parts of at most 100. */
async function storeChange(
  step: string,
  change: DocumentChange,
  documents: readonly ChangeableDocument[],
): Promise<void> {
  const account = localAccount() ?? (await ensureMe()).id;
  const parts: PendingChange[] = [];
  const first = Math.max(Date.now(), (pendingChanges.get().at(-1)?.at ?? 0) + 1);
  // A rename is based on the title on screen. Anything else that is sent right away may win over a simultaneous change.
  const isGuarded = !navigator.onLine || change.kind === "rename";
  for (let start = 0; start < documents.length; start += MAX_DOCUMENTS_PER_REQUEST) {
    const items = documents
      .slice(start, start + MAX_DOCUMENTS_PER_REQUEST)
      .map((one) => withNewestVersion(change, withoutContent(one)));
    const at = first + parts.length;
    parts.push({ key: randomId(), step, account, at, change, documents: items, isGuarded });
  }
  await pendingChanges.write(parts);
}

export type ChangeResult = StepOutcome & {
  /** Number of documents whose change is still pending. */
  waiting: number;
  /** Why they are pending; undefined if they are about to be sent. */
  problem: Error | undefined;
  undo: () => Promise<void>;
};

const OFFLINE = new Error("You’re offline");

/** Changes documents, or keeps the change pending until the service answers. */
export async function changeDocuments(
  change: DocumentChange,
  documents: readonly ChangeableDocument[],
): Promise<ChangeResult> {
  const step = randomId();
  pendingChanges.markSending(step);
  const outcome = trackStep(step);
  try {
    await storeChange(step, change, documents);
    const problem = navigator.onLine
      ? await sendChanges().then(
          () => undefined,
          (reason: unknown) => reason as Error,
        )
      : OFFLINE;
    const waiting = pendingOf(step).flatMap((one) => one.documents).length;
    return { ...outcome, waiting, problem, undo: () => undoStep(step, outcome) };
  } finally {
    pendingChanges.endSending(step);
  }
}

type Step = {
  done: (names: string) => string;
  documents: readonly ChangeableDocument[];
  change: DocumentChange;
};

/** What to add to a message: "; will sync when you're back online", "; 2 rejected: …". */
export function resultSuffix({ done, refused, waiting, problem }: ChangeResult): string {
  const which = done.length > 0 ? `${formatCount(waiting)} of them ` : "";
  const when =
    isTransientError(problem) && navigator.onLine ? "when the server is back" : "when you’re back online";
  const pending = waiting > 0 && problem ? `; ${which}will sync ${when}` : "";
  return `${pending}${refused.length > 0 ? `; ${formatCount(refused.length)} rejected: ${refused[0]?.reason}` : ""}`;
}

/** The undo action of a message; empty if nothing was changed. */
export const undoAction = ({ waiting, changes, undo }: ChangeResult): Pick<Toast, "undo"> =>
  waiting > 0 || changes.length > 0 ? { undo: () => void undo() } : {};

/** Returns false if every document was rejected. */
async function act({ done, documents, change }: Step): Promise<boolean> {
  const message = beginToast();
  const result = await changeDocuments(change, documents);
  const rejectedIds = new Set(result.refused.map(({ document: { id } }) => id));
  const changed = documents.filter(({ id }) => !rejectedIds.has(id));
  if (changed.length === 0) {
    const text = result.refused[0]?.reason ?? result.problem?.message ?? "Nothing was changed";
    message.end({ kind: "refused", text });
    return false;
  }
  const suffix = resultSuffix(result);
  const { length: count } = changed;
  const text = (total: number) => done(`${formatCount(total)} documents`);
  message.end({
    text: done(documentNames(changed)) + suffix,
    ...undoAction(result),
    ...(suffix === "" && change.kind !== "rename" && { group: { name: text(2), count, text } }),
  });
  return true;
}

/** Says that a step changed nothing, because it was already taken. `verbs`: for one document, and for several. */
async function tellUnchanged(
  documents: readonly ChangeableDocument[],
  [one, several]: [one: string, several: string],
): Promise<boolean> {
  const { length } = documents;
  const all = length === 2 ? "Both" : `All ${formatCount(length)}`;
  toast({
    text: length === 1 ? `${documentNames(documents)} ${one} already` : `${all} ${several} already`,
  });
  return true;
}

export const renameDocument = (document: ChangeableDocument, title: string) =>
  act({ done: () => `Renamed to “${title}”`, documents: [document], change: { kind: "rename", title } });

export const moveDocuments = (
  documents: readonly ChangeableDocument[],
  folder: { id: string | null; name: string },
) => {
  const moved = documents.filter(({ folder_id }) => folder_id !== folder.id);
  if (moved.length === 0) return tellUnchanged(documents, ["is there", "are there"]);
  return act({
    done: (names) => `${names} moved to ${folder.name}`,
    documents: moved,
    change: { kind: "move", folder_id: folder.id, folder: folder.name },
  });
};

export const tagDocuments = (
  documents: readonly ChangeableDocument[],
  tag: string,
  done: Step["done"] = (names) => `${names} tagged ${tag}`,
) => {
  const untagged = documents.filter(({ tags }) => !hasTag(tags, tag));
  if (untagged.length === 0) return tellUnchanged(documents, ["has it", "have it"]);
  return act({ done, documents: untagged, change: { kind: "tag", tag } });
};

export const untagDocuments = (
  documents: readonly ChangeableDocument[],
  tag: string,
  done: Step["done"] = (names) => `${tag} removed from ${names}`,
) => {
  const tagged = documents.filter(({ tags }) => hasTag(tags, tag));
  if (tagged.length === 0) return Promise.resolve(true);
  return act({ done, documents: tagged, change: { kind: "untag", tag } });
};

/** Pins a document to the top of all lists, or unpins it. */
export function togglePin(document: ChangeableDocument): Promise<boolean> {
  const tag = pinTag(document);
  return tag === undefined
    ? tagDocuments([document], PINNED_TAG, (names) => `${names} pinned`)
    : untagDocuments([document], tag, (names) => `${names} unpinned`);
}

export const trashDocuments = (documents: readonly ChangeableDocument[]) =>
  act({ done: (names) => `${names} moved to the trash`, documents, change: { kind: "trash" } });
