import { useQuery } from "@tanstack/react-query";
import { keptAccount } from "../api/holder.ts";
import { type Job, jobsApi } from "../api/jobs.ts";
import { isApiError } from "../api/request.ts";
import { isQuiet, told } from "./job-words.ts";
import { note } from "./keep.ts";
import { queries, refresh, refreshDocuments, refreshMemories, useMe } from "./queries.ts";
import { storeOf } from "./store.ts";
import { toast } from "./toasts.ts";

// Work that goes on in the service after its request. What is under way is asked for when the app starts, and whenever
// somebody comes back to it; only then, and only while something runs, how far that is.

const KEY = ["jobs"];
const ROUND_MS = 1000;

/** The longest time that the service may wait with its answer, in seconds. */
const LONGEST_WAIT = 20;
/** It grows: what takes long is looked at less often. */
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

/** What is under way, and what has failed until somebody has read that. */
const known = () => queries.getQueryData<readonly Job[]>(KEY) ?? [];

// Their ids are kept in this browser, so that an end is told which came while no page was open.

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

/** Those whose progress and end are told elsewhere on the page. */
const elsewhere = storeOf<readonly string[]>([]);

/** Tells how far a job is, and its end, instead of the bar above the screens. Returns what gives it back. */
export function tellElsewhere(id: string): () => void {
  elsewhere.set([...elsewhere.get(), id]);
  return () => elsewhere.set(elsewhere.get().filter((other) => other !== id));
}

/** Undefined when nobody knows it any more. */
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

/** Shows work that has begun, until its end. Returns what is said of it at once. */
export function goesOn(job: Job): string {
  wait = 1;
  void queries.cancelQueries({ queryKey: KEY }).then(() => {
    set([...known().filter(({ id }) => id !== job.id), job]);
  });
  return `${job.title}: this takes a while and goes on by itself`;
}

/** An import has begun to be applied. */
export const importGoesOn = (id: string) => {
  if (!known().some((job) => job.id === id)) void lookAgain();
};

/** Ends a job; what it has done stays. */
export async function cancelJob({ id }: Job): Promise<void> {
  await jobsApi.cancel(id).catch((problem: unknown) => {
    // It has just ended by itself.
    if (!isApiError(problem, 404, 409)) throw problem;
  });
  void lookAgain();
}

/** Somebody has read why it failed. */
export const dismissJob = ({ id }: Job) => set(known().filter((job) => job.id !== id));

/** What is under way or has failed, the oldest first. */
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

/** Those that the bar above the screens shows. */
export function useJobsToShow(): readonly Job[] {
  const others = elsewhere.use();
  return useJobs().filter(({ id }) => !others.includes(id));
}
