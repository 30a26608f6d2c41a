import type * as jobs from "../../../src/contract/jobs.ts";
import { get, remove } from "./ask.ts";

export type Job = jobs.Job;

/** What answers an operation that may take longer than its request: what it came to, or the job that goes on with it. */
export type OrJob<Result> = Result | Job;

export const isJob = (answer: object | undefined): answer is Job =>
  answer !== undefined && "kind" in answer && "state" in answer;

export const jobsApi = {
  running: (signal?: AbortSignal) => get<jobs.JobList>("/api/jobs", { state: "running" }, signal),
  /** How far one is: when it has ended, or after so many seconds. */
  get: (id: string, wait = 0, signal?: AbortSignal) => get<Job>(`/api/jobs/${id}`, { wait }, signal),
  cancel: (id: string) => remove(`/api/jobs/${id}`),
};
