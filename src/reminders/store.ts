import { eq, sql } from "drizzle-orm";
import type { BaseCtx, Ctx, CtxUser } from "../core/ctx.ts";
import { addDays, dayOf, nextAtHour } from "../core/days.ts";
import { reminders, users } from "../db/tables.ts";
import { ctxUserColumns } from "../db/user-columns.ts";
import { activeStatement, isBetween } from "../memories/active-store.ts";
import { daysOverdue } from "../memories/ages.ts";
import { overdueStatement } from "../memories/alert-store.ts";
import type { Day, DayItem } from "./agenda.ts";
import type { Reminders, RemindersUpdateRequest } from "./schema.ts";

const PUSH_HOUR = 8;
/** How many days after today a mail looks ahead. */
const AHEAD_DAYS = 7;
/** How many items of each kind are read. */
const MOST = 50;
/** Accounts that are reminded per run of the cron handler. */
const MOST_ACCOUNTS = 500;

type Row = typeof reminders.$inferSelect;
type Settings = Omit<Reminders, "mail_available">;

const UNSET = { mail_hour: null, push_hour: PUSH_HOUR, mail_at: null, push_at: null };

const present = ({ mail_hour, push_hour, mail_at, push_at }: Omit<Row, "owner">): Settings => ({
  mail_hour,
  push_hour,
  next_mail_at: mail_at,
  next_push_at: push_at,
});

async function readRow(ctx: Ctx): Promise<Omit<Row, "owner">> {
  const [row] = await ctx.db.select().from(reminders).where(eq(reminders.owner, ctx.owner));
  return row ?? UNSET;
}

/** The caller's settings; by default there is no mail. */
export const getReminders = async (ctx: Ctx): Promise<Settings> => present(await readRow(ctx));

const HAS_SUBSCRIPTION = sql`EXISTS (SELECT 1 FROM push_subscriptions WHERE owner = reminders.owner)`;

/** Changes the caller's settings. A new hour begins the next time the clock strikes it. */
export async function updateReminders(ctx: Ctx, input: RemindersUpdateRequest): Promise<Settings> {
  const before = await readRow(ctx);
  const { mail_hour = before.mail_hour, push_hour = before.push_hour } = input;
  const clock = { now: ctx.now, timezone: (await ctx.user()).timezone };
  const mail_at = mail_hour === null ? null : nextAtHour(mail_hour, clock);
  const push_at = nextAtHour(push_hour, clock);
  const [, [row]] = await ctx.db.batch([
    ctx.db.run(sql`
      INSERT INTO reminders (owner, mail_hour, push_hour, mail_at)
      VALUES (${ctx.owner}, ${mail_hour}, ${push_hour}, ${mail_at})
      ON CONFLICT (owner) DO UPDATE SET mail_hour = excluded.mail_hour, push_hour = excluded.push_hour,
        mail_at = iif(mail_hour IS excluded.mail_hour, mail_at, excluded.mail_at)`),
    ctx.db
      .update(reminders)
      .set({ push_at: sql`iif(${HAS_SUBSCRIPTION}, ${push_at}, NULL)` })
      .where(eq(reminders.owner, ctx.owner))
      .returning(),
  ]);
  return present(row ?? UNSET);
}

/** The kinds of reminders: by mail, and in subscribed browsers. */
export type Kind = "mail" | "push";

/** An account whose hour has come, and what it was to be. */
export type Reminded = { user: CtxUser; hour: number; at: string };

/** The accounts whose hour for this kind has come, those that wait longest first. */
export async function listReminded(ctx: BaseCtx, kind: Kind): Promise<Reminded[]> {
  const [at, hour] =
    kind === "mail" ? [reminders.mail_at, reminders.mail_hour] : [reminders.push_at, reminders.push_hour];
  const rows = await ctx.db
    .select({ ...ctxUserColumns, reminded_hour: hour, reminded_at: at })
    .from(reminders)
    .innerJoin(users, eq(users.number, reminders.owner))
    .where(sql`${at} <= ${ctx.now.toISOString()}
      AND ${users.deleted_at} IS NULL AND ${users.closed_at} IS NULL`)
    .orderBy(at)
    .limit(MOST_ACCOUNTS);
  return rows.map(({ reminded_hour, reminded_at, ...user }) => ({
    user,
    hour: reminded_hour ?? 0,
    at: reminded_at ?? "",
  }));
}

/**
 * Moves an account to its next day; returns whether to remind it now. Only one of several runs gets to, and one that is
 * killed afterwards has used up the day: rather no reminder than two. An hour that has not struck in the account's time
 * zone, which has changed, is waited for.
 */
export async function claimDay(ctx: Ctx, kind: Kind, { hour, at, user }: Reminded): Promise<boolean> {
  const clock = { now: ctx.now, timezone: user.timezone };
  const next = nextAtHour(hour, clock);
  const column = sql.raw(kind === "mail" ? "mail_at" : "push_at");
  const claimed = await ctx.db.all(sql`
    UPDATE reminders SET ${column} = ${next} WHERE owner = ${ctx.owner} AND ${column} = ${at} RETURNING owner`);
  const hasStruck = dayOf(next, user.timezone) > dayOf(ctx.now, user.timezone);
  return claimed.length > 0 && hasStruck;
}

/** What is overdue, due today and due in the next days, each with the number of all of them. */
export async function readDay(ctx: Ctx): Promise<Day> {
  const attention = { now: ctx.now, ...(await ctx.user()) };
  const today = dayOf(ctx.now, attention.timezone);
  const page = { limit: MOST, offset: 0 };
  const between = (from: string, to: string) =>
    activeStatement(ctx, {}, { ...page, condition: isBetween(from, to) });
  const [overdue, due, soon] = await ctx.db.batch([
    overdueStatement(ctx, attention, {}, page),
    between(today, today),
    between(addDays(today, 1), addDays(today, AHEAD_DAYS)),
  ]);
  const items = (rows: typeof overdue): DayItem[] =>
    rows.map(({ id, topic, project, due_date }) => ({
      id,
      topic,
      project,
      due_date: due_date ?? today,
      days_overdue: daysOverdue(due_date ?? today, today),
    }));
  return { today, overdue: items(overdue), due: items(due), soon: items(soon) };
}
