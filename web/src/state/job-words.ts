import { pathOf } from "../../../src/contract/paths.ts";
import type { Job } from "../api/jobs.ts";
import type { Toast } from "./toasts.ts";

// What is said of work that goes on after its request.

const number = new Intl.NumberFormat("en");
const DOCUMENTS = pathOf("documents");

/** "1,200 of 4,000 documents", as far as that is known. */
export function share({ kind, done, total }: Job): string {
  if (total === null) return "";
  return `${number.format(done)} of ${number.format(total)} ${COUNTED[kind]}`;
}

const COUNTED: Record<Job["kind"], string> = {
  folder: "items",
  tag: "documents",
  tidy: "records and documents",
  project: "records",
  trash: "items",
  import: "lines",
};

const nameIn = ({ result }: Job) => (typeof result?.name === "string" ? result.name : undefined);

/** What a job that is done has come to. */
const DONE: Record<Job["kind"], (job: Job) => Toast> = {
  folder: () => ({ text: "The folder is deleted", open: DOCUMENTS }),
  tag: (job) => {
    const name = nameIn(job);
    if (name === undefined) return { text: "The tag is removed", open: DOCUMENTS };
    return { text: `The tag is renamed to “${name}”`, open: `${DOCUMENTS}?tag=${encodeURIComponent(name)}` };
  },
  tidy: () => ({ text: "Everything is looked through", open: pathOf("tidy") }),
  project: () => ({ text: "The project is renamed", open: pathOf("records") }),
  trash: () => ({ text: "The trash is emptied", open: `${DOCUMENTS}?view=trash` }),
  import: () => ({ text: "The file is imported", open: DOCUMENTS }),
};

/** A check of a file has no end to tell. */
export const isQuiet = ({ result }: Job) => result?.dry_run === true;

/** What is said at the end of a job. */
export function told(job: Job): Toast {
  if (job.state === "done") return DONE[job.kind](job);
  const done = share(job);
  return { text: `${job.title}: cancelled${done && `, ${done} were done`}` };
}

/** What a job leaves when it is cancelled. */
export const KEPT: Record<Job["kind"], string> = {
  folder: "What has left the folder already stays where it is now. The folder keeps the rest.",
  tag: "Documents that are done already stay so. The others keep the tag that they have.",
  project: "Records that are done already stay so. The others keep the project that they have.",
  tidy: "Nothing is changed. What was found before is still there.",
  trash: "What is erased already is gone. The rest stays in the trash.",
  import: "What is imported already stays. The rest of the file is deleted from the service.",
};

/** What to do after a failure. */
export const AFTER_FAILURE: Record<Job["kind"], string> = {
  folder: "What has left the folder stays where it is. Delete the folder again to go on.",
  tag: "Documents that are done stay so. Do it again to go on with the others.",
  project: "Records that are done stay so. Do it again to go on with the others.",
  tidy: "Nothing is changed. Look again.",
  trash: "What is left is still in the trash. Empty it again to go on.",
  import: "Choose the file again in Settings, Import and export: what is here already is not imported twice.",
};
