import { forgetDocumentDrafts } from "../../state/document-drafts.ts";
import { forgetDrafts } from "../../state/drafts.ts";
import { forgetJobs } from "../../state/jobs.ts";
import { forgetCaptures } from "../../state/outbox.ts";
import { forgetChanges } from "../../state/waiting-changes.ts";
import { forgetFiles } from "../../state/waiting-files.ts";
import { forgetSteps } from "../../state/waiting-steps.ts";
import { clearQueue } from "../transfer/queue.ts";
import { forgetFile } from "../transfer/upload.ts";

/**
 * Deletes from this browser what an account has written and not sent: drafts, captures, files, changes of documents, an unfinished import. Signing out
 * keeps them for when the person comes back; nobody comes back to an erased account.
 */
export async function forgetWritten(owner: string): Promise<void> {
  forgetFile(owner);
  forgetJobs(owner);
  // Storage may be unavailable, as in a private window: then there is nothing to delete.
  await Promise.allSettled([
    forgetDrafts(owner),
    forgetDocumentDrafts(owner),
    forgetCaptures(owner),
    forgetChanges(owner),
    forgetSteps(owner),
    forgetFiles(owner),
    clearQueue(owner),
  ]);
}
