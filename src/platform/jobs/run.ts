import { env } from "cloudflare:workers";
import type { Job, JobKind } from "../../contract/jobs.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import type { BatchItem } from "../core/statement.ts";
import { catchRefusal } from "../db/call.ts";
import { NO_PREFERENCE, type WaitPreference } from "../http/prefer.ts";
import { withRest } from "../queue/yielding.ts";
import type { JobRow } from "./store.ts";
import * as store from "./store.ts";
import { wakeAccount } from "./wake.ts";

// Jobs: work that may take longer than a request. The request runs the first steps, the account's Durable Object the rest.

export type JobRun<Payload> = { ctx: Ctx; env: Env; task: JobRow; payload: Payload };

export type JobDefinition<Payload extends Record<string, unknown>, Result> = {
  kind: JobKind;
  /** Runs a step of at most ten calls. Each transaction has `advanced`, because a step may be killed or repeated. True: done. */
  step: (work: JobRun<Payload>) => Promise<boolean>;
  result: (work: JobRun<Payload>) => Promise<Result>;
  /** Statements that clean up when the job is cancelled, in the same transaction. */
  cancelStatements?: (work: Omit<JobRun<Payload>, "env">) => readonly BatchItem[];
};

/** Time per invocation. The number of D1 calls is limited too (`D1_CALLS`): Cloudflare allows 1,000. */
const STEP_MS = 10_000;

/** Whether there is time and calls left for another step. */
export type StepBudget = () => boolean;

export function createStepBudget({ db }: Ctx, { D1_CALLS }: Env): StepBudget {
  const calls = db.calls() + Number(D1_CALLS);
  const until = Date.now() + STEP_MS;
  return () => db.calls() < calls && Date.now() < until;
}

/** Runs steps until the job is done or the budget is spent. Undefined: there is more to do. Throws what a step throws. */
async function runSteps<Payload extends Record<string, unknown>, Result>(
  kind: JobDefinition<Payload, Result>,
  work: JobRun<Payload>,
  hasBudget: StepBudget,
): Promise<{ result: Result } | { ended: true } | undefined> {
  do {
    const { answer, refusal } = await catchRefusal(
      withRest(() => kind.step(work)),
      "ended",
    );
    if (refusal) return { ended: true };
    work.task.tries = 0;
    if (answer) return { result: await kind.result(work) };
  } while (hasBudget());
  return undefined;
}

const isPermanentError = (problem: unknown): problem is AppError =>
  problem instanceof AppError && problem.status !== 503;

const doneWith = (result: object) =>
  ({ state: "done", result: { ...result } as Record<string, unknown>, detail: null }) as const;

export type JobOutcome<Result> = { result: Result; job?: never } | { job: Job; result?: never };

/** Completes a job within the request if it is short, and otherwise starts it. Throws errors of its steps, and 409. */
export async function runOrStartJob<Payload extends Record<string, unknown>, Result extends object>(
  ctx: Ctx,
  kind: JobDefinition<Payload, Result>,
  job: Omit<store.NewJob, "kind" | "payload"> & { payload: Payload },
  prefer: WaitPreference = NO_PREFERENCE,
): Promise<JobOutcome<Result>> {
  const until = Date.now() + prefer.wait * 1000;
  const { task, isNew, isFirst } = await store.findOrCreateJob(ctx, { ...job, kind: kind.kind });
  if (isNew) {
    wakeAccount(ctx, Date.now() + store.LEASE_MS);
    const done =
      isFirst &&
      !prefer.isAsync &&
      (await runNow({ ctx, env: env as unknown as Env, task, payload: job.payload }, kind));
    if (done) return done;
    await store.releaseJob(ctx, task);
    wakeAccount(ctx);
  }
  const current = await waitForJob(ctx, task.id, Math.max(0, (until - Date.now()) / 1000));
  return current?.state === "done"
    ? { result: current.result as Result }
    : { job: store.presentJob(current ?? task) };
}

/** Undefined if it takes longer or had a transient error. Throws permanent errors. */
async function runNow<Payload extends Record<string, unknown>, Result extends object>(
  work: JobRun<Payload>,
  kind: JobDefinition<Payload, Result>,
): Promise<{ result: Result } | undefined> {
  const { ctx, env, task } = work;
  try {
    const done = await runSteps(kind, work, createStepBudget(ctx, env));
    if (!done || "ended" in done) return undefined;
    if (await store.endJobInRequest(ctx, task, doneWith(done.result))) wakeAccount(ctx);
    return done;
  } catch (problem) {
    if (!isPermanentError(problem)) {
      console.error(JSON.stringify({ job: task.id, home: ctx.shard, error: String(problem) }));
      return undefined;
    }
    const failed = { state: "failed", detail: problem.message } as const;
    if (await store.endJobInRequest(ctx, task, failed)) wakeAccount(ctx);
    throw problem;
  }
}

/** A tool's answer about a job that continues in the background. */
export const jobProgressText = ({ title, done, total }: Job): string =>
  `${title}: this continues in the background, ${done} of ${total ?? "?"} are done; whoami shows its progress`;

/** Continues a job whose lease the caller holds. Returns whether it has ended. */
export async function continueJob<Payload extends Record<string, unknown>, Result extends object>(
  kind: JobDefinition<Payload, Result>,
  work: JobRun<Payload>,
  hasBudget: StepBudget,
): Promise<boolean> {
  const { ctx, task } = work;
  try {
    const done = await runSteps(kind, work, hasBudget);
    if (!done) await store.releaseJob(ctx, task);
    else if ("result" in done) await store.endLeasedJob(ctx, task, doneWith(done.result));
    return done !== undefined;
  } catch (problem) {
    if (isPermanentError(problem)) {
      await store.endLeasedJob(ctx, task, { state: "failed", detail: problem.message });
      return true;
    }
    const detail =
      problem instanceof AppError ? problem.message : "Something went wrong; this will be retried";
    console.error(JSON.stringify({ job: task.id, home: ctx.shard, error: String(problem) }));
    await store.retryJobLater(ctx, task, detail);
    return false;
  }
}

const POLL_MS = 1000;

/** Waits at most so many seconds for a job to end. Returns its current state, or undefined if it does not exist. */
export async function waitForJob(ctx: Ctx, id: string, seconds: number): Promise<JobRow | undefined> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const task = await store.findJob(ctx, id);
    const left = until - Date.now();
    if (task?.state !== "waiting" || left <= 0) return task;
    ctx.releaseSlot?.();
    await scheduler.wait(Math.min(POLL_MS, left));
  }
}
