import { keptAccount } from "../../api/holder.ts";
import { refresh, refreshDocuments } from "../../state/queries.ts";
import { storeOf } from "../../state/store.ts";
import { toast } from "../../state/toasts.ts";
import {
  askToStop,
  clearQueue,
  forgetStop,
  type Job,
  keepJob,
  loadJob,
  type Queued,
  saveJob,
} from "./queue.ts";

// The import that runs in the background of all screens.

export type Shown = { job: Job | undefined /** Why nothing moves now. */; waiting?: string | undefined };

/** How often a tab looks how far the import of another tab is. */
const LOOK_MS = 1000;
/** One tab at a time works for an account. */
const lock = () => `commonplace-import:${keptAccount() ?? ""}`;

const shown = storeOf<Shown>({ job: undefined });

export const useJob = shown.use;

const isRead = storeOf(false);

/** Whether it is known if an earlier page has left an import. Until then another one must not begin. */
export const useIsJobRead = isRead.use;

const inWords = ({ counts: { created, updated }, refused }: Job) =>
  [
    `${created} created`,
    `${updated} updated`,
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ].join(", ");

let stop = new AbortController();

/** Works through the queue until it is empty or stopped. Only one tab at a time does. */
async function work(): Promise<void> {
  const { carryOn } = await import("./runner.ts");
  stop = new AbortController();
  const job = await carryOn({
    signal: stop.signal,
    onWait: (waiting) => shown.set({ ...shown.get(), waiting }),
    onProgress: (now) => shown.set({ ...shown.get(), job: now }),
  });
  shown.set({ job });
  if (job?.state === "done") toast({ text: `The import is done: ${inWords(job)}` });
  await refreshDocuments();
}

/** Shows how far the import of another tab is, until this tab may work itself. */
function follow(): () => void {
  const look = setInterval(async () => shown.set({ job: await loadJob() }), LOOK_MS);
  return () => clearInterval(look);
}

let isWorking = false;

async function drive(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  const unfollow = follow();
  const run = async () => {
    unfollow();
    await work();
  };
  try {
    // Without locks, as over plain http, the keys of the requests keep two tabs from writing twice.
    if ("locks" in navigator) await navigator.locks.request(lock(), run);
    else await run();
  } finally {
    unfollow();
    isWorking = false;
  }
}

/** Begins an import: from here on it survives a reload. */
export async function startJob(job: Job, batches: Queued[][]): Promise<void> {
  const isKept = await keepJob(job, batches);
  shown.set({ job: { ...job, isFleeting: !isKept } });
  void drive();
}

/** Goes on with the import of this account that an earlier page has left. */
export async function resumeJob(): Promise<void> {
  const job = await loadJob();
  const isNew = job !== undefined && !shown.get().job;
  if (isNew) shown.set({ job });
  isRead.set(true);
  if (isNew && job.state === "running") void drive();
}

/** Stops after what was sent already. */
export async function stopJob(): Promise<void> {
  const { job } = shown.get();
  if (!job) return;
  await askToStop(job.id);
  stop.abort();
}

export async function continueJob(): Promise<void> {
  const job = await loadJob();
  if (job?.state !== "stopped") return;
  await forgetStop();
  const next: Job = { ...job, state: "running", problem: undefined };
  await saveJob(next);
  shown.set({ job: next });
  void drive();
}

/** Forgets the import: its result, or what it has not written yet. */
export async function dismissJob(): Promise<void> {
  shown.set({ job: undefined });
  await clearQueue();
  await refresh("documents");
}
