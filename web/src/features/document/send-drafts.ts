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

// What was written without a network is sent when it is back, whatever screen is open.

const startOf = ({ base, title, text, from, creation, like, theirs }: Draft): Start => ({
  ...{ base, title, text, from, creation, like, theirs },
  folder: new URLSearchParams(from).get("folder"),
  kind: base ? writingOf(base.content).kind : (like?.kind ?? "markdown"),
});

/** So many texts that were sent and not answered are remembered. */
const MOST_SENT = 20;

/** What `write` needs to keep, for a draft that nobody writes on. */
function keptOf(place: Place, draft: Draft) {
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

type Sending = { start: Start; kept: ReturnType<typeof keptOf>; sent: Text[]; sitting: string };

/** Somebody has changed the same passage: the others are sent, and this is the text that is left, and what it is based on. */
class LeftOver extends Error {
  readonly left: Pick<Draft, "title" | "text" | "base" | "theirs">;

  constructor(left: LeftOver["left"]) {
    super("Somebody has changed the same passage: compare the two");
    this.left = left;
  }
}

/** Sends what does not overlap. Throws LeftOver with what does, and ApiError. */
async function sendPart(over: Document, both: Overlapping, sending: Sending): Promise<never> {
  const { mine, other, theirs } = both;
  const { start, kept, sitting } = sending;
  const by = theirsIn(theirs, start.theirs);
  let latest = theirs;
  if (!isWrittenIn(theirs, start, other)) {
    latest = await write(start, kept, { over: theirs, text: other, sitting });
    showWritten(latest);
  }
  throw new LeftOver({ ...mine, base: leftOver(over, both), theirs: { ...by, latest: latest.version } });
}

/** Writes a text over a state of its document, merged with those that came after it. */
async function sendOver(over: Document | undefined, text: Text, sending: Sending): Promise<Document> {
  const { start, kept, sent, sitting } = sending;
  try {
    return await write(start, kept, { over, text, sitting });
  } catch (problem) {
    if (!(problem instanceof Conflict) || !over) throw problem;
    const { text: merged, overlapping } = mergeWith(problem.theirs, over, { mine: text, sent });
    return merged ? sendOver(problem.theirs, merged, sending) : sendPart(over, overlapping, sending);
  }
}

/** Sends a draft, merged with what has been changed meanwhile. Throws ApiError, and Conflict if somebody has to decide. */
async function send(place: Place, draft: Draft): Promise<Document> {
  const text = { title: draft.title, text: draft.text };
  const last = titled(text);
  const isOther = (one: Text) => one.title !== last.title || one.text !== last.text;
  const sent = [...(draft.sent ?? []).filter(isOther), last].slice(-MOST_SENT);
  const kept = keptOf(place, { ...draft, sent });
  await kept.keep();
  return sendOver(draft.creation ? undefined : draft.base, text, {
    ...{ start: startOf(draft), kept, sent, sitting: place.writer || randomId() },
  });
}

/** Returns false if it waits for somebody: there is nothing in it, or it was refused. */
async function sendOne(place: Place): Promise<boolean> {
  const draft = await readDraft(place);
  if (!draft) return true;
  if (draft.refused || `${draft.title}${draft.text}`.trim() === "") return false;
  const sent = await send(place, draft);
  await dropDraft({ ...place, id: sent.id });
  // Nobody else has written in between.
  if (draft.base && sent.version === draft.base.version + 1) await baseOn(draft.base.version, sent);
  showWritten(sent);
  return true;
}

/** Keeps what was refused for somebody to decide on. */
async function keepRefused(place: Place, problem: Error): Promise<void> {
  const draft = await readDraft(place);
  if (!draft) return;
  const left = problem instanceof LeftOver ? { ...problem.left, sent: [] } : {};
  await keepDraft(place, { ...draft, ...left, refused: explained(problem).message });
  if (isApiError(problem, 404)) refreshDocuments();
}

/**
 * Sends the drafts of an account that nobody writes on. Throws ApiError while the service does not answer.
 *
 * @returns the documents whose text waits for somebody: it was refused, or there is nothing in it
 */
export async function sendDrafts(owner: string): Promise<Set<string>> {
  const left = new Set<string>();
  for (const { place } of (await keptDrafts(owner)).reverse()) {
    // An editor that was left a moment ago is still sending it.
    await Promise.all([underWay(place.id), underWay(place.writer)]);
    await withDraft(place, async () => {
      const isSent = await sendOne(place).catch(async (problem: unknown) => {
        if (isPassing(problem)) throw problem;
        await keepRefused(place, problem as Error).catch(() => undefined);
        return false;
      });
      if (!isSent) left.add(place.id);
    });
  }
  return left;
}
