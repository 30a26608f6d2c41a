import { eq, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Job, JobKind } from "../../contract/jobs.ts";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { conflict } from "../core/errors.ts";
import type { BatchItem } from "../core/statement.ts";
import { assertInBatch, catchRefusal, sendBatch } from "../db/call.ts";
import { notFenced } from "../db/fence.ts";
import { later } from "../db/tables.ts";

export type JobRow = typeof later.$inferSelect;

/** Lease of the worker that runs a job, renewed before each run: far longer than a step takes. */
export const LEASE_MS = 60_000;

const timeIn = ({ now }: BaseCtx, milliseconds: number): string =>
  new Date(now.getTime() + milliseconds).toISOString();

export type NewJob = {
  kind: JobKind;
  /** The subject of the job. Only one job of a kind and key runs at a time. */
  key: string;
  title: string;
  payload: Record<string, unknown>;
  total: number | null;
  /** Id of the resource the job works on, if any. */
  id?: string;
  /** Extra statements for the same transaction, also if the job already existed. */
  also?: readonly BatchItem[];
};

const ofKind = (ctx: Ctx, kind: JobKind) =>
  sql`owner = ${ctx.owner} AND kind = ${kind} AND state = 'waiting'`;

const isSamePayload = (stored: NewJob["payload"], payload: NewJob["payload"]) =>
  Object.entries(payload).every(([name, value]) => JSON.stringify(stored[name]) === JSON.stringify(value));

/**
 * Creates a job and leases it to the caller, or finds the same job. `isFirst`: no other job of its kind precedes it.
 * Throws 409 while a different job with the same key is running.
 */
export async function findOrCreateJob(
  ctx: Ctx,
  { kind, key, title, payload, total, id = uuid(), also = [] }: NewJob,
): Promise<{ task: JobRow; isNew: boolean; isFirst: boolean }> {
  const now = ctx.now.toISOString();
  const { actor, client_name } = ctx;
  const row = { owner: ctx.owner, kind, key, id, state: "waiting" as const, due_at: timeIn(ctx, LEASE_MS) };
  const [, created, , [task], earlier] = await ctx.db.batch([
    // Replaces an earlier job for the same resource that has ended.
    ctx.db.run(sql`DELETE FROM later WHERE id = ${id} AND owner = ${ctx.owner} AND state <> 'waiting'`),
    ctx.db
      .insert(later)
      .values({
        ...row,
        title,
        payload,
        total,
        actor: { actor, client_name },
        created_at: now,
        updated_at: now,
      })
      .onConflictDoNothing()
      .returning({ id: later.id }),
    ctx.db.run(sql`UPDATE later SET payload = json_set(payload, '$.is_joined', json('true'))
      WHERE ${ofKind(ctx, kind)} AND key = ${key} AND changes() = 0`),
    ctx.db
      .select()
      .from(later)
      .where(sql`${ofKind(ctx, kind)} AND key = ${key}`),
    ctx.db.all(sql`SELECT 1 FROM later WHERE ${ofKind(ctx, kind)} AND key <> ${key} LIMIT 1`),
    ...also,
  ]);
  if (!task) throw conflict("This job has just ended: try again");
  if (!isSamePayload(task.payload, payload))
    throw conflict(
      `Another job is running: ${task.title}. Wait until it ends, or cancel it: DELETE /api/jobs/${task.id}`,
    );
  return { task, isNew: created.length > 0, isFirst: earlier.length === 0 };
}

const isWaiting = ({ owner, kind, key, id }: JobRow): SQL =>
  sql`owner = ${owner} AND kind = ${kind} AND key = ${key} AND id = ${id} AND state = 'waiting'`;

const isHeld = (task: JobRow): SQL => sql`${isWaiting(task)} AND due_at = ${task.due_at}`;

const assertJob = (ctx: BaseCtx, condition: SQL) =>
  assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM later WHERE ${condition})`, "ended");

/** Progress of a step: `done` is added, `total` replaces the total, `payload` is merged into the job's payload. */
type Advance = { done: number | SQL; total?: number; payload?: Record<string, unknown> };

/** Statements for the transaction of a step. They abort it with `ended` if the lease is lost, and store the progress. */
export const progressStatements = (
  ctx: BaseCtx,
  task: JobRow,
  { done, total, payload = {} }: Advance,
): BatchItem[] => [
  assertJob(ctx, isHeld(task)),
  ctx.db.run(sql`UPDATE later SET done = done + ${done}, total = coalesce(${total ?? null}, total), tries = 0,
      detail = NULL, updated_at = ${timeIn(ctx, 0)}, payload = json_patch(payload, ${JSON.stringify(payload)})
    WHERE ${isHeld(task)}`),
];

/** True in SQL for the next jobs of an account: of each kind, the one that was created first. */
const isNext = (owner: SQL): SQL => sql`later.owner = ${owner} AND later.state = 'waiting'
  AND NOT EXISTS (SELECT 1 FROM later AS earlier WHERE earlier.owner = later.owner AND earlier.kind = later.kind
    AND earlier.state = 'waiting' AND (earlier.created_at, earlier.id) < (later.created_at, later.id))`;

/** In SQL, when the next job of an account (its number in SQL) is due. */
export const nextDueTime = (owner: SQL): SQL => sql`(SELECT min(due_at) FROM later WHERE ${isNext(owner)})`;

/** Leases the due jobs of an account, the earliest first. */
export async function leaseDueJobs(ctx: Ctx): Promise<JobRow[]> {
  const now = timeIn(ctx, 0);
  const due_at = timeIn(ctx, LEASE_MS);
  const due = sql`${isNext(sql`${ctx.owner}`)} AND due_at <= ${now} AND ${notFenced("later.owner")}`;
  const [tasks] = await ctx.db.batch([
    ctx.db.select().from(later).where(due).orderBy(later.created_at, later.id),
    ctx.db.run(sql`UPDATE later SET due_at = ${due_at} WHERE ${due}`),
  ]);
  return tasks.map((task) => ({ ...task, due_at }));
}

/** Ends the lease of a job. It is due again at `at`. */
export const releaseJob = async (ctx: BaseCtx, task: JobRow, at = timeIn(ctx, 0)): Promise<void> => {
  await ctx.db.run(sql`UPDATE later SET due_at = ${at} WHERE ${isHeld(task)}`);
};

type End = Partial<Pick<JobRow, "result" | "detail">> & { state: "done" | "failed" | "cancelled" };

/** Frees the key for a new job. */
const endStatement = (ctx: BaseCtx, task: JobRow, outcome: End, condition = isWaiting(task)) =>
  ctx.db
    .update(later)
    .set({ ...outcome, key: task.id, due_at: null, updated_at: timeIn(ctx, 0) })
    .where(condition);

/** Ends a leased job. Does nothing if the lease is lost. */
export async function endLeasedJob(ctx: BaseCtx, task: JobRow, outcome: End): Promise<void> {
  await catchRefusal(
    sendBatch(ctx, [assertJob(ctx, isHeld(task)), endStatement(ctx, task, outcome)]),
    "ended",
  );
}

/** Ends a job even while it runs, in one transaction with the statements `also`. False: it had ended. */
export async function cancelJobRow(
  ctx: BaseCtx,
  task: JobRow,
  also: readonly BatchItem[] = [],
): Promise<boolean> {
  const cancelled = endStatement(ctx, task, { state: "cancelled" });
  const { refusal } = await catchRefusal(
    sendBatch(ctx, [assertJob(ctx, isWaiting(task)), cancelled, ...also]),
    "ended",
  );
  return !refusal;
}

/**
 * Ends a job within its request, and deletes it unless another request was answered with it. Returns whether other jobs of its
 * kind were waiting for it.
 */
export async function endJobInRequest(ctx: Ctx, task: JobRow, outcome: End): Promise<boolean> {
  const [, , rest] = await ctx.db.batch([
    ctx.db.delete(later).where(sql`${isHeld(task)} AND payload ->> 'is_joined' IS NULL`),
    endStatement(ctx, task, outcome, isHeld(task)),
    ctx.db.all(sql`SELECT 1 FROM later WHERE ${ofKind(ctx, task.kind)} LIMIT 1`),
  ]);
  return rest.length > 0;
}

const MAX_PAUSE_MS = 3_600_000;
/** About five hours in total with the pauses in between. */
const MAX_TRIES = 15;

/** Retries a failed job after a pause that doubles, with jitter, or ends it after too many tries. */
export async function retryJobLater(ctx: BaseCtx, task: JobRow, detail: string): Promise<void> {
  const tries = task.tries + 1;
  if (tries >= MAX_TRIES) return endLeasedJob(ctx, task, { state: "failed", detail });
  const pause = Math.min(1000 * 2 ** tries, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
  await ctx.db.run(sql`UPDATE later SET due_at = ${timeIn(ctx, pause)}, tries = ${tries}, detail = ${detail}, updated_at = ${timeIn(ctx, 0)}
    WHERE ${isHeld(task)}`);
}

export const presentJob = ({
  id,
  kind,
  title,
  state,
  done,
  total,
  result,
  detail,
  created_at,
  updated_at,
}: JobRow): Job => ({
  id,
  kind,
  title,
  state: state === "waiting" ? "running" : state,
  done,
  // Items that are added meanwhile are processed too.
  total: total === null ? null : Math.max(total, done),
  result,
  detail,
  created_at,
  updated_at,
});

export async function findJob(ctx: Ctx, id: string): Promise<JobRow | undefined> {
  const [task] = await ctx.db
    .select()
    .from(later)
    .where(sql`${eq(later.id, id)} AND owner = ${ctx.owner}`);
  return task;
}
