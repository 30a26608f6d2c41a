import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import { type BaseCtx, type Ctx, type CtxUser, ctxFor } from "../../platform/core/ctx.ts";
import { inGroups } from "../../platform/core/groups.ts";
import { unfenced } from "../../platform/db/fence.ts";
import { users } from "../../platform/db/tables.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { type Budget, budgetOf } from "../../platform/later/run.ts";
import { hasStripe } from "../billing/stripe.ts";
import { ownersToSync, syncCustomer, syncMoment } from "../billing/sync.ts";
import { closedOwners, eraseSome } from "../erasure/chore.ts";
import { ownersToRead, readWords, wordsMoment } from "../file-text/chore.ts";
import { filesMoment, ownersWithDueFiles, tendFiles } from "../files/chore.ts";
import { composeNames, namesMoment, ownersToCompose } from "../name-forms/chore.ts";
import { giveReminders } from "../reminders/give.ts";
import { ownersToRemind, reminderMoment } from "../reminders/give-store.ts";
import { mailDay, mailMoment, ownersToMail, ownersToPush, pushDay, pushMoment } from "../reminders/remind.ts";
import { ownersWithEvents, sendWebhooks, webhooksMoment } from "../webhooks/chore.ts";
import { ownersWithOld, purgeMoment, purgeOld } from "./purge-chore.ts";
import { jobsMoment, ownersWithJobs, workOnJobs } from "./work.ts";

export type Chore = {
  /** When the chore is due for the account `owner`, in SQL: an instant, empty for now, or NULL for never. */
  moment: (owner: SQL, env: Env) => SQL;
  /** The accounts (`owner`) of a shard for which the chore is overdue, in SQL, in case their objects were not woken. */
  overdue: (base: BaseCtx, env: Env) => SQL;
  run: (ctx: Ctx, env: Env, hasBudget: Budget) => Promise<unknown>;
};

/** The chores of an open account, in this order. */
const CHORES = {
  mail: { moment: mailMoment, overdue: ownersToMail, run: mailDay },
  push: { moment: pushMoment, overdue: ownersToPush, run: pushDay },
  reminders: { moment: reminderMoment, overdue: ownersToRemind, run: giveReminders },
  webhooks: { moment: webhooksMoment, overdue: ownersWithEvents, run: sendWebhooks },
  jobs: { moment: jobsMoment, overdue: ownersWithJobs, run: workOnJobs },
  billing: { moment: syncMoment, overdue: ownersToSync, run: syncCustomer },
  words: { moment: wordsMoment, overdue: ownersToRead, run: readWords },
  files: { moment: filesMoment, overdue: ownersWithDueFiles, run: tendFiles },
  purge: { moment: purgeMoment, overdue: ownersWithOld, run: purgeOld },
  names: { moment: namesMoment, overdue: ownersToCompose, run: composeNames },
} satisfies Record<string, Chore>;
type Name = keyof typeof CHORES;
const NAMES = Object.keys(CHORES) as Name[];

export type Due = { user: CtxUser; moments: Record<Name | "erasure", string | null> };

type Row = CtxUser & { closed_at: string | null; deleted_at: string | null } & Record<
    `at_${Name}`,
    string | null
  >;

/** Undefined if the account is gone, or fenced because it is being migrated. */
export async function readDue(base: BaseCtx, env: Env, owner: number): Promise<Due | undefined> {
  // Without an alias, columns with the same text, such as NULL, would be merged, and the following ones would be shifted.
  const moments = NAMES.map((name) => {
    const column = `at_${name}`;
    return [column, CHORES[name].moment(sql`${users.number}`, env).as(column)] as const;
  });
  const { closed_at, deleted_at } = users;
  const [row] = (await base.db
    .select({ ...ctxUserColumns, closed_at, deleted_at, ...Object.fromEntries(moments) })
    .from(users)
    .where(sql`${users.number} = ${owner} AND ${unfenced("users.number")}`)) as Row[];
  if (!row) return undefined;
  const isOpen = row.closed_at === null && row.deleted_at === null;
  const at = NAMES.map((name) => [name, isOpen ? row[`at_${name}`] : null] as const);
  return { user: row, moments: { ...Object.fromEntries(at), erasure: row.deleted_at } as Due["moments"] };
}

/** Runs the chores that are due, each until its budget is spent. Returns whether one of them failed. */
export async function runChores(base: BaseCtx, env: Env, { user, moments }: Due): Promise<boolean> {
  const settings = { plan_limits: env.PLAN_LIMITS, sells_plans: hasStripe(env), bucket: env.FILES };
  const ctx: Ctx = { ...ctxFor(base, user), ...settings };
  const now = new Date().toISOString();
  let hasFailed = false;
  const chores = { ...CHORES, erasure: { run: eraseSome } };
  for (const [name, { run }] of Object.entries(chores)) {
    const moment = moments[name as keyof typeof moments];
    if (moment === null || moment > now) continue;
    await run(ctx, env, budgetOf(ctx, env)).catch((problem: unknown) => {
      console.error(JSON.stringify({ chore: name, home: base.home, error: String(problem) }));
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
    inGroups(each, () => 1, UNION_SIZE).map((group) => sql`SELECT owner FROM (${union(group)})`),
  );
  const rows = await base.db.all<{ owner: number }>(sql`
    SELECT owner FROM (${open}) AS due CROSS JOIN users
      ON users.number = due.owner AND users.deleted_at IS NULL AND users.closed_at IS NULL
    WHERE ${unfenced("due.owner")}
    UNION ${closedOwners(base)} LIMIT ${WOKEN_PER_RUN}`);
  return rows.map(({ owner }) => owner);
}
