import { localAccount } from "../../api/current-account.ts";
import { type Document, documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError, isTransientError } from "../../api/request.ts";
import {
  type Draft,
  type DraftPlace,
  deleteDraft,
  readDraft,
  saveDraft,
} from "../../state/document-drafts.ts";
import { runWithToast } from "../../state/run-with-toast.ts";
import { createSharedState } from "../../state/shared-state.ts";
import { findDraft, lockDraft, saveDraftSync, withUnlockedDraft } from "../../state/shown-drafts.ts";
import { hasNoPendingChange, queueChange } from "./change-queue.ts";
import { offerToResolve } from "./commitments/document-records.ts";
import { publishDocument } from "./data.ts";
import { withTitle } from "./saving.ts";
import { applyTick, differsOnlyInTicks, type TickedTask, toggleTaskAt } from "./tasks.tsx";
import { mergeAndSaveText } from "./write-text.ts";
import { withSourceText, writingOf } from "./writing.ts";

// A tick is saved like an edited text: kept in this browser, shown immediately, and sent. Without an answer it stays a draft, or
// becomes part of the draft that is already pending.

/** The edit session of all ticks on this page: for some minutes they are recorded as one change. */
const EDIT_SESSION = randomId();

/** Ticks that are being saved, by document id. */
const pendingTicks = createSharedState<ReadonlyMap<string, Draft>>(new Map());

/** The document's text with a tick that is being saved. */
export const usePendingTick = (id: string): Draft | undefined => pendingTicks.use().get(id);

/** Time for a screen to read the draft that was just kept. */
const READ_MS = 200;

/** Shows a tick. Returns a function that stops showing it, unless another one has followed. */
function show(id: string, draft: Draft): (afterMs: number) => void {
  pendingTicks.set(new Map(pendingTicks.get()).set(id, draft));
  const end = () =>
    pendingTicks.get().get(id) === draft &&
    pendingTicks.set(new Map([...pendingTicks.get()].filter(([one]) => one !== id)));
  return (afterMs) => void setTimeout(end, afterMs);
}

type Tick = {
  /** The document as the service has it. */
  known: Document;
  task: TickedTask;
  draft: Draft;
  changes: string[];
};

/** Sends the tick of a task, or the text to merge if it differs from the one that was clicked. Throws ApiError, Conflict. */
async function send(latest: Document, tick: Tick): Promise<Document> {
  const { known, task, changes } = tick;
  const { kind, text } = writingOf(latest.content);
  if (!differsOnlyInTicks(text, task.text))
    return mergeAndSaveText(known, task.text, { editSession: EDIT_SESSION, changes }, (write) => write());
  const content = withSourceText(latest.content, { kind, text: applyTick(text, task) });
  try {
    const by = { version: latest.version, editSession: EDIT_SESSION, changes };
    const { version, updated_at, changed_at } = await documentsApi.setTaskDone(latest.id, task, by);
    return { ...latest, content, version, updated_at, changed_at };
  } catch (problem) {
    if (!isApiError(problem, 412)) throw problem;
    return send(await documentsApi.get(latest.id), tick);
  }
}

/** Ticks the task in the document's pending draft. Returns whether there is one. */
async function addToDraft(owner: string, { known, task, draft }: Tick): Promise<boolean> {
  const found = await findDraft(owner, known.id);
  let isAdded = false;
  await (found &&
    !found.refused &&
    withUnlockedDraft(found.place, async () => {
      const waiting = await readDraft(found.place);
      if (!waiting) return;
      const isSame = differsOnlyInTicks(waiting.text, task.text);
      const next = isSame ? { ...waiting, text: applyTick(waiting.text, task) } : { ...waiting, ...draft };
      await saveDraft(found.place, { ...next, at: draft.at });
      isAdded = true;
    }));
  return isAdded;
}

/** Drafts of ticks that are being saved: a later tick's text includes them. */
const ticking = new Set<DraftPlace>();

/** The writers of the other drafts whose text is on screen: of earlier ticks and of the pending draft. */
async function includedWriters({ owner, id }: DraftPlace, earlier: readonly DraftPlace[]): Promise<string[]> {
  const waiting = await findDraft(owner, id).catch(() => undefined);
  const places = waiting && !waiting.refused ? [...earlier, waiting.place] : earlier;
  return places.filter((place) => place.owner === owner && place.id === id).map(({ writer }) => writer);
}

async function saveTick(owner: string, tick: Tick): Promise<Document | undefined> {
  const { known } = tick;
  const place = { owner, id: known.id, writer: randomId() };
  const release = lockDraft(place);
  const earlier = [...ticking];
  ticking.add(place);
  // The page may be left before IndexedDB has it.
  saveDraftSync(place, tick.draft);
  const kept = includedWriters(place, earlier)
    .then((includes) => saveDraft(place, { ...tick.draft, includes }, false))
    .then(
      () => true,
      () => false,
    );
  try {
    // In the order of the clicks: the next tick is based on the outcome of this one.
    const ticked = await queueChange(known.id, async (before) => {
      await kept;
      if (await addToDraft(owner, tick)) return undefined;
      return send(before && before.version > known.version ? before : known, tick);
    });
    await deleteDraft(place);
    return ticked;
  } catch (problem) {
    if ((await kept) && isTransientError(problem)) return undefined;
    await deleteDraft(place);
    throw problem;
  } finally {
    ticking.delete(place);
    release();
  }
}

/** Ticks or unticks a task. `known`: the document as the service has it; `read`: as it is on screen, with pending changes. */
export const tickTask = (known: Document, read: Document, place: number): Promise<boolean> =>
  runWithToast(async (changes) => {
    const { id } = known;
    const owner = localAccount();
    const task = toggleTaskAt(writingOf(read.content).text, place);
    if (!task || !owner) return undefined;
    const text = { title: read.title, text: task.text };
    const draft = { ...text, base: known, at: new Date().toISOString(), sent: [withTitle(text)] };
    const end = show(id, draft);
    try {
      const ticked = await saveTick(owner, { known, task, draft, changes });
      // While later ticks are pending, this answer would hide them.
      if (ticked && hasNoPendingChange(id)) publishDocument(ticked);
      end(READ_MS);
      if (ticked && task.done) void offerToResolve(id, task.markdown);
      return undefined;
    } catch (problem) {
      end(0);
      throw problem;
    }
  });
