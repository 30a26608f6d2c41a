import type { Document } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError, isTransientError } from "../../api/request.ts";
import {
  type Draft,
  type DraftPlace,
  deleteDraft,
  readDraft,
  saveDraft,
  waitingDrafts,
  withUnlockedDraft,
} from "../../state/document-drafts.ts";
import { linkFilesToDocument } from "../../state/pending-files.ts";
import { refreshDocuments } from "../../state/queries.ts";
import { rebaseChanges } from "../things/send-changes.ts";
import { pendingChange } from "./change-queue.ts";
import { Conflict, publishDocument } from "./data.ts";
import {
  conflictingVersion,
  type MergeConflict,
  mergeDocument,
  type TitledText,
  unmergedBase,
} from "./merging.ts";
import { explainError, isSavedIn, saveText, withTitle } from "./saving.ts";
import type { EditStart } from "./start.ts";
import { writingOf } from "./writing.ts";

// Sends drafts that were written offline once the service answers, whatever screen is open.

const startFromDraft = ({ base, title, text, from, creation, like, theirs }: Draft): EditStart => ({
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
function draftStore(place: DraftPlace, draft: Draft) {
  const creation = { current: draft.creation };
  return {
    creation,
    keep: () => saveDraft(place, { ...draft, creation: creation.current }, false),
    moveTo: async (created: Document) => {
      const { creation: _, ...rest } = draft;
      await saveDraft({ ...place, id: created.id }, { ...rest, base: created });
      await deleteDraft(place);
      await linkFilesToDocument(place.writer, created.id);
    },
  };
}

type Sending = {
  start: EditStart;
  store: ReturnType<typeof draftStore>;
  sent: TitledText[];
  editSession: string;
};

/** Everything but the conflicting passages was saved; `left` is what remains of the draft. */
class UnresolvedConflict extends Error {
  readonly left: Pick<Draft, "title" | "text" | "base" | "theirs">;

  constructor(left: UnresolvedConflict["left"]) {
    super("The same passage was changed elsewhere");
    this.left = left;
  }
}

/** Saves everything but the conflicting passages, and throws UnresolvedConflict with these. Throws ApiError. */
async function sendWithoutConflicts(over: Document, both: MergeConflict, sending: Sending): Promise<never> {
  const { mine, other, theirs } = both;
  const { start, store, editSession } = sending;
  const by = conflictingVersion(theirs, start.theirs);
  let latest = theirs;
  if (!isSavedIn(theirs, start, other)) {
    latest = await saveText(start, store, { over: theirs, text: other, editSession });
    publishDocument(latest);
  }
  throw new UnresolvedConflict({
    ...mine,
    base: unmergedBase(over, both),
    theirs: { ...by, latest: latest.version },
  });
}

/** Saves a text over a version of its document, merged with newer versions. */
async function sendMerged(over: Document | undefined, text: TitledText, sending: Sending): Promise<Document> {
  const { start, store, sent, editSession } = sending;
  try {
    return await saveText(start, store, { over, text, editSession });
  } catch (problem) {
    if (!(problem instanceof Conflict) || !over) throw problem;
    const { text: merged, overlapping } = mergeDocument(problem.theirs, over, { mine: text, sent });
    return merged
      ? sendMerged(problem.theirs, merged, sending)
      : sendWithoutConflicts(over, overlapping, sending);
  }
}

/** Sends a draft, merged with newer versions. Throws ApiError, and UnresolvedConflict if the user has to decide. */
async function send(place: DraftPlace, draft: Draft): Promise<Document> {
  const text = { title: draft.title, text: draft.text };
  const last = withTitle(text);
  const isOther = (one: TitledText) => one.title !== last.title || one.text !== last.text;
  const sent = [...(draft.sent ?? []).filter(isOther), last].slice(-MAX_SENT);
  const store = draftStore(place, { ...draft, sent });
  await store.keep();
  return sendMerged(draft.creation ? undefined : draft.base, text, {
    start: startFromDraft(draft),
    store,
    sent,
    editSession: place.writer || randomId(),
  });
}

/** Returns false if the draft has to wait for the user: it is empty or was rejected. */
async function sendOne(place: DraftPlace): Promise<boolean> {
  const draft = await readDraft(place);
  if (!draft) return true;
  if (draft.refused || `${draft.title}${draft.text}`.trim() === "") return false;
  const sent = await send(place, draft);
  await deleteDraft({ ...place, id: sent.id });
  // There was no other change in between.
  if (draft.base && sent.version === draft.base.version + 1) await rebaseChanges(draft.base.version, sent);
  publishDocument(sent);
  return true;
}

/** Keeps a rejected draft for the user to decide. */
async function keepRejected(place: DraftPlace, problem: Error): Promise<void> {
  const draft = await readDraft(place);
  if (!draft) return;
  const left = problem instanceof UnresolvedConflict ? { ...problem.left, sent: [] } : {};
  await saveDraft(place, { ...draft, ...left, refused: explainError(problem).message });
  if (isApiError(problem, 404)) refreshDocuments();
}

/**
 * Sends an account's drafts that are not open in an editor. Throws ApiError while the service does not answer.
 *
 * @returns ids of documents whose draft has to wait for the user: it was rejected or is empty
 */
export async function sendDrafts(owner: string): Promise<Set<string>> {
  const left = new Set<string>();
  for (const { place } of (await waitingDrafts(owner)).reverse()) {
    // An editor that was just closed may still be sending it.
    await Promise.all([pendingChange(place.id), pendingChange(place.writer)]);
    await withUnlockedDraft(place, async () => {
      const isSent = await sendOne(place).catch(async (problem: unknown) => {
        if (isTransientError(problem)) throw problem;
        await keepRejected(place, problem as Error).catch(() => undefined);
        return false;
      });
      if (!isSent) left.add(place.id);
    });
  }
  return left;
}
