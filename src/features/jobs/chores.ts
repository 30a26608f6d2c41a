import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import { type BaseCtx, type Ctx, type CtxUser, ctxFor } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { users } from "../../platform/db/tables.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { continueJob, createStepBudget, type StepBudget } from "../../platform/jobs/run.ts";
import { leaseDueJobs, nextDueTime, releaseJob } from "../../platform/jobs/store.ts";
import { withRest } from "../../platform/queue/yielding.ts";
import { entriesExpiryStatement, purgeOldEntries } from "../activity/store.ts";
import { hasStripe } from "../billing/stripe.ts";
import { nextSyncAt, ownersDueForSync, syncCustomer } from "../billing/sync.ts";
import { continueErasure, deletedOwners } from "../erasure/chore.ts";
import { ownersWithUnreadFiles, readNextFile, unreadFileDueAt } from "../file-text/store.ts";
import { maintainFilesStep, nextMaintenanceAt, ownersDueForMaintenance } from "../files/maintenance-store.ts";
import { composeNames, namesDueAt, ownersToCompose } from "../name-forms/chore.ts";
import { dailyEmail, dailyPush } from "../reminders/daily.ts";
import { deliverReminders } from "../reminders/deliver.ts";
import { nextReminderAt, ownersWithDueReminders } from "../reminders/deliver-store.ts";
import { purgeTrashBatch, trashExpiryStatement } from "../trash/store.ts";
import { sendWebhooks } from "../webhooks/chore.ts";
import { nextWebhookAt, ownersWithDueWebhooks } from "../webhooks/delivery-store.ts";
import { JOB_DEFINITIONS } from "./kinds.ts";

export type Chore = {
  /** When the chore is due for the account `owner`, in SQL: an instant, empty for now, or NULL for never. */
  moment: (owner: SQL, env: Env) => SQL;
  /** The accounts (`owner`) of a shard for which the chore is overdue, in SQL, in case their objects were not woken. */
  overdue: (base: BaseCtx, env: Env) => SQL;
  run: (ctx: Ctx, env: Env, hasBudget: StepBudget) => Promise<unknown>;
};

/** A chore on files, which is never due without a bucket. `step` returns whether there may be more. */
const fileChore = (
  moment: (owner: SQL) => SQL,
  overdue: (base: BaseCtx) => SQL,
  step: (ctx: Ctx) => Promise<boolean>,
): Chore => ({
  moment: (owner, { FILES }) => (FILES ? moment(owner) : sql`NULL`),
  overdue: (base, { FILES }) =>
    sql`SELECT owner FROM (${overdue(base)}) WHERE ${FILES ? sql`true` : sql`false`}`,
  run: async (ctx, _env, hasBudget) => {
    while (await withRest(() => step(ctx))) if (!hasBudget()) return;
  },
});

const WAITING = sql`later.state = 'waiting' AND later.due_at IS NOT NULL`;

const ownersWithJobs = ({ now }: BaseCtx): SQL =>
  sql`SELECT owner FROM later INDEXED BY later_due_at_idx WHERE ${WAITING} AND due_at <= ${now.toISOString()}`;

/** Runs the due jobs, of each kind one after the other in the order of their creation. */
async function runDueJobs(ctx: Ctx, env: Env, hasBudget: StepBudget): Promise<void> {
  for (const [index, task] of (await leaseDueJobs(ctx)).entries()) {
    if (index > 0 && !hasBudget()) {
      await releaseJob(ctx, task);
      continue;
    }
    const work = { ctx: { ...ctx, ...task.actor }, env, task, payload: task.payload };
    await continueJob(JOB_DEFINITIONS[task.kind], work, hasBudget);
  }
}

/** The time of the account's next deletion. Triggers of migration 0053 set it, and `purgeExpired` after each run. */
const purgeDueAt = (owner: SQL): SQL => sql`(SELECT purge_at FROM users AS u WHERE u.number = ${owner})`;

const ownersWithExpired = ({ now }: BaseCtx): SQL =>
  sql`SELECT number AS owner FROM users INDEXED BY users_purge_at_idx WHERE purge_at <= ${now.toISOString()}`;

async function purgeExpired(ctx: Ctx, _: Env, hasBudget: StepBudget): Promise<void> {
  for (const step of [purgeTrashBatch, purgeOldEntries])
    while (await withRest(() => step(ctx))) if (!hasBudget()) return;
  // In an hour at the earliest, so that a row that cannot be deleted is not retried immediately.
  const soonest = new Date(ctx.now.getTime() + 3_600_000).toISOString();
  await ctx.db.run(sql`UPDATE users SET purge_at = (SELECT max(min(at), ${soonest})
      FROM (${trashExpiryStatement(ctx)} UNION ALL ${entriesExpiryStatement(ctx)})) WHERE number = ${ctx.owner}`);
}

/** The chores of an open account, in this order. */
const CHORES = {
  mail: dailyEmail,
  push: dailyPush,
  reminders: { moment: nextReminderAt, overdue: ownersWithDueReminders, run: deliverReminders },
  webhooks: { moment: nextWebhookAt, overdue: ownersWithDueWebhooks, run: sendWebhooks },
  jobs: { moment: nextDueTime, overdue: ownersWithJobs, run: runDueJobs },
  billing: { moment: nextSyncAt, overdue: ownersDueForSync, run: syncCustomer },
  words: fileChore(unreadFileDueAt, ownersWithUnreadFiles, readNextFile),
  files: fileChore(nextMaintenanceAt, ownersDueForMaintenance, maintainFilesStep),
  purge: { moment: purgeDueAt, overdue: ownersWithExpired, run: purgeExpired },
  names: { moment: namesDueAt, overdue: ownersToCompose, run: composeNames },
} satisfies Record<string, Chore>;
type Name = keyof typeof CHORES;
const NAMES = Object.keys(CHORES) as Name[];

export type DueChores = { user: CtxUser; dueTimes: Record<Name | "erasure", string | null> };

type Row = CtxUser & { closed_at: string | null; deleted_at: string | null } & Record<
    `at_${Name}`,
    string | null
  >;

/** Undefined if the account is gone, or fenced because it is being migrated. */
export async function readDueChores(base: BaseCtx, env: Env, owner: number): Promise<DueChores | undefined> {
  // Without an alias, columns with the same text, such as NULL, would be merged, and the following ones would be shifted.
  const moments = NAMES.map((name) => {
    const column = `at_${name}`;
    return [column, CHORES[name].moment(sql`${users.number}`, env).as(column)] as const;
  });
  const { closed_at, deleted_at } = users;
  const [row] = (await base.db
    .select({ ...ctxUserColumns, closed_at, deleted_at, ...Object.fromEntries(moments) })
    .from(users)
    .where(sql`${users.number} = ${owner} AND ${notFenced("users.number")}`)) as Row[];
  if (!row) return undefined;
  const isOpen = row.closed_at === null && row.deleted_at === null;
  const at = NAMES.map((name) => [name, isOpen ? row[`at_${name}`] : null] as const);
  return {
    user: row,
    dueTimes: { ...Object.fromEntries(at), erasure: row.deleted_at } as DueChores["dueTimes"],
  };
}

/** Runs the chores that are due, each until its budget is spent. Returns whether one of them failed. */
export async function runChores(base: BaseCtx, env: Env, { user, dueTimes }: DueChores): Promise<boolean> {
  const settings = { plan_limits: env.PLAN_LIMITS, sells_plans: hasStripe(env), bucket: env.FILES };
  const ctx: Ctx = { ...ctxFor(base, user), ...settings };
  const now = new Date().toISOString();
  let hasFailed = false;
  const chores = { ...CHORES, erasure: { run: continueErasure } };
  for (const [name, { run }] of Object.entries(chores)) {
    const moment = dueTimes[name as keyof typeof dueTimes];
    if (moment === null || moment > now) continue;
    await run(ctx, env, createStepBudget(ctx, env)).catch((problem: unknown) => {
      console.error(JSON.stringify({ chore: name, home: base.shard, error: String(problem) }));
      hasFailed = true;
    });
  }
  return hasFailed;
}

const WOKEN_PER_RUN = 500;

const union = (queries: SQL[]): SQL => sql.join(queries, sql` UNION `);
/** D1 allows at most five queries in a UNION. */
const UNION_SIZE = 4;

/** The accounts of a shard with overdue work. Reads no rows of others. */
export async function overdueOwners(base: BaseCtx, env: Env): Promise<number[]> {
  const each = NAMES.map((name) => CHORES[name].overdue(base, env));
  const open = union(
    groupBySize(each, () => 1, UNION_SIZE).map((group) => sql`SELECT owner FROM (${union(group)})`),
  );
  const rows = await base.db.all<{ owner: number }>(sql`
    SELECT owner FROM (${open}) AS due CROSS JOIN users
      ON users.number = due.owner AND users.deleted_at IS NULL AND users.closed_at IS NULL
    WHERE ${notFenced("due.owner")}
    UNION ${deletedOwners(base)} LIMIT ${WOKEN_PER_RUN}`);
  return rows.map(({ owner }) => owner);
}
