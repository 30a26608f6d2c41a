import type { ErrorCode } from "../../../../src/contract/error-codes.ts";
import { omit } from "../../../../src/contract/omit.ts";
import { confirmedAccount } from "../../api/current-account.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { trackBulkProgress } from "../../state/bulk-progress.ts";
import { updateCachedPages } from "../../state/cached-pages.ts";
import { waitingDrafts } from "../../state/document-drafts.ts";
import { DISCARDED, isUnanswered } from "../../state/outbox.ts";
import {
  applyChange,
  type ChangeableDocument,
  type DocumentChange,
  isStepSending,
  type PendingChange,
  pendingChanges,
} from "../../state/pending-changes.ts";
import {
  cancelDocumentQueries,
  queries,
  refreshDocuments,
  refreshDocumentsAfterPatch,
} from "../../state/queries.ts";
import type { ChangeIds } from "../../state/undo.ts";
import { type RejectedDocument, requestChange } from "./change-request.ts";
import { type HeldBack, sendablePart } from "./held-changes.ts";
import { judgeRejected } from "./judge-rejected.ts";
import { type DocumentListFilter, matchesFilter } from "./list-filter.ts";

// Sends pending document changes in the order they were made: right away, or once the service answers again. Any tab sends them.

export const MAX_DOCUMENTS_PER_REQUEST = 100;

/** An older change always gets a version check, so that it does not overwrite what others have changed since. */
const FRESH_MS = 60_000;
/** The service remembers an idempotency key for 24 hours; one hour is kept in reserve. */
const REMEMBERED_MS = 23 * 3_600_000;
const KEY_USED: ErrorCode = "key_used";
/** How often a change is retried on a newer version before the user has to decide. */
const MAX_ATTEMPTS = 4;

/** The results of a step so far. `changes`: ids of the recorded changes, for undo. */
export type StepOutcome = { done: ChangeableDocument[]; refused: RejectedDocument[]; changes: ChangeIds };

const outcomes = new Map<string, StepOutcome>();

const newOutcome = (): StepOutcome => ({ done: [], refused: [], changes: [] });

/** Collects the results of a step from now on. */
export function trackStep(step: string): StepOutcome {
  const outcome = newOutcome();
  outcomes.set(step, outcome);
  return outcome;
}

/** Forgets a step's outcome once none of its changes is pending. */
function forgetIfDone(step: string): void {
  if (!pendingChanges.get().some((one) => one.step === step)) outcomes.delete(step);
}

/** Applies a completed change to the cached lists until they are fetched again. */
async function showInLists(documents: readonly ChangeableDocument[], change: DocumentChange): Promise<void> {
  await cancelDocumentQueries();
  const ids = new Set(documents.map(({ id }) => id));
  updateCachedPages<ChangeableDocument, DocumentListFilter>(["documents", "list"], (item, query) => {
    if (!ids.has(item.id)) return [item];
    const next = applyChange(item, change);
    return change.kind === "trash" || !matchesFilter(query, next) ? [] : [next];
  });
  for (const id of ids)
    queries.setQueryData<ChangeableDocument>(
      ["documents", "one", id],
      (known) => known && applyChange(known, change),
    );
}

/** Sorts rejected documents: already as wanted, to be retried on a newer version, or left for the user to decide. */
async function sortRejected(change: DocumentChange, rejected: readonly RejectedDocument[], attempt: number) {
  const sorted = {
    done: [] as ChangeableDocument[],
    again: [] as ChangeableDocument[],
    refused: [] as RejectedDocument[],
  };
  for (const one of rejected) {
    const result = await judgeRejected(change, one);
    if ("isDone" in result) sorted.done.push(one.document);
    else if ("again" in result && attempt < MAX_ATTEMPTS) sorted.again.push(result.again);
    else if ("again" in result)
      sorted.refused.push({ document: result.again, reason: "It is being changed right now" });
    else sorted.refused.push({ document: result.now, reason: result.reason });
  }
  return sorted;
}

/** If no caller is waiting for the step, rejected changes are kept until the user decides. */
const rejectedToKeep = (waiting: PendingChange, refused: readonly RejectedDocument[]): PendingChange[] =>
  isStepSending(waiting.step)
    ? []
    : refused.map(({ document, reason }) => {
        const { sent: _, ...unsent } = waiting;
        const key = `${waiting.key}:${document.id}`;
        return { ...unsent, key, documents: [document], isGuarded: true, refused: reason };
      });

/** An earlier attempt used this key with a different body (with or without the version check). */
const isKeyReused = (problem: unknown) => isApiError(problem, 422) && problem.code === KEY_USED;

/** Returns the rejected documents. Throws ApiError if the service does not answer. */
async function request(
  sent: PendingChange,
  isGuarded: boolean,
  changes: ChangeIds,
): Promise<RejectedDocument[]> {
  const send = (guarded: boolean) => requestChange({ ...sent, isGuarded: guarded }, changes);
  try {
    return await send(isGuarded).catch((problem: unknown) => {
      if (sent.isGuarded || !isKeyReused(problem)) throw problem;
      return send(!isGuarded);
    });
  } catch (problem) {
    if (isUnanswered(problem)) throw problem;
    return sent.documents.map((document) => ({ document, reason: (problem as Error).message }));
  }
}

const isFresh = ({ at, isWithdrawn }: PendingChange) => isWithdrawn || Date.now() - at < FRESH_MS;

async function sendOne(waiting: PendingChange, attempt = 1): Promise<void> {
  const { change, documents, step } = waiting;
  const isGuarded = waiting.isGuarded || !isFresh(waiting);
  const outcome = outcomes.get(step) ?? newOutcome();
  const sent = await pendingChanges.update(waiting.key, { sent: waiting.sent ?? Date.now() });
  if (!sent) {
    outcome.refused.push(...documents.map((document) => ({ document, reason: DISCARDED })));
    return forgetIfDone(step);
  }
  const changes: ChangeIds = [];
  const rejected = await request(sent, isGuarded, changes);
  const { done, again, refused } =
    isGuarded || change.kind === "restore"
      ? await sortRejected(change, rejected, attempt)
      : { done: [], again: [], refused: rejected };
  const rejectedIds = new Set(rejected.map(({ document: { id } }) => id));
  done.push(...documents.filter(({ id }) => !rejectedIds.has(id)));
  await showInLists(done, change);
  if (await pendingChanges.undoIfWithdrawn(sent, changes)) return forgetIfDone(step);
  outcome.done.push(...done);
  outcome.refused.push(...refused);
  outcome.changes.push(...changes);
  const { sent: _, ...unsent } = waiting;
  const next = { ...unsent, key: randomId(), documents: again, isGuarded: true };
  await pendingChanges.write(
    [...(again.length > 0 ? [next] : []), ...rejectedToKeep(waiting, refused)],
    [sent],
  );
  const retry = pendingChanges.find(next.key);
  if (retry) await sendOne(retry, attempt + 1);
  forgetIfDone(step);
}

const bulkProgress = trackBulkProgress();

/** Shows the progress of the change's step, if the step needs more than one request. */
function updateProgress({ step }: PendingChange, all: readonly PendingChange[]): void {
  const countIn = (changes: readonly PendingChange[]) =>
    changes.filter((one) => one.step === step).flatMap(({ documents }) => documents).length;
  const total = countIn(all);
  const done = total - countIn(pendingChanges.get());
  if (total > MAX_DOCUMENTS_PER_REQUEST) bulkProgress.show({ text: "Changing documents", done, total });
}

/** Long enough for the screen to navigate away from a trashed document. */
const SOON_MS = 50;

/** After a large change, the loaded pages of a list no longer match the pages beyond them. */
const refreshSoon = (count: number) =>
  setTimeout(
    () => void (count > MAX_DOCUMENTS_PER_REQUEST ? refreshDocuments() : refreshDocumentsAfterPatch()),
    SOON_MS,
  );

/** A withdrawn change whose key the service may have forgotten: sending it again would carry it out again. */
const isForgotten = ({ sent = Date.now(), isWithdrawn }: PendingChange) =>
  isWithdrawn && Date.now() - sent > REMEMBERED_MS;

/** Sends one of several changes. Returns a server error, which does not stop the changes of other documents. */
async function sendNext(waiting: PendingChange, held: HeldBack): Promise<unknown> {
  try {
    if (isForgotten(waiting)) await pendingChanges.remove(waiting.key);
    else await sendOne(waiting);
    return undefined;
  } catch (problem) {
    if (!isApiError(problem) || problem.status < 500) throw problem;
    for (const { id } of waiting.documents) held.documents.add(id);
    return problem;
  }
}

async function sendAll(account: string, unsaved: ReadonlySet<string>): Promise<void> {
  const all = await pendingChanges.read();
  const drafts = new Set((await waitingDrafts(account)).map(({ place }) => place.id));
  const held = { drafts, unsaved, documents: new Set<string>() };
  let count = 0;
  let fault: unknown;
  try {
    for (const one of all) {
      const known = pendingChanges.find(one.key);
      const part = known && !known.refused && (await sendablePart(known, held));
      const waiting = part && pendingChanges.find(part.key);
      if (!waiting) continue;
      updateProgress(waiting, all);
      count += waiting.documents.length;
      fault = (await sendNext(waiting, held)) ?? fault;
    }
    if (fault) throw fault;
  } finally {
    bulkProgress.hide();
    if (count > 0) refreshSoon(count);
  }
}

/** Sends pending changes. `unsaved`: documents whose text the user has to decide on. Throws ApiError without an answer. */
export async function sendChanges({ unsaved = new Set() }: { unsaved?: Set<string> } = {}): Promise<void> {
  const account = confirmedAccount();
  if (account && pendingChanges.get().length > 0)
    await pendingChanges.exclusively(() => sendAll(account, unsaved));
}

/** Drops changes that were not sent. Those that may have been sent are undone once the service answers. */
export async function withdrawChanges(withdrawn: readonly PendingChange[]): Promise<void> {
  const sent = withdrawn.filter((one) => one.sent !== undefined);
  await pendingChanges.write(
    sent.map((one) => ({ ...one, isWithdrawn: true })),
    withdrawn.filter((one) => one.sent === undefined),
  );
  for (const { step } of withdrawn) forgetIfDone(step);
}

/** Sends a rejected change again, based on the current version of its document. */
export async function retryChange(waiting: PendingChange): Promise<void> {
  const rest = omit(waiting, "refused", "sent");
  await pendingChanges.write([{ ...rest, key: randomId(), isDecided: true }], [waiting]);
}

/** Moves unsent changes from one version of a document to the next, which differs only in this user's own text. */
export async function rebaseChanges(
  version: number,
  next: Pick<ChangeableDocument, "id" | "version">,
): Promise<void> {
  const isBased = ({ id, version: before }: ChangeableDocument) => id === next.id && before === version;
  const affected = pendingChanges
    .get()
    .filter(({ documents, sent }) => sent === undefined && documents.some(isBased));
  await pendingChanges.write(
    affected.map((one) => ({
      ...one,
      documents: one.documents.map((item) => (isBased(item) ? { ...item, version: next.version } : item)),
    })),
  );
}
