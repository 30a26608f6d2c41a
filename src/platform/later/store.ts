import { eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { v7 as uuid } from "uuid";
import type { Job, JobKind } from "../../contract/jobs.ts";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { conflict } from "../core/errors.ts";
import { assertInBatch, send, unless } from "../db/call.ts";
import { unfenced } from "../db/fence.ts";
import { later } from "../db/tables.ts";

export type Task = typeof later.$inferSelect;

/** How long whoever does a step has it to themselves: far longer than a step takes. */
export const HELD_MS = 60_000;

const inMs = ({ now }: BaseCtx, milliseconds: number): string =>
  new Date(now.getTime() + milliseconds).toISOString();

export type Begun = {
  kind: JobKind;
  /** What it is about: there is one at a time. */
  key: string;
  title: string;
  payload: Record<string, unknown>;
  total: number | null;
  /** That of what it works on, if that has one. */
  id?: string;
  /** Statements for its transaction, whoever has begun it. */
  also?: readonly BatchItem<"sqlite">[];
};

const ofKind = (ctx: Ctx, kind: JobKind) =>
  sql`owner = ${ctx.owner} AND kind = ${kind} AND state = 'waiting'`;

const isSameWork = (known: Begun["payload"], payload: Begun["payload"]) =>
  Object.entries(payload).every(([name, value]) => JSON.stringify(known[name]) === JSON.stringify(value));

/**
 * Notes work that is held by the caller, or finds the same. `isFirst`: no other of its kind comes before it.
 * Throws 409 while something else is done with the same thing.
 */
export async function begin(
  ctx: Ctx,
  { kind, key, title, payload, total, id = uuid(), also = [] }: Begun,
): Promise<{ task: Task; isNew: boolean; isFirst: boolean }> {
  const now = ctx.now.toISOString();
  const { actor, client_name } = ctx;
  const row = { owner: ctx.owner, kind, key, id, state: "waiting" as const, due_at: inMs(ctx, HELD_MS) };
  const [, mine, [task], before] = await ctx.db.batch([
    // What is worked on may be worked on again.
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
    ctx.db
      .select()
      .from(later)
      .where(sql`${ofKind(ctx, kind)} AND key = ${key}`),
    ctx.db.all(sql`SELECT 1 FROM later WHERE ${ofKind(ctx, kind)} AND key <> ${key} LIMIT 1`),
    ...also,
  ]);
  if (!task) throw conflict("This work has just ended: try again");
  if (!isSameWork(task.payload, payload))
    throw conflict(
      `Something else is under way: ${task.title}. Wait for its end, or cancel it: DELETE /api/jobs/${task.id}`,
    );
  return { task, isNew: mine.length > 0, isFirst: before.length === 0 };
}

const isWaiting = ({ owner, kind, key, id }: Task): SQL =>
  sql`owner = ${owner} AND kind = ${kind} AND key = ${key} AND id = ${id} AND state = 'waiting'`;

const stillHeld = (task: Task): SQL => sql`${isWaiting(task)} AND due_at = ${task.due_at}`;

const mustBe = (ctx: BaseCtx, which: SQL) =>
  assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM later WHERE ${which})`, "ended");

/** How far a step came: `done` more, `total` if that is known now, and what its payload has to say to the next. */
type Advance = { done: number | SQL; total?: number; payload?: Record<string, unknown> };

/** Statements for the transaction of a step: refuse it as `ended` if the work is no longer held, and note how far it is. */
export const advanced = (
  ctx: BaseCtx,
  task: Task,
  { done, total, payload = {} }: Advance,
): BatchItem<"sqlite">[] => [
  mustBe(ctx, stillHeld(task)),
  ctx.db.run(sql`UPDATE later SET done = done + ${done}, total = coalesce(${total ?? null}, total), tries = 0,
      detail = NULL, updated_at = ${inMs(ctx, 0)}, payload = json_patch(payload, ${JSON.stringify(payload)})
    WHERE ${stillHeld(task)}`),
];

/** True in SQL for the work of an account that is next: of each kind, what was asked for first. */
const isNext = (owner: SQL): SQL => sql`later.owner = ${owner} AND later.state = 'waiting'
  AND NOT EXISTS (SELECT 1 FROM later AS earlier WHERE earlier.owner = later.owner AND earlier.kind = later.kind
    AND earlier.state = 'waiting' AND (earlier.created_at, earlier.id) < (later.created_at, later.id))`;

/** In SQL, when an account (a number in SQL) goes on with something. */
export const nextMoment = (owner: SQL): SQL => sql`(SELECT min(due_at) FROM later WHERE ${isNext(owner)})`;

/** Takes what an account is due to do, so that nobody else does it meanwhile. The earliest first. */
export async function takeDue(ctx: Ctx): Promise<Task[]> {
  const now = inMs(ctx, 0);
  const due_at = inMs(ctx, HELD_MS);
  const due = sql`${isNext(sql`${ctx.owner}`)} AND due_at <= ${now} AND ${unfenced("later.owner")}`;
  const [tasks] = await ctx.db.batch([
    ctx.db.select().from(later).where(due).orderBy(later.created_at, later.id),
    ctx.db.run(sql`UPDATE later SET due_at = ${due_at} WHERE ${due}`),
  ]);
  return tasks.map((task) => ({ ...task, due_at }));
}

/** Gives work back, to go on at a time. */
export const putBack = async (ctx: BaseCtx, task: Task, at = inMs(ctx, 0)): Promise<void> => {
  await ctx.db.run(sql`UPDATE later SET due_at = ${at} WHERE ${stillHeld(task)}`);
};

type End = Partial<Pick<Task, "result" | "detail">> & { state: "done" | "failed" | "cancelled" };

/** Its key is free for new work from now on. */
const endStatement = (ctx: BaseCtx, task: Task, how: End) =>
  ctx.db
    .update(later)
    .set({ ...how, key: task.id, due_at: null, updated_at: inMs(ctx, 0) })
    .where(isWaiting(task));

/** Ends work that is held; nothing if it is no longer. */
export async function end(ctx: BaseCtx, task: Task, how: End): Promise<void> {
  await unless(send(ctx, [mustBe(ctx, stillHeld(task)), endStatement(ctx, task, how)]), "ended");
}

/** Ends work, whoever does it, in one transaction with the statements `also`. False: it had ended. */
export async function cancel(
  ctx: BaseCtx,
  task: Task,
  also: readonly BatchItem<"sqlite">[] = [],
): Promise<boolean> {
  const cancelled = endStatement(ctx, task, { state: "cancelled" });
  const { refusal } = await unless(send(ctx, [mustBe(ctx, isWaiting(task)), cancelled, ...also]), "ended");
  return !refusal;
}

/** Forgets work that was done within its request. Returns whether there is more of its kind, which waited for it. */
export async function forget(ctx: Ctx, task: Task): Promise<boolean> {
  const [, rest] = await ctx.db.batch([
    ctx.db.delete(later).where(stillHeld(task)),
    ctx.db.all(sql`SELECT 1 FROM later WHERE ${ofKind(ctx, task.kind)} LIMIT 1`),
  ]);
  return rest.length > 0;
}

const LONGEST_PAUSE_MS = 3_600_000;
/** With the pauses that follow each other, this takes about five hours. */
const MAX_TRIES = 15;

/** Lets failed work be tried again after a pause that doubles, or ends it. The pause is random, so that not all come at once. */
export async function postpone(ctx: BaseCtx, task: Task, detail: string): Promise<void> {
  const tries = task.tries + 1;
  if (tries >= MAX_TRIES) return end(ctx, task, { state: "failed", detail });
  const pause = Math.min(1000 * 2 ** tries, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
  await ctx.db.run(sql`UPDATE later SET due_at = ${inMs(ctx, pause)}, tries = ${tries}, detail = ${detail}, updated_at = ${inMs(ctx, 0)}
    WHERE ${stillHeld(task)}`);
}

export const present = ({
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
}: Task): Job => ({
  ...{ id, kind, title, state: state === "waiting" ? "running" : state },
  // What is added meanwhile is done, too.
  ...{ done, total: total === null ? null : Math.max(total, done) },
  ...{ result, detail, created_at, updated_at },
});

export async function findTask(ctx: Ctx, id: string): Promise<Task | undefined> {
  const [task] = await ctx.db
    .select()
    .from(later)
    .where(sql`${eq(later.id, id)} AND owner = ${ctx.owner}`);
  return task;
}
