import { localAccount } from "../../api/current-account.ts";
import { refreshDocuments, refreshResources } from "../../state/queries.ts";
import { createSharedState } from "../../state/shared-state.ts";
import { toast } from "../../state/toasts.ts";
import { countText } from "./lists.tsx";
import {
  clearQueue,
  clearStopRequest,
  type ImportJob,
  keepJob,
  loadJob,
  type QueuedOperation,
  requestStop,
  saveJob,
} from "./queue.ts";

// The import that runs in the background of all screens.

export type ImportStatus = {
  job: ImportJob | undefined;
  /** Why the import is waiting. */
  waiting?: string | undefined;
};

/** Polling interval for the progress of an import in another tab. */
const POLL_MS = 1000;
/** Only one tab at a time imports for an account. */
const lockName = () => `commonplace-import:${localAccount() ?? ""}`;

const shown = createSharedState<ImportStatus>({ job: undefined });

export const useImportStatus = shown.use;

const isRead = createSharedState(false);

/** Whether the stored import has been loaded. Until then, no new import may start. */
export const useIsImportLoaded = isRead.use;

const LIST = new Intl.ListFormat("en-GB");

/** "Imported 3 documents, 12 files and 2 records. Failed: 1 item" */
export function doneText({ counts, refused }: Pick<ImportJob, "counts" | "refused">): string {
  const { created, updated, trashed, files = 0, records = 0 } = counts;
  const join = (...counted: [count: number, text: string][]) =>
    LIST.format(counted.flatMap(([count, text]) => (count > 0 ? [countText(count, text)] : [])));
  const sentences = [
    ["Imported", join([created, "document"], [files, "file"], [records, "record"])],
    ["Updated", join([updated, "document"])],
    ["Moved to the trash:", join([trashed, "document"])],
    ["Failed:", join([refused.length, "item"])],
  ].flatMap(([verb, what]) => (what ? [`${verb} ${what}`] : []));
  return sentences.join(". ") || "Import finished. Nothing was new.";
}

/** "1,200 of 4,000" */
export const shareText = ({ done, total }: { done: number; total: number }) =>
  `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;

let stop = new AbortController();

/** Runs the queue until it is empty or stopped. */
async function runQueue(): Promise<void> {
  const { runImport } = await import("./runner.ts");
  stop = new AbortController();
  const job = await runImport({
    signal: stop.signal,
    onWait: (waiting) => shown.set({ ...shown.get(), waiting }),
    onProgress: (now) => shown.set({ ...shown.get(), job: now }),
  });
  shown.set({ job });
  if (job?.state === "done") toast({ text: doneText(job) });
  await refreshDocuments();
}

/** Shows the progress of an import in another tab. Returns a function that stops it. */
function followOtherTab(): () => void {
  const poll = setInterval(async () => shown.set({ job: await loadJob() }), POLL_MS);
  return () => clearInterval(poll);
}

let isWorking = false;

async function runInOneTab(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  const stopFollowing = followOtherTab();
  const run = async () => {
    stopFollowing();
    await runQueue();
  };
  try {
    // Without the Web Locks API, as over plain HTTP, idempotency keys prevent two tabs from writing twice.
    if ("locks" in navigator) await navigator.locks.request(lockName(), run);
    else await run();
  } finally {
    stopFollowing();
    isWorking = false;
  }
}

/** Starts an import. From here on, it survives a reload. */
export async function startImport(job: ImportJob, batches: QueuedOperation[][]): Promise<void> {
  const isKept = await keepJob(job, batches);
  shown.set({ job: { ...job, isFleeting: !isKept } });
  void runInOneTab();
}

/** Resumes the stored import of this account, if any. */
export async function resumeImport(): Promise<void> {
  const job = await loadJob();
  const isNew = job !== undefined && !shown.get().job;
  if (isNew) shown.set({ job });
  isRead.set(true);
  if (isNew && job.state === "running") void runInOneTab();
}

/** Stops after the batch that is being sent. */
export async function stopImport(): Promise<void> {
  const { job } = shown.get();
  if (!job) return;
  await requestStop(job.id);
  stop.abort();
}

export async function continueImport(): Promise<void> {
  const job = await loadJob();
  if (job?.state !== "stopped") return;
  await clearStopRequest();
  const next: ImportJob = { ...job, state: "running", problem: undefined };
  await saveJob(next);
  shown.set({ job: next });
  void runInOneTab();
}

/** Discards the import: its result, or the part that is not written yet. */
export async function dismissImport(): Promise<void> {
  // First, because what is reading the queue now shows what it finds.
  await clearQueue();
  shown.set({ job: undefined });
  await refreshResources("documents");
}
