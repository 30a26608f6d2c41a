import { eq, type SQL, sql } from "drizzle-orm";
import {
  addDays,
  daysBetween,
  localDay,
  nextInstantAtHour,
  previousInstantAtHour,
} from "../../contract/days.ts";
import type { Reminders, RemindersUpdateRequest } from "../../contract/reminders.ts";
import type { BaseCtx, Ctx, CtxUser } from "../../platform/core/ctx.ts";
import { forbidden } from "../../platform/core/errors.ts";
import { columnsExcept } from "../../platform/db/columns.ts";
import { reminders, users } from "../../platform/db/tables.ts";
import {
  activeCountStatement,
  activeStatement,
  isDueBetween,
  isDueUntil,
  isOverdue,
} from "../memories/active-store.ts";
import { DEFAULT_PUSH_HOUR, hasSubscriptions } from "../push/store.ts";
import { type AgendaDay, type AgendaList, MAX_LISTED_ITEMS } from "./agenda.ts";

/** Whether the hour (`at`) has come, and when it comes next. After a change of time zone, it may not have come there yet. */
export function dailySchedule(
  { hour, at }: { hour: number; at: string },
  clock: { now: Date; timezone: string },
): { hasCome: boolean; next: string } {
  return { hasCome: previousInstantAtHour(hour, clock) >= at, next: nextInstantAtHour(hour, clock) };
}

const DAYS_AHEAD = 7;
type Settings = Omit<Reminders, "mail_available">;

const DEFAULTS = {
  mail_hour: null,
  push_hour: DEFAULT_PUSH_HOUR,
  mail_at: null,
  push_at: null,
  mail_reminders: false,
};

type StoredSettings = Omit<typeof reminders.$inferSelect, "owner"> & { remind_before: string | null };

const present = ({ mail_hour, push_hour, mail_at, push_at, ...others }: StoredSettings): Settings => ({
  mail_hour,
  push_hour,
  ...others,
  next_mail_at: mail_at,
  next_push_at: push_at,
});

/** The columns of the settings. `push_at` stays set without subscriptions until it is cleared, so it is hidden here. */
const columns = (ctx: Ctx) => ({
  ...columnsExcept(reminders, "owner", "push_at"),
  push_at: sql<string | null>`iif(${hasSubscriptions(ctx)}, push_at, NULL)`,
});

async function readRow(ctx: Ctx): Promise<StoredSettings> {
  const [row] = await ctx.db.select(columns(ctx)).from(reminders).where(eq(reminders.owner, ctx.owner));
  return { ...(row ?? DEFAULTS), remind_before: (await ctx.user()).remind_before ?? null };
}

export const getReminders = async (ctx: Ctx): Promise<Settings> => present(await readRow(ctx));

/** Throws 403 if emails cannot be sent, or the caller's address is not confirmed. */
function requireEmail({ email_verified_at }: CtxUser, canSendEmail: boolean): void {
  if (!canSendEmail) throw forbidden("This deployment cannot send email: ask its operator");
  if (email_verified_at === null)
    throw forbidden(
      "Confirm your email address first, in the app's settings or with POST /api/auth/email/verification",
    );
}

/** The columns that a request changes. An unchanged hour keeps its next time, which may be now. */
function changesOf(ctx: Ctx, input: RemindersUpdateRequest, timezone: string) {
  const { mail_hour, push_hour, mail_reminders } = input;
  const next = (hour: number | null) =>
    hour === null ? null : nextInstantAtHour(hour, { now: ctx.now, timezone });
  const mail = mail_hour !== undefined && {
    mail_hour,
    mail_at: sql`iif(mail_hour IS ${mail_hour}, mail_at, ${next(mail_hour)})`,
  };
  const push = push_hour !== undefined && {
    push_hour,
    push_at: sql`CASE WHEN push_hour = ${push_hour} THEN push_at WHEN ${hasSubscriptions(ctx)} THEN ${next(push_hour)} END`,
  };
  return { ...mail, ...push, ...(mail_reminders !== undefined && { mail_reminders }) };
}

/** A new hour applies from its next occurrence. Throws 403 if emails are turned on but cannot be sent. */
export async function updateReminders(
  ctx: Ctx,
  input: RemindersUpdateRequest,
  canSendEmail: boolean,
): Promise<Settings> {
  const before = await readRow(ctx);
  const user = await ctx.user();
  const { mail_hour = null, mail_reminders = false, remind_before } = input;
  const turnsOnEmail = mail_hour !== null && mail_hour !== before.mail_hour;
  if (turnsOnEmail || (mail_reminders && !before.mail_reminders)) requireEmail(user, canSendEmail);
  const changes = changesOf(ctx, input, user.timezone);
  if (Object.keys(changes).length === 0 && remind_before === undefined) return present(before);
  const [, [account], [row]] = await ctx.db.batch([
    ctx.db.insert(reminders).values({ owner: ctx.owner, push_hour: DEFAULT_PUSH_HOUR }).onConflictDoNothing(),
    ctx.db
      .update(users)
      .set({ remind_before: remind_before === undefined ? sql`remind_before` : remind_before })
      .where(eq(users.number, ctx.owner))
      .returning({ remind_before: users.remind_before }),
    ctx.db
      .update(reminders)
      .set({ push_hour: sql`push_hour`, ...changes })
      .where(eq(reminders.owner, ctx.owner))
      .returning(columns(ctx)),
  ]);
  return present({ ...(row ?? DEFAULTS), remind_before: account?.remind_before ?? null });
}

export type DailyChannel = "mail" | "push";

export type DueDay = { hour: number; at: string };

const timeColumn = (kind: DailyChannel) => sql.raw(kind === "mail" ? "mail_at" : "push_at");

/** When an account's next daily reminder is due, in SQL; NULL for never. */
export const nextDailyAt = (kind: DailyChannel, owner: SQL): SQL =>
  sql`(SELECT ${timeColumn(kind)} FROM reminders WHERE reminders.owner = ${owner})`;

export const ownersDueForDaily = (kind: DailyChannel, { now }: BaseCtx): SQL =>
  sql`SELECT owner FROM reminders INDEXED BY ${sql.raw(`reminders_${kind}_at_idx`)} WHERE ${timeColumn(kind)} <= ${now.toISOString()}`;

export async function findDueDay(ctx: Ctx, kind: DailyChannel): Promise<DueDay | undefined> {
  const [row] = await ctx.db.all<DueDay>(sql`
    SELECT coalesce(${sql.raw(`${kind}_hour`)}, 0) AS hour, ${timeColumn(kind)} AS at FROM reminders
    WHERE owner = ${ctx.owner} AND ${timeColumn(kind)} <= ${ctx.now.toISOString()}`);
  return row;
}

/** Advances an account to its next day; returns whether to send now. If the run is killed, the day is skipped. */
export async function claimDay(ctx: Ctx, kind: DailyChannel, { hour, at }: DueDay): Promise<boolean> {
  const { timezone } = await ctx.user();
  const { hasCome, next } = dailySchedule({ hour, at }, { now: ctx.now, timezone });
  const column = timeColumn(kind);
  const claimed = await ctx.db.returning(sql`
    UPDATE reminders SET ${column} = ${next} WHERE owner = ${ctx.owner} AND ${column} = ${at} RETURNING owner`);
  return claimed.length > 0 && hasCome;
}

/** How long after its hour an unsent reminder is retried. */
const RETRY_FOR_MS = 3_600_000;

/** Makes a claimed day due again, within an hour, if the reminder is known to be unsent. */
export async function releaseDay(ctx: Ctx, kind: DailyChannel, { hour, at }: DueDay): Promise<void> {
  if (ctx.now.getTime() - Date.parse(at) > RETRY_FOR_MS) return;
  const { timezone } = await ctx.user();
  const { next } = dailySchedule({ hour, at }, { now: ctx.now, timezone });
  const column = timeColumn(kind);
  await ctx.db.run(
    sql`UPDATE reminders SET ${column} = ${at} WHERE owner = ${ctx.owner} AND ${column} = ${next}`,
  );
}

export async function readAgenda(ctx: Ctx): Promise<AgendaDay> {
  const { timezone } = await ctx.user();
  const clock = { now: ctx.now, timezone };
  const today = localDay(ctx.now, timezone);
  const read = (condition: SQL) =>
    [
      activeStatement(ctx, {}, { limit: MAX_LISTED_ITEMS, offset: 0, condition }),
      activeCountStatement(ctx, {}, condition),
    ] as const;
  const [overdue, [overdues], due, [dues], soon, [soons]] = await ctx.db.batch([
    ...read(isOverdue(clock)),
    ...read(isDueUntil(today, clock)),
    ...read(isDueBetween(addDays(today, 1), addDays(today, DAYS_AHEAD))),
  ]);
  const listOf = (rows: typeof overdue, count: { total: number } | undefined): AgendaList => ({
    items: rows.map(({ id, topic, project, due_time, ...row }) => {
      const due_date = row.due_date ?? today;
      return { id, topic, project, due_time, due_date, days_overdue: daysBetween(due_date, today) };
    }),
    total: count?.total ?? 0,
  });
  return { today, overdue: listOf(overdue, overdues), due: listOf(due, dues), soon: listOf(soon, soons) };
}
