import type { ErrorCode } from "../../../../src/contract/error-codes.ts";
import { knownAccount } from "../../api/holder.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { showProgress } from "../../state/bulk-progress.ts";
import { changePages } from "../../state/change-pages.ts";
import { keptDrafts } from "../../state/document-drafts.ts";
import { cancelDocuments, queries, refreshAroundDocuments, refreshDocuments } from "../../state/queries.ts";
import { type Changes, takeBack } from "../../state/undo.ts";
import {
  type Change,
  type Changeable,
  changed,
  changesNow,
  isUnderWay,
  keepChanges,
  readChanges,
  stepsOfOthers,
  type WaitingChange,
} from "../../state/waiting-changes.ts";
import { mayPass, type Refused, requestChange } from "./change-request.ts";
import { fits, type ListQuery } from "./fits.ts";
import { type Held, partToSend } from "./held-changes.ts";
import { judge } from "./judge-change.ts";

// Sends what waits, in the order in which it was made: when it is made, when the service answers again, from whichever tab.

/** How many documents one request changes. */
export const AT_ONCE = 100;

/** Until then a change is as good as made now; later, what somebody else has changed since comes first. */
const FRESH_MS = 60_000;
/** So long the service remembers a key, with an hour to spare. */
const REMEMBERED_MS = 23 * 3_600_000;
const KEY_USED: ErrorCode = "key_used";
/** So often a change is based on a newer state, before it is somebody's to decide. */
const MOST_ROUNDS = 4;

/** What has become of a step so far. */
export type Outcome = { done: Changeable[]; refused: Refused[]; changes: Changes };

const outcomes = new Map<string, Outcome>();

const newOutcome = (): Outcome => ({ done: [], refused: [], changes: [] });

/** Notes from now on what becomes of a step. */
export function listen(step: string): Outcome {
  const outcome = newOutcome();
  outcomes.set(step, outcome);
  return outcome;
}

/** Nothing more becomes of a step of which nothing is left. */
function listenNoMore(step: string): void {
  if (!changesNow().some((one) => one.step === step)) outcomes.delete(step);
}

/** Shows in every list what was done, until they are read again. */
async function show(documents: readonly Changeable[], change: Change): Promise<void> {
  await cancelDocuments();
  const ids = new Set(documents.map(({ id }) => id));
  changePages<Changeable, ListQuery>(["documents", "list"], (item, query) => {
    if (!ids.has(item.id)) return [item];
    const next = changed(item, change);
    return change.kind === "trash" || !fits(query, next) ? [] : [next];
  });
  for (const id of ids)
    queries.setQueryData<Changeable>(["documents", "one", id], (known) => known && changed(known, change));
}

/** Divides what was refused: what is done all the same, what is tried on a newer state, and what somebody has to decide. */
async function judgeAll(change: Change, all: readonly Refused[], round: number) {
  const judged = { done: [] as Changeable[], again: [] as Changeable[], refused: [] as Refused[] };
  for (const one of all) {
    const result = await judge(change, one);
    if ("isDone" in result) judged.done.push(one.document);
    else if ("again" in result && round < MOST_ROUNDS) judged.again.push(result.again);
    else if ("again" in result)
      judged.refused.push({ document: result.again, reason: "It is being changed right now" });
    else judged.refused.push({ document: result.now, reason: result.reason });
  }
  return judged;
}

/** Those of a step that nobody waits for are kept until somebody has decided. */
const keptOf = (waiting: WaitingChange, refused: readonly Refused[]): WaitingChange[] =>
  isUnderWay(waiting.step)
    ? []
    : refused.map(({ document, reason }) => {
        const { sent: _, ...unsent } = waiting;
        const key = `${waiting.key}:${document.id}`;
        return { ...unsent, key, documents: [document], isGuarded: true, refused: reason };
      });

/** An earlier attempt under this key had the other body. */
const isOtherBody = (problem: unknown) => isApiError(problem, 422) && problem.code === KEY_USED;

/** Which documents were refused. Throws ApiError when the service does not answer. */
async function ask(sent: WaitingChange, isGuarded: boolean, changes: Changes): Promise<Refused[]> {
  const as = (guarded: boolean) => requestChange({ ...sent, isGuarded: guarded }, changes);
  try {
    return await as(isGuarded).catch((problem: unknown) => {
      if (sent.isGuarded || !isOtherBody(problem)) throw problem;
      return as(!isGuarded);
    });
  } catch (problem) {
    if (mayPass(problem)) throw problem;
    return sent.documents.map((document) => ({ document, reason: (problem as Error).message }));
  }
}

/** The same change as it is now: somebody may have taken it back meanwhile. */
const asItIs = ({ key }: WaitingChange) => changesNow().find((one) => one.key === key);

const isFresh = ({ at, isWithdrawn }: WaitingChange) => isWithdrawn || Date.now() - at < FRESH_MS;

/** Sends one change. Throws ApiError when the service does not answer. */
async function sendOne(waiting: WaitingChange, round = 1): Promise<void> {
  const { change, documents, step } = waiting;
  const isGuarded = waiting.isGuarded || !isFresh(waiting);
  const sent = { ...waiting, sent: waiting.sent ?? Date.now() };
  await keepChanges([sent]);
  const outcome = outcomes.get(step) ?? newOutcome();
  const changes: Changes = [];
  const all = await ask(sent, isGuarded, changes);
  const { done, again, refused } =
    isGuarded || change.kind === "restore"
      ? await judgeAll(change, all, round)
      : { done: [], again: [], refused: all };
  const not = new Set(all.map(({ document: { id } }) => id));
  done.push(...documents.filter(({ id }) => !not.has(id)));
  await show(done, change);
  if (asItIs(sent)?.isWithdrawn) {
    if (changes.length > 0) await takeBack(changes);
    await keepChanges([], [sent]);
    return listenNoMore(step);
  }
  outcome.done.push(...done);
  outcome.refused.push(...refused);
  outcome.changes.push(...changes);
  const { sent: _, ...unsent } = waiting;
  const next = { ...unsent, key: randomId(), documents: again, isGuarded: true };
  await keepChanges([...(again.length > 0 ? [next] : []), ...keptOf(waiting, refused)], [sent]);
  const still = asItIs(next);
  if (still) await sendOne(still, round + 1);
  listenNoMore(step);
}

/** How far the step is that this change belongs to, unless it is all of it. */
function tellProgress({ step }: WaitingChange, all: readonly WaitingChange[]): void {
  const total = all.filter((one) => one.step === step).flatMap(({ documents }) => documents).length;
  const left = changesNow()
    .filter((one) => one.step === step)
    .flatMap(({ documents }) => documents).length;
  if (total > AT_ONCE) showProgress({ done: total - left, total });
}

/** Who leaves the screen of what they put in the trash has left it then. */
const SOON_MS = 50;

/** Lists that are read page by page are out of step with what lies beyond their pages. */
const refreshSoon = (count: number) =>
  setTimeout(() => void (count > AT_ONCE ? refreshDocuments() : refreshAroundDocuments()), SOON_MS);

/** The service may have forgotten the key of what was sent before: it would do that again, to be undone. */
const isForgotten = ({ sent = Date.now(), isWithdrawn }: WaitingChange) =>
  isWithdrawn && Date.now() - sent > REMEMBERED_MS;

/** Sends one of several. Returns the fault of the service that stands in the way of this one, but not of the others. */
async function sendNext(waiting: WaitingChange, held: Held): Promise<unknown> {
  try {
    if (isForgotten(waiting)) await keepChanges([], [waiting]);
    else await sendOne(waiting);
    return undefined;
  } catch (problem) {
    if (!isApiError(problem) || problem.status < 500) throw problem;
    for (const { id } of waiting.documents) held.documents.add(id);
    return problem;
  }
}

async function sendAll(account: string, unsaved: ReadonlySet<string>): Promise<void> {
  const all = await readChanges();
  const drafts = new Set((await keptDrafts(account)).map(({ place }) => place.id));
  const steps = await stepsOfOthers();
  const held = { drafts, steps, unsaved, documents: new Set<string>() };
  let count = 0;
  let fault: unknown;
  try {
    for (const one of all) {
      const known = asItIs(one);
      const part = known && !known.refused && (await partToSend(known, held));
      const waiting = part && asItIs(part);
      if (!waiting) continue;
      tellProgress(waiting, all);
      count += waiting.documents.length;
      fault = (await sendNext(waiting, held)) ?? fault;
    }
    if (fault) throw fault;
  } finally {
    showProgress(undefined);
    if (count > 0) refreshSoon(count);
  }
}

let last: Promise<void> = Promise.resolve();

/** One after the other: of all tabs, where the browser can tell. */
function alone(work: () => Promise<void>): Promise<void> {
  if (navigator.locks) return navigator.locks.request("commonplace-changes", work);
  const mine = last.then(work);
  last = mine.catch(() => undefined);
  return mine;
}

/**
 * Sends the changes that wait. Throws ApiError while the service does not answer.
 *
 * @param unsaved the documents whose text was sent before, and waits for somebody
 */
export async function sendChanges({ unsaved = new Set() }: { unsaved?: Set<string> } = {}): Promise<void> {
  const account = knownAccount();
  if (account && changesNow().length > 0) await alone(() => sendAll(account, unsaved));
}

/** Takes back what has not been sent; what may have been is undone as soon as the service has said so. */
export async function withdraw(those: readonly WaitingChange[]): Promise<void> {
  const sent = those.filter((one) => one.sent !== undefined);
  await keepChanges(
    sent.map((one) => ({ ...one, isWithdrawn: true })),
    those.filter((one) => one.sent === undefined),
  );
  for (const { step } of those) listenNoMore(step);
}

/** Sends a change again that was refused: to what its document is now. */
export async function tryAgain(waiting: WaitingChange): Promise<void> {
  const { refused: _, sent: __, ...rest } = waiting;
  await keepChanges([{ ...rest, key: randomId(), isDecided: true }], [waiting]);
}

/** Changes that were based on one state of a document are based on the next one, in which only its own text is new. */
export async function baseOn(version: number, next: Pick<Changeable, "id" | "version">): Promise<void> {
  const isOf = ({ id, version: before }: Changeable) => id === next.id && before === version;
  const its = changesNow().filter(({ documents, sent }) => sent === undefined && documents.some(isOf));
  await keepChanges(
    its.map((one) => ({
      ...one,
      documents: one.documents.map((item) => (isOf(item) ? { ...item, version: next.version } : item)),
    })),
  );
}
