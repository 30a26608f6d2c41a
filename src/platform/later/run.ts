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

// Work that may take longer than a request: its first step is done at once, and what is left by the account's Durable Object.

export type Work<Payload> = { ctx: Ctx; env: Env; task: Task; payload: Payload };

export type Kind<Payload extends Record<string, unknown>, Result> = {
  kind: JobKind;
  /** Does a piece of at most ten calls, with `advanced` in each transaction: it may be killed or repeated. True: done. */
  step: (work: Work<Payload>) => Promise<boolean>;
  /** What is answered in the end. */
  result: (work: Work<Payload>) => Promise<Result>;
  /** The statements that clean up with a cancellation. */
  cancelled?: (work: Omit<Work<Payload>, "env">) => readonly BatchItem<"sqlite">[];
};

/** A step ends after this long, and after this many calls of the database: Cloudflare ends an invocation after 1,000. */
const STEP_MS = 10_000;

/** Whether a step may go on. */
export type Budget = () => boolean;

export function budgetOf({ db }: Ctx, { D1_CALLS }: Env): Budget {
  const calls = db.calls() + Number(D1_CALLS);
  const until = Date.now() + STEP_MS;
  return () => db.calls() < calls && Date.now() < until;
}

/** Works until it is done or the budget is spent. Undefined: there is more to do. Throws what a step throws. */
async function work<Payload extends Record<string, unknown>, Result>(
  kind: Kind<Payload, Result>,
  of: Work<Payload>,
  isLeft: Budget,
): Promise<{ result: Result } | { ended: true } | undefined> {
  do {
    const { answer, refusal } = await unless(
      withRest(() => kind.step(of)),
      "ended",
    );
    if (refusal) return { ended: true };
    of.task.tries = 0;
    if (answer) return { result: await kind.result(of) };
  } while (isLeft());
  return undefined;
}

const isPassing = (problem: unknown) => !(problem instanceof AppError) || problem.status === 503;

export type Outcome<Result> = { result: Result; job?: never } | { job: Job; result?: never };

/** Does work within the request if that is short, and otherwise begins it. Throws what a step refuses; 409. */
export async function doOrBegin<Payload extends Record<string, unknown>, Result extends object>(
  ctx: Ctx,
  kind: Kind<Payload, Result>,
  begun: Omit<store.Begun, "kind" | "payload"> & { payload: Payload },
  prefer: Prefer = NO_PREFERENCE,
): Promise<Outcome<Result>> {
  const until = Date.now() + prefer.wait * 1000;
  const { task, isNew, isFirst } = await store.begin(ctx, { ...begun, kind: kind.kind });
  if (isNew) {
    wake(ctx, Date.now() + store.HELD_MS);
    const done =
      isFirst &&
      !prefer.isAsync &&
      (await doNow({ ctx, env: env as unknown as Env, task, payload: begun.payload }, kind));
    if (done) return done;
    await store.putBack(ctx, task);
    wake(ctx);
  }
  const now = await waitForEnd(ctx, task.id, Math.max(0, (until - Date.now()) / 1000));
  return now?.state === "done" ? { result: now.result as Result } : { job: store.present(now ?? task) };
}

/** Undefined when it takes longer, or failed in passing. Throws what refuses it for good. */
async function doNow<Payload extends Record<string, unknown>, Result>(
  of: Work<Payload>,
  kind: Kind<Payload, Result>,
): Promise<{ result: Result } | undefined> {
  const { ctx, env, task } = of;
  try {
    const done = await work(kind, of, budgetOf(ctx, env));
    if (!done || "ended" in done) return undefined;
    if (await store.forget(ctx, task)) wake(ctx);
    return done;
  } catch (problem) {
    if (isPassing(problem)) {
      console.error(JSON.stringify({ job: task.id, home: ctx.home, error: String(problem) }));
      return undefined;
    }
    if (await store.forget(ctx, task)) wake(ctx);
    throw problem;
  }
}

/** What a tool says of work that goes on after its answer. */
export const underWay = ({ title, done, total }: Job): string =>
  `${title}: this goes on by itself, ${done} of ${total ?? "?"} are done; whoami shows how far it is`;

/** Goes on with work that is held; returns whether it has ended. */
export async function goOn<Payload extends Record<string, unknown>, Result extends object>(
  kind: Kind<Payload, Result>,
  of: Work<Payload>,
  isLeft: Budget,
): Promise<boolean> {
  const { ctx, task } = of;
  try {
    const done = await work(kind, of, isLeft);
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
      problem instanceof AppError ? problem.message : "Something went wrong here; it is tried again";
    if (!isPassing(problem)) {
      await store.end(ctx, task, { state: "failed", detail });
      return true;
    }
    console.error(JSON.stringify({ job: task.id, home: ctx.home, error: String(problem) }));
    await store.postpone(ctx, task, detail);
    return false;
  }
}

const LOOK_MS = 1000;

/** Waits until work has ended, at most so many seconds; returns how it is then, or undefined when it is gone. */
export async function waitForEnd(ctx: Ctx, id: string, seconds: number): Promise<Task | undefined> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const task = await store.findTask(ctx, id);
    const left = until - Date.now();
    if (task?.state !== "waiting" || left <= 0) return task;
    ctx.endTurn?.();
    await scheduler.wait(Math.min(LOOK_MS, left));
  }
}
