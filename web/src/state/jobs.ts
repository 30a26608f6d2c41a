import { useQuery } from "@tanstack/react-query";
import { keptAccount } from "../api/holder.ts";
import { type Job, jobsApi } from "../api/jobs.ts";
import { isApiError } from "../api/request.ts";
import { isQuiet, told } from "./job-words.ts";
import { note } from "./keep.ts";
import { queries, refresh, refreshDocuments, refreshMemories, useMe } from "./queries.ts";
import { storeOf } from "./store.ts";
import { toast } from "./toasts.ts";

// Background jobs of the server. Running jobs are fetched when the app starts and when the page gets the focus; their progress
// is polled only while at least one runs.

const KEY = ["jobs"];
const ROUND_MS = 1000;

/** Longest long-poll wait, in seconds. */
const LONGEST_WAIT = 20;
/** Current long-poll wait, in seconds. It grows, so that long jobs are polled less often. */
let wait = 1;

const REFRESHED: Record<Job["kind"], () => unknown> = {
  folder: refreshDocuments,
  tag: refreshDocuments,
  project: refreshMemories,
  tidy: () => refresh("tidy"),
  trash: () => Promise.all([refreshDocuments(), refreshMemories()]),
  import: () => Promise.all([refreshDocuments(), refreshMemories()]),
};

const isRunning = ({ state }: Job) => state === "running";

/** Running jobs, and failed ones that are not dismissed yet. */
const known = () => queries.getQueryData<readonly Job[]>(KEY) ?? [];

// Job ids are stored in this browser, so that jobs that ended while no page was open are still announced.

const keyOf = (owner = keptAccount()) => `commonplace-jobs:${owner ?? ""}`;
const rememberedIds = () => localStorage.getItem(keyOf())?.split(" ").filter(Boolean) ?? [];

function remember(jobs: readonly Job[]): void {
  const ids = jobs.map(({ id }) => id).sort();
  if (ids.length > 0) note(keyOf(), ids.join(" "));
  else localStorage.removeItem(keyOf());
}

export const forgetJobs = (owner: string) => localStorage.removeItem(keyOf(owner));

addEventListener("storage", ({ key }) => {
  if (key === keyOf()) void lookAgain();
});

function lookAgain(): Promise<unknown> {
  wait = 1;
  return refresh("jobs");
}

/** Jobs whose progress and end are shown elsewhere on the page. */
const elsewhere = storeOf<readonly string[]>([]);

/** Hides a job from the jobs bar because another component shows it. Returns a function that undoes this. */
export function tellElsewhere(id: string): () => void {
  elsewhere.set([...elsewhere.get(), id]);
  return () => elsewhere.set(elsewhere.get().filter((other) => other !== id));
}

/** Undefined if the job no longer exists. */
const find = (id: string, seconds: number, signal: AbortSignal): Promise<Job | undefined> =>
  jobsApi.get(id, seconds, signal).catch((problem: unknown) => {
    if (!isApiError(problem, 404)) throw problem;
    return undefined;
  });

function tell(job: Job): void {
  if (elsewhere.get().includes(job.id) || isQuiet(job)) return;
  toast(told(job));
}

const isUnread = ({ id, state }: Job) => state === "failed" && !elsewhere.get().includes(id);

async function read({ signal }: { signal: AbortSignal }): Promise<Job[]> {
  const before = known();
  const [first] = before.filter(isRunning);
  if (first) {
    await find(first.id, wait, signal);
    wait = Math.min(wait + 1, LONGEST_WAIT);
  }
  const { items } = await jobsApi.running(signal);
  const running = items.toReversed();
  const ids = new Set([...rememberedIds(), ...before.filter(isRunning).map(({ id }) => id)]);
  for (const { id } of running) ids.delete(id);
  const others = await Promise.all(
    [...ids].map((id) => before.find((job) => job.id === id && !isRunning(job)) ?? find(id, 0, signal)),
  );
  const ended = others.filter((job) => job !== undefined).filter((job) => !isRunning(job));
  for (const job of ended) if (job.state !== "failed") tell(job);
  const doneBefore = new Map(before.map(({ id, done, state }) => [id, `${state} ${done}`]));
  const moved = [...running, ...ended].filter(
    ({ id, done, state }) => doneBefore.get(id) !== `${state} ${done}`,
  );
  for (const kind of new Set(moved.map((job) => job.kind))) void REFRESHED[kind]();
  const now = [...running, ...ended.filter(isUnread)];
  remember(now);
  return now;
}

function set(jobs: readonly Job[]): void {
  queries.setQueryData(KEY, jobs);
  remember(jobs);
}

/** Adds a started job to the jobs bar. Returns the text of the first toast about it. */
export function goesOn(job: Job): string {
  wait = 1;
  void queries.cancelQueries({ queryKey: KEY }).then(() => {
    set([...known().filter(({ id }) => id !== job.id), job]);
  });
  return `${job.title}: this takes a while and continues in the background`;
}

export const importGoesOn = (id: string) => {
  if (!known().some((job) => job.id === id)) void lookAgain();
};

/** Cancels a job; the work already done stays. */
export async function cancelJob({ id }: Job): Promise<void> {
  await jobsApi.cancel(id).catch((problem: unknown) => {
    // The job has just ended on its own.
    if (!isApiError(problem, 404, 409)) throw problem;
  });
  void lookAgain();
}

export const dismissJob = ({ id }: Job) => set(known().filter((job) => job.id !== id));

/** Running and failed jobs, oldest first. */
export function useJobs(): readonly Job[] {
  const me = useMe();
  const { data = [] } = useQuery({
    queryKey: KEY,
    queryFn: read,
    enabled: me !== undefined,
    networkMode: "online",
    refetchInterval: ({ state }) => state.status !== "error" && state.data?.some(isRunning) && ROUND_MS,
  });
  return data;
}

/** The jobs that the bar above the screens shows. */
export function useJobsToShow(): readonly Job[] {
  const others = elsewhere.use();
  return useJobs().filter(({ id }) => !others.includes(id));
}
