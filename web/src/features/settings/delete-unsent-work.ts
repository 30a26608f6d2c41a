import { captures } from "../../state/captures.ts";
import { forgetDrafts } from "../../state/drafts.ts";
import { forgetJobs } from "../../state/jobs.ts";
import { pendingChanges } from "../../state/pending-changes.ts";
import { pendingFiles } from "../../state/pending-files.ts";
import { pendingSteps } from "../../state/pending-steps.ts";
import { forgetDocumentDrafts } from "../../state/shown-drafts.ts";
import { clearQueue } from "../transfer/queue.ts";
import { forgetFile } from "../transfer/upload.ts";

/**
 * Deletes the unsent work of an account from this browser: drafts, records, files, changes, an unfinished import. Only for
 * erased accounts: signing out keeps it for the next sign-in.
 */
export async function deleteUnsentWork(owner: string): Promise<void> {
  forgetFile(owner);
  forgetJobs(owner);
  // Storage may be unavailable, for example in a private window. Then there is nothing to delete.
  await Promise.allSettled([
    forgetDrafts(owner),
    forgetDocumentDrafts(owner),
    ...[captures, pendingChanges, pendingSteps, pendingFiles].map((outbox) => outbox.forget(owner)),
    clearQueue(owner),
  ]);
}
