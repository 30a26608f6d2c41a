import { env } from "cloudflare:workers";
import type { BatchItem } from "drizzle-orm/batch";
import type { Job, JobKind } from "../../contract/jobs.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import { unless } from "../db/call.ts";
import { NO_PREFERENCE, type Prefer } from "../http/prefer.ts";
import { withRest } from "../turns/fair.ts";
import type { Task } from "./store.ts";
import * as store from "./store.ts";
import { wake } from "./wake.ts";

// Jobs: work that may take longer than a request. The request runs the first steps, the account's Durable Object the rest.

export type Work<Payload> = { ctx: Ctx; env: Env; task: Task; payload: Payload };

export type Kind<Payload extends Record<string, unknown>, Result> = {
  kind: JobKind;
  /** Runs a step of at most ten calls. Each transaction has `advanced`, because a step may be killed or repeated. True: done. */
  step: (work: Work<Payload>) => Promise<boolean>;
  result: (work: Work<Payload>) => Promise<Result>;
  /** Statements that clean up when the job is cancelled, in the same transaction. */
  cancelled?: (work: Omit<Work<Payload>, "env">) => readonly BatchItem<"sqlite">[];
};

/** Time per invocation. The number of D1 calls is limited too (`D1_CALLS`): Cloudflare allows 1,000. */
const STEP_MS = 10_000;

/** Whether there is time and calls left for another step. */
export type Budget = () => boolean;

export function budgetOf({ db }: Ctx, { D1_CALLS }: Env): Budget {
  const calls = db.calls() + Number(D1_CALLS);
  const until = Date.now() + STEP_MS;
  return () => db.calls() < calls && Date.now() < until;
}

/** Runs steps until the job is done or the budget is spent. Undefined: there is more to do. Throws what a step throws. */
async function runSteps<Payload extends Record<string, unknown>, Result>(
  kind: Kind<Payload, Result>,
  work: Work<Payload>,
  hasBudget: Budget,
): Promise<{ result: Result } | { ended: true } | undefined> {
  do {
    const { answer, refusal } = await unless(
      withRest(() => kind.step(work)),
      "ended",
    );
    if (refusal) return { ended: true };
    work.task.tries = 0;
    if (answer) return { result: await kind.result(work) };
  } while (hasBudget());
  return undefined;
}

const isTransientError = (problem: unknown) => !(problem instanceof AppError) || problem.status === 503;

export type Outcome<Result> = { result: Result; job?: never } | { job: Job; result?: never };

/** Completes a job within the request if it is short, and otherwise starts it. Throws errors of its steps, and 409. */
export async function doOrBegin<Payload extends Record<string, unknown>, Result extends object>(
  ctx: Ctx,
  kind: Kind<Payload, Result>,
  job: Omit<store.Begun, "kind" | "payload"> & { payload: Payload },
  prefer: Prefer = NO_PREFERENCE,
): Promise<Outcome<Result>> {
  const until = Date.now() + prefer.wait * 1000;
  const { task, isNew, isFirst } = await store.begin(ctx, { ...job, kind: kind.kind });
  if (isNew) {
    wake(ctx, Date.now() + store.HELD_MS);
    const done =
      isFirst &&
      !prefer.isAsync &&
      (await runNow({ ctx, env: env as unknown as Env, task, payload: job.payload }, kind));
    if (done) return done;
    await store.putBack(ctx, task);
    wake(ctx);
  }
  const current = await waitForEnd(ctx, task.id, Math.max(0, (until - Date.now()) / 1000));
  return current?.state === "done"
    ? { result: current.result as Result }
    : { job: store.present(current ?? task) };
}

/** Undefined if it takes longer or had a transient error. Throws permanent errors. */
async function runNow<Payload extends Record<string, unknown>, Result>(
  work: Work<Payload>,
  kind: Kind<Payload, Result>,
): Promise<{ result: Result } | undefined> {
  const { ctx, env, task } = work;
  try {
    const done = await runSteps(kind, work, budgetOf(ctx, env));
    if (!done || "ended" in done) return undefined;
    if (await store.forget(ctx, task)) wake(ctx);
    return done;
  } catch (problem) {
    if (isTransientError(problem)) {
      console.error(JSON.stringify({ job: task.id, home: ctx.home, error: String(problem) }));
      return undefined;
    }
    if (await store.forget(ctx, task)) wake(ctx);
    throw problem;
  }
}

/** A tool's answer about a job that continues in the background. */
export const underWay = ({ title, done, total }: Job): string =>
  `${title}: this continues in the background, ${done} of ${total ?? "?"} are done; whoami shows its progress`;

/** Continues a job whose lease the caller holds. Returns whether it has ended. */
export async function goOn<Payload extends Record<string, unknown>, Result extends object>(
  kind: Kind<Payload, Result>,
  work: Work<Payload>,
  hasBudget: Budget,
): Promise<boolean> {
  const { ctx, task } = work;
  try {
    const done = await runSteps(kind, work, hasBudget);
    if (!done) await store.putBack(ctx, task);
    else if ("result" in done)
      await store.end(ctx, task, {
        state: "done",
        result: { ...done.result } as Record<string, unknown>,
        detail: null,
      });
    return done !== undefined;
  } catch (problem) {
    const detail =
      problem instanceof AppError ? problem.message : "Something went wrong; this will be retried";
    if (!isTransientError(problem)) {
      await store.end(ctx, task, { state: "failed", detail });
      return true;
    }
    console.error(JSON.stringify({ job: task.id, home: ctx.home, error: String(problem) }));
    await store.postpone(ctx, task, detail);
    return false;
  }
}

const POLL_MS = 1000;

/** Waits at most so many seconds for a job to end. Returns its current state, or undefined if it does not exist. */
export async function waitForEnd(ctx: Ctx, id: string, seconds: number): Promise<Task | undefined> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const task = await store.findTask(ctx, id);
    const left = until - Date.now();
    if (task?.state !== "waiting" || left <= 0) return task;
    ctx.endTurn?.();
    await scheduler.wait(Math.min(POLL_MS, left));
  }
}
