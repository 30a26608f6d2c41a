import type { Document } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { isPassing } from "../../api/request.ts";
import {
  type Draft,
  dropDraft,
  keepDraft,
  readDraft,
  waitingDrafts,
  withDraft,
} from "../../state/document-drafts.ts";
import { Conflict, showWritten } from "./data.ts";
import { mergeWith, type Text } from "./merging.ts";
import { write } from "./saving.ts";
import type { Start } from "./start.ts";
import { writingOf } from "./writing.ts";

// What was written without a network is sent when it is back, whatever screen is open.

const startOf = ({ base, title, text, from, creation }: Draft): Start => ({
  ...{ base, title, text, from, creation },
  folder: new URLSearchParams(from).get("folder"),
  kind: base ? writingOf(base.content).kind : "markdown",
});

/** What `write` needs to keep, for a draft that nobody writes on. */
function keptOf(owner: string, draft: Draft) {
  const creation = { current: draft.creation };
  return {
    creation,
    keep: () => keepDraft(owner, draft.base?.id ?? "new", { ...draft, creation: creation.current }),
    moveTo: async (created: Document) => {
      const { creation: _, ...rest } = draft;
      await keepDraft(owner, created.id, { ...rest, base: created });
      await dropDraft(owner, "new");
    },
  };
}

/** Sends a draft, merged with what has been changed meanwhile. Throws ApiError, and Conflict if somebody has to decide. */
async function send(owner: string, draft: Draft): Promise<Document> {
  const [start, kept, sitting] = [startOf(draft), keptOf(owner, draft), randomId()];
  let [over, text]: [Document | undefined, Text] = [draft.base, { title: draft.title, text: draft.text }];
  for (;;) {
    try {
      return await write(start, kept, { over: draft.creation ? undefined : over, text, sitting });
    } catch (problem) {
      if (!(problem instanceof Conflict) || !over) throw problem;
      const merged = mergeWith(problem.theirs, over, text);
      if (!merged.text) throw problem;
      [over, text] = [problem.theirs, merged.text];
    }
  }
}

async function sendOne(owner: string, id: string): Promise<void> {
  const draft = await readDraft(owner, id);
  if (!draft || `${draft.title}${draft.text}`.trim() === "") return;
  const sent = await send(owner, draft);
  await dropDraft(owner, sent.id);
  showWritten(sent);
}

/** Sends the drafts of an account that nobody writes on. Throws ApiError while the service does not answer. */
export async function sendDrafts(owner: string): Promise<void> {
  for (const id of await waitingDrafts(owner)) {
    await withDraft(owner, id, () =>
      sendOne(owner, id).catch((problem: unknown) => {
        // What was refused stays: its document says so.
        if (isPassing(problem)) throw problem;
      }),
    );
  }
}
