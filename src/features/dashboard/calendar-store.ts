import { sql } from "drizzle-orm";
import { addDays } from "../../contract/days.ts";
import { type BaseCtx, type Ctx, type CtxUser, ctxFor } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { hashSecret, newSecretForShard } from "../../platform/core/secret.ts";
import { users } from "../../platform/db/tables.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { runInQueue } from "../../platform/queue/account-queue.ts";
import { runYielding } from "../../platform/queue/yielding.ts";
import { callerEventStatement } from "../../platform/security-events/store.ts";
import { activeStatement, isDueBetween } from "../memories/active-store.ts";
import { currentDay } from "../memories/ages.ts";
import { calendarSteps, type DueRecord } from "./calendar.ts";

const PAST_DAYS = 365;
const MAX_EVENTS = 1000;

type PlanColumns = Pick<DueRecord, "repeat" | "repeat_from" | "repeat_start" | "series_id"> & {
  remind: string | null;
  next_values: string | null;
};
const PLAN_COLUMNS = sql`, m.remind, m.repeat, m.repeat_from, m.repeat_start, m.next_values, m.series_id`;

/** Creates the secret of the caller's calendar feed; the previous one stops working. */
export async function createCalendarToken(ctx: Ctx): Promise<string> {
  const token = newSecretForShard(ctx.shard);
  const hash = await hashSecret(token);
  await ctx.db.batch([
    ctx.db.run(sql`
    INSERT INTO calendar_tokens (owner, hash, created_at) VALUES (${ctx.owner}, ${hash}, ${ctx.now.toISOString()})
    ON CONFLICT (owner) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at`),
    callerEventStatement(ctx, "calendar_address_created"),
  ]);
  return token;
}

export async function revokeCalendarToken(ctx: Ctx): Promise<void> {
  await ctx.db.run(sql`DELETE FROM calendar_tokens WHERE owner = ${ctx.owner}`);
}

/** The owner of the calendar with this secret, and since when it exists. Throws 404 for an unknown secret. */
async function findCalendarOwner(ctx: BaseCtx, token: string): Promise<CtxUser & { since: string }> {
  const since = sql<string>`(SELECT created_at FROM calendar_tokens WHERE owner = number)`;
  const [user] = await ctx.db
    .select({ ...ctxUserColumns, since })
    .from(users)
    .where(sql`number = (SELECT owner FROM calendar_tokens WHERE hash = ${await hashSecret(token)})
      AND closed_at IS NULL AND deleted_at IS NULL`);
  if (!user) throw notFound();
  return user;
}

async function listDueRecords(ctx: BaseCtx, user: CtxUser): Promise<DueRecord[]> {
  const today = currentDay({ now: ctx.now, timezone: user.timezone });
  const condition = isDueBetween(addDays(today, -PAST_DAYS), "9999-12-31");
  const page = { limit: MAX_EVENTS, offset: 0, condition, also: PLAN_COLUMNS };
  const rows = await activeStatement<PlanColumns>(ctxFor(ctx, user), {}, page);
  const parsed = (json: string | null) => json && JSON.parse(json);
  return rows.flatMap(({ due_date, ...row }) => {
    const [remind, next_values] = [parsed(row.remind), parsed(row.next_values)];
    return due_date ? [{ ...row, due_date, remind, next_values, owner: user.id }] : [];
  });
}

/** Calendars created before this day keep the host in the UIDs of events: other UIDs would be new events to subscribers. */
const HOST_UIDS_BEFORE = "2026-12-01T00:00:00.000Z";
const UID_DOMAIN = "commonplace";

/** The calendar with this secret, read in the account's queue. Throws 404 for an unknown secret, 429 as the queue does. */
export async function readCalendar(ctx: BaseCtx, token: string, host: string): Promise<string> {
  const user = await findCalendarOwner(ctx, token);
  const uidDomain = user.since < HOST_UIDS_BEFORE ? host : UID_DOMAIN;
  return runInQueue({ shard: ctx.shard, owner: user.number }, "change", async () =>
    runYielding(calendarSteps(await listDueRecords(ctx, user), uidDomain)),
  );
}
