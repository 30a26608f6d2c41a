import { screenPath } from "../../../src/contract/paths.ts";
import type { Job } from "../api/jobs.ts";
import type { Toast } from "./toasts.ts";

// Texts about background jobs.

const number = new Intl.NumberFormat("en");
const DOCUMENTS = screenPath("documents");

/** "1,200 of 4,000 documents", as far as that is known. */
export function jobProgressText({ kind, done, total }: Job): string {
  if (total === null) return "";
  return `${number.format(done)} of ${number.format(total)} ${UNITS[kind]}`;
}

const UNITS: Record<Job["kind"], string> = {
  folder: "items",
  tag: "documents",
  tidy: "records and documents",
  project: "records",
  trash: "items",
  import: "lines",
};

const resultName = ({ result }: Job) => (typeof result?.name === "string" ? result.name : undefined);

const DONE_TOASTS: Record<Job["kind"], (job: Job) => Toast> = {
  folder: () => ({ text: "Folder deleted", open: DOCUMENTS }),
  tag: (job) => {
    const name = resultName(job);
    if (name === undefined) return { text: "Tag removed", open: DOCUMENTS };
    return { text: `Tag renamed to “${name}”`, open: `${DOCUMENTS}?tag=${encodeURIComponent(name)}` };
  },
  tidy: () => ({ text: "Check finished", open: screenPath("tidy") }),
  project: () => ({ text: "Project renamed", open: screenPath("records") }),
  trash: () => ({ text: "Trash emptied", open: `${DOCUMENTS}?view=trash` }),
  import: () => ({ text: "Import finished", open: DOCUMENTS }),
};

/** The end of a dry-run import is not announced. */
export const isSilentJob = ({ result }: Job) => result?.dry_run === true;

/** The toast for a job that is done or cancelled. */
export function jobEndToast(job: Job): Toast {
  if (job.state === "done") return DONE_TOASTS[job.kind](job);
  const done = jobProgressText(job);
  return { text: `${job.title}: cancelled${done && ` after ${done}`}` };
}

/** What happens to the job's work when it is cancelled. */
export const AFTER_CANCEL: Record<Job["kind"], string> = {
  folder: "Items that have already left the folder stay where they are now. The rest stays in the folder.",
  tag: "Documents that are already updated stay that way. The others keep their current tag.",
  project: "Records that are already updated stay that way. The others keep their current project.",
  tidy: "Nothing has been changed. Earlier findings are still there.",
  trash: "Items that are already deleted are gone. The rest stays in the trash.",
  import: "What has been imported stays. The rest of the file is deleted from the server.",
};

/** What to do after a failure. */
export const AFTER_FAILURE: Record<Job["kind"], string> = {
  folder: "Items that have left the folder stay where they are. Delete the folder again to continue.",
  tag: "Documents that are already updated stay that way. Try again to update the others.",
  project: "Records that are already updated stay that way. Try again to update the others.",
  tidy: "Nothing has been changed. Run the check again.",
  trash: "The rest is still in the trash. Empty it again to continue.",
  import:
    "Choose the file again in Settings, Import and export. Items that were already imported are skipped.",
};
