import { useQuery } from "@tanstack/react-query";
import { localAccount } from "../api/current-account.ts";
import { type Job, jobsApi } from "../api/jobs.ts";
import { isApiError } from "../api/request.ts";
import { setLocalItem } from "./account-storage.ts";
import { isSilentJob, jobEndToast } from "./job-texts.ts";
import { queries, refreshDocuments, refreshMemories, refreshResources, useMe } from "./queries.ts";
import { createSharedState } from "./shared-state.ts";
import { toast } from "./toasts.ts";

// Background jobs of the server. Running jobs are fetched when the app starts and when the page gets the focus; their progress
// is polled only while at least one runs.

const KEY = ["jobs"];
const POLL_MS = 1000;

const MAX_WAIT_SECONDS = 20;
/** Current long-poll wait, in seconds. It grows, so that long jobs are polled less often. */
let waitSeconds = 1;

const REFRESH_BY_KIND: Record<Job["kind"], () => unknown> = {
  folder: refreshDocuments,
  tag: refreshDocuments,
  project: refreshMemories,
  tidy: () => refreshResources("tidy"),
  trash: () => Promise.all([refreshDocuments(), refreshMemories()]),
  import: () => Promise.all([refreshDocuments(), refreshMemories()]),
};

const isRunning = ({ state }: Job) => state === "running";

/** Running jobs, and failed ones that are not dismissed yet. */
const knownJobs = () => queries.getQueryData<readonly Job[]>(KEY) ?? [];

// Job ids are stored in this browser, so that jobs that ended while no page was open are still announced.

const storageKey = (owner = localAccount()) => `commonplace-jobs:${owner ?? ""}`;
const rememberedIds = () => localStorage.getItem(storageKey())?.split(" ").filter(Boolean) ?? [];

function rememberJobs(jobs: readonly Job[]): void {
  const ids = jobs.map(({ id }) => id).sort();
  if (ids.length > 0) setLocalItem(storageKey(), ids.join(" "));
  else localStorage.removeItem(storageKey());
}

export const forgetJobs = (owner: string) => localStorage.removeItem(storageKey(owner));

addEventListener("storage", ({ key }) => {
  if (key === storageKey()) void refreshJobs();
});

function refreshJobs(): Promise<unknown> {
  waitSeconds = 1;
  return refreshResources("jobs");
}

/** Jobs whose progress and end are shown elsewhere on the page. */
const shownElsewhere = createSharedState<readonly string[]>([]);

/** Hides a job from the jobs bar because another component shows it. Returns a function that undoes this. */
export function showJobElsewhere(id: string): () => void {
  shownElsewhere.set([...shownElsewhere.get(), id]);
  return () => shownElsewhere.set(shownElsewhere.get().filter((other) => other !== id));
}

/** Undefined if the job no longer exists. */
const findJob = (id: string, seconds: number, signal: AbortSignal): Promise<Job | undefined> =>
  jobsApi.get(id, seconds, signal).catch((problem: unknown) => {
    if (!isApiError(problem, 404)) throw problem;
    return undefined;
  });

function announceEnd(job: Job): void {
  if (shownElsewhere.get().includes(job.id) || isSilentJob(job)) return;
  toast(jobEndToast(job));
}

const isUnread = ({ id, state }: Job) => state === "failed" && !shownElsewhere.get().includes(id);

async function fetchJobs({ signal }: { signal: AbortSignal }): Promise<Job[]> {
  const before = knownJobs();
  const [first] = before.filter(isRunning);
  if (first) {
    await findJob(first.id, waitSeconds, signal);
    waitSeconds = Math.min(waitSeconds + 1, MAX_WAIT_SECONDS);
  }
  const { items } = await jobsApi.running(signal);
  const running = items.toReversed();
  const ids = new Set([...rememberedIds(), ...before.filter(isRunning).map(({ id }) => id)]);
  for (const { id } of running) ids.delete(id);
  const others = await Promise.all(
    [...ids].map((id) => before.find((job) => job.id === id && !isRunning(job)) ?? findJob(id, 0, signal)),
  );
  const ended = others.filter((job) => job !== undefined).filter((job) => !isRunning(job));
  for (const job of ended) if (job.state !== "failed") announceEnd(job);
  const doneBefore = new Map(before.map(({ id, done, state }) => [id, `${state} ${done}`]));
  const moved = [...running, ...ended].filter(
    ({ id, done, state }) => doneBefore.get(id) !== `${state} ${done}`,
  );
  for (const kind of new Set(moved.map((job) => job.kind))) void REFRESH_BY_KIND[kind]();
  const now = [...running, ...ended.filter(isUnread)];
  rememberJobs(now);
  return now;
}

function setJobs(jobs: readonly Job[]): void {
  queries.setQueryData(KEY, jobs);
  rememberJobs(jobs);
}

/** Adds a started job to the jobs bar. Returns the text of the first toast about it. */
export function trackJob(job: Job): string {
  waitSeconds = 1;
  void queries.cancelQueries({ queryKey: KEY }).then(() => {
    setJobs([...knownJobs().filter(({ id }) => id !== job.id), job]);
  });
  return `${job.title}: this takes a while and continues in the background`;
}

export const trackImport = (id: string) => {
  if (!knownJobs().some((job) => job.id === id)) void refreshJobs();
};

/** Cancels a job; the work already done stays. */
export async function cancelJob({ id }: Job): Promise<void> {
  await jobsApi.cancel(id).catch((problem: unknown) => {
    // The job has just ended on its own.
    if (!isApiError(problem, 404, 409)) throw problem;
  });
  void refreshJobs();
}

export const dismissJob = ({ id }: Job) => setJobs(knownJobs().filter((job) => job.id !== id));

/** Running and failed jobs, oldest first. */
export function useJobs(): readonly Job[] {
  const me = useMe();
  const { data = [] } = useQuery({
    queryKey: KEY,
    queryFn: fetchJobs,
    enabled: me !== undefined,
    networkMode: "online",
    refetchInterval: ({ state }) => state.status !== "error" && state.data?.some(isRunning) && POLL_MS,
  });
  return data;
}

export function useJobsInBar(): readonly Job[] {
  const others = shownElsewhere.use();
  return useJobs().filter(({ id }) => !others.includes(id));
}
