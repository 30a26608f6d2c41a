import { type Document, documentsApi } from "../../api/documents.ts";
import { keptAccount } from "../../api/holder.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError, isPassing } from "../../api/request.ts";
import { attempt } from "../../state/attempt.ts";
import {
  type Draft,
  dropDraft,
  findDraft,
  holdDraft,
  keepDraft,
  type Place,
  readDraft,
  withDraft,
} from "../../state/document-drafts.ts";
import { storeOf } from "../../state/store.ts";
import { offerToResolve } from "./commitments/records-of.ts";
import { showWritten } from "./data.ts";
import { inTurn, isSettled } from "./in-turn.ts";
import { titled } from "./saving.ts";
import { isSameButTicks, type Ticked, tickedAt, tickedIn } from "./tasks.tsx";
import { writeText } from "./write-text.ts";
import { contentWith, writingOf } from "./writing.ts";

// A tick is a text that was written: it is kept in this browser first, shown at once, and sent. Without an answer it waits
// as every text does, or it is in the one that waits already.

/** What one ticks on a page is one change for some minutes, as what one writes. */
const SITTING = randomId();

/** What was just ticked, by the document, until the service or this browser has it. */
const shown = storeOf<ReadonlyMap<string, Draft>>(new Map());

/** What a tick that is under way makes of a document. */
export const useTicked = (id: string): Draft | undefined => shown.use().get(id);

/** Until a screen has read what was kept a moment ago. */
const READ_MS = 200;

/** Shows a tick. Returns what ends that, unless another one has followed it. */
function show(id: string, draft: Draft): (afterMs: number) => void {
  shown.set(new Map(shown.get()).set(id, draft));
  const end = () =>
    shown.get().get(id) === draft && shown.set(new Map([...shown.get()].filter(([one]) => one !== id)));
  return (afterMs) => void setTimeout(end, afterMs);
}

type Tick = {
  /** As the service had it. */
  known: Document;
  task: Ticked;
  /** What is kept of it. */
  draft: Draft;
  changes: string[];
};

/**
 * Sends which task is ticked, of the latest state that is known; where its text is another than the one that was clicked,
 * what that becomes. Throws ApiError, Conflict.
 */
async function send(latest: Document, tick: Tick): Promise<Document> {
  const { known, task, changes } = tick;
  const { kind, text } = writingOf(latest.content);
  if (!isSameButTicks(text, task.text))
    return writeText(known, task.text, { sitting: SITTING, changes }, once);
  const content = contentWith(latest.content, { kind, text: tickedIn(text, task) });
  try {
    const by = { version: latest.version, sitting: SITTING, changes };
    const { version, updated_at, changed_at } = await documentsApi.tick(latest.id, task, by);
    return { ...latest, content, version, updated_at, changed_at };
  } catch (problem) {
    if (!isApiError(problem, 412)) throw problem;
    return send(await documentsApi.get(latest.id), tick);
  }
}

const once = <T>(write: () => Promise<T>): Promise<T> => write();

/** Ticks the task in the text of its document that waits to be sent. Returns whether there is one. */
async function addToDraft(owner: string, { known, task, draft }: Tick): Promise<boolean> {
  const found = await findDraft(owner, known.id);
  let isAdded = false;
  await (found &&
    !found.refused &&
    withDraft(found.place, async () => {
      const waiting = await readDraft(found.place);
      if (!waiting) return;
      const isSame = isSameButTicks(waiting.text, task.text);
      const next = isSame ? { ...waiting, text: tickedIn(waiting.text, task) } : { ...waiting, ...draft };
      await keepDraft(found.place, { ...next, at: draft.at });
      isAdded = true;
    }));
  return isAdded;
}

/** The drafts of ticks that are under way: the text of one that follows has what is in them. */
const underWay = new Set<Place>();

/** Whose text is shown beside what the service has: that of earlier ticks, and of what waits to be sent. */
async function shownWith({ owner, id }: Place, earlier: readonly Place[]): Promise<string[]> {
  const waiting = await findDraft(owner, id).catch(() => undefined);
  const places = waiting && !waiting.refused ? [...earlier, waiting.place] : earlier;
  return places.filter((place) => place.owner === owner && place.id === id).map(({ writer }) => writer);
}

async function carryOut(owner: string, tick: Tick): Promise<Document | undefined> {
  const { known } = tick;
  const place = { owner, id: known.id, writer: randomId() };
  const release = holdDraft(place);
  const earlier = [...underWay];
  underWay.add(place);
  const kept = shownWith(place, earlier)
    .then((includes) => keepDraft(place, { ...tick.draft, includes }, false))
    .then(
      () => true,
      () => false,
    );
  try {
    // In the order in which they were clicked: what follows is based on what this comes to.
    const ticked = await inTurn(known.id, async (before) => {
      await kept;
      if (await addToDraft(owner, tick)) return undefined;
      return send(before && before.version > known.version ? before : known, tick);
    });
    await dropDraft(place);
    return ticked;
  } catch (problem) {
    if ((await kept) && isPassing(problem)) return undefined;
    await dropDraft(place);
    throw problem;
  } finally {
    underWay.delete(place);
    release();
  }
}

/**
 * Ticks a task of a document, or unticks it: shown at once, and taken back if it is refused.
 *
 * @param known the document as the service had it, and as it is read, with what waits to be sent
 */
export const tickTask = (known: Document, read: Document, place: number): Promise<boolean> =>
  attempt(async (changes) => {
    const { id } = known;
    const owner = keptAccount();
    const task = tickedAt(writingOf(read.content).text, place);
    if (!task || !owner) return undefined;
    const text = { title: read.title, text: task.text };
    const draft = { ...text, base: known, at: new Date().toISOString(), sent: [titled(text)] };
    const end = show(id, draft);
    try {
      const ticked = await carryOut(owner, { known, task, draft, changes });
      // The answer to one of several does not show the others that follow it.
      if (ticked && isSettled(id)) showWritten(ticked);
      end(READ_MS);
      if (ticked && task.done) void offerToResolve(id, task.markdown);
      return undefined;
    } catch (problem) {
      end(0);
      throw problem;
    }
  });
