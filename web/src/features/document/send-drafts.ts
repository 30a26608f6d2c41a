import type { Document } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError, isPassing } from "../../api/request.ts";
import {
  type Draft,
  dropDraft,
  keepDraft,
  keptDrafts,
  type Place,
  readDraft,
  withDraft,
} from "../../state/document-drafts.ts";
import { refreshDocuments } from "../../state/queries.ts";
import { writerBecame } from "../../state/waiting-files.ts";
import { baseOn } from "../things/send-changes.ts";
import { Conflict, showWritten } from "./data.ts";
import { underWay } from "./in-turn.ts";
import { leftOver, mergeWith, type Overlapping, type Text, theirsIn } from "./merging.ts";
import { explained, isWrittenIn, titled, write } from "./saving.ts";
import type { Start } from "./start.ts";
import { writingOf } from "./writing.ts";

// Sends drafts that were written offline once the service answers, whatever screen is open.

const startFromDraft = ({ base, title, text, from, creation, like, theirs }: Draft): Start => ({
  base,
  title,
  text,
  from,
  creation,
  like,
  theirs,
  folder: new URLSearchParams(from).get("folder"),
  kind: base ? writingOf(base.content).kind : (like?.kind ?? "markdown"),
});

/** How many unanswered texts are remembered. */
const MAX_SENT = 20;

/** What `saveText` needs to store a draft that is not open in an editor. */
function draftStore(place: Place, draft: Draft) {
  const creation = { current: draft.creation };
  return {
    creation,
    keep: () => keepDraft(place, { ...draft, creation: creation.current }, false),
    moveTo: async (created: Document) => {
      const { creation: _, ...rest } = draft;
      await keepDraft({ ...place, id: created.id }, { ...rest, base: created });
      await dropDraft(place);
      await writerBecame(place.writer, created.id);
    },
  };
}

type Sending = { start: Start; store: ReturnType<typeof draftStore>; sent: Text[]; sitting: string };

/** Everything but the conflicting passages was saved; `left` is what remains of the draft. */
class UnresolvedConflict extends Error {
  readonly left: Pick<Draft, "title" | "text" | "base" | "theirs">;

  constructor(left: UnresolvedConflict["left"]) {
    super("The same passage was changed elsewhere");
    this.left = left;
  }
}

/** Saves everything but the conflicting passages, and throws UnresolvedConflict with these. Throws ApiError. */
async function sendWithoutConflicts(over: Document, both: Overlapping, sending: Sending): Promise<never> {
  const { mine, other, theirs } = both;
  const { start, store, sitting } = sending;
  const by = theirsIn(theirs, start.theirs);
  let latest = theirs;
  if (!isWrittenIn(theirs, start, other)) {
    latest = await write(start, store, { over: theirs, text: other, sitting });
    showWritten(latest);
  }
  throw new UnresolvedConflict({
    ...mine,
    base: leftOver(over, both),
    theirs: { ...by, latest: latest.version },
  });
}

/** Saves a text over a version of its document, merged with newer versions. */
async function sendMerged(over: Document | undefined, text: Text, sending: Sending): Promise<Document> {
  const { start, store, sent, sitting } = sending;
  try {
    return await write(start, store, { over, text, sitting });
  } catch (problem) {
    if (!(problem instanceof Conflict) || !over) throw problem;
    const { text: merged, overlapping } = mergeWith(problem.theirs, over, { mine: text, sent });
    return merged
      ? sendMerged(problem.theirs, merged, sending)
      : sendWithoutConflicts(over, overlapping, sending);
  }
}

/** Sends a draft, merged with newer versions. Throws ApiError, and UnresolvedConflict if the user has to decide. */
async function send(place: Place, draft: Draft): Promise<Document> {
  const text = { title: draft.title, text: draft.text };
  const last = titled(text);
  const isOther = (one: Text) => one.title !== last.title || one.text !== last.text;
  const sent = [...(draft.sent ?? []).filter(isOther), last].slice(-MAX_SENT);
  const store = draftStore(place, { ...draft, sent });
  await store.keep();
  return sendMerged(draft.creation ? undefined : draft.base, text, {
    start: startFromDraft(draft),
    store,
    sent,
    sitting: place.writer || randomId(),
  });
}

/** Returns false if the draft has to wait for the user: it is empty or was rejected. */
async function sendOne(place: Place): Promise<boolean> {
  const draft = await readDraft(place);
  if (!draft) return true;
  if (draft.refused || `${draft.title}${draft.text}`.trim() === "") return false;
  const sent = await send(place, draft);
  await dropDraft({ ...place, id: sent.id });
  // There was no other change in between.
  if (draft.base && sent.version === draft.base.version + 1) await baseOn(draft.base.version, sent);
  showWritten(sent);
  return true;
}

/** Keeps a rejected draft for the user to decide. */
async function keepRejected(place: Place, problem: Error): Promise<void> {
  const draft = await readDraft(place);
  if (!draft) return;
  const left = problem instanceof UnresolvedConflict ? { ...problem.left, sent: [] } : {};
  await keepDraft(place, { ...draft, ...left, refused: explained(problem).message });
  if (isApiError(problem, 404)) refreshDocuments();
}

/**
 * Sends an account's drafts that are not open in an editor. Throws ApiError while the service does not answer.
 *
 * @returns ids of documents whose draft has to wait for the user: it was rejected or is empty
 */
export async function sendDrafts(owner: string): Promise<Set<string>> {
  const left = new Set<string>();
  for (const { place } of (await keptDrafts(owner)).reverse()) {
    // An editor that was just closed may still be sending it.
    await Promise.all([underWay(place.id), underWay(place.writer)]);
    await withDraft(place, async () => {
      const isSent = await sendOne(place).catch(async (problem: unknown) => {
        if (isPassing(problem)) throw problem;
        await keepRejected(place, problem as Error).catch(() => undefined);
        return false;
      });
      if (!isSent) left.add(place.id);
    });
  }
  return left;
}
