import type * as jobs from "../../../src/contract/jobs.ts";
import { get, remove } from "./client.ts";

export type Job = jobs.Job;

/** The response of an operation that may continue in the background: its result, or the job. */
export type OrJob<Result> = Result | Job;

export const isJob = (answer: object | undefined): answer is Job =>
  answer !== undefined && "kind" in answer && "state" in answer;

export const jobsApi = {
  running: (signal?: AbortSignal) => get<jobs.JobList>("/api/jobs", { state: "running" }, signal),
  /** Waits up to `wait` seconds for the job to end. */
  get: (id: string, wait = 0, signal?: AbortSignal) => get<Job>(`/api/jobs/${id}`, { wait }, signal),
  cancel: (id: string) => remove(`/api/jobs/${id}`),
};
