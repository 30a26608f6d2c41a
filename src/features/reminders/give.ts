import { dayOf } from "../../contract/days.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { Unsent } from "../../platform/core/errors.ts";
import { hasMailServer, sendMail } from "../../platform/mail/send.ts";
import { signingKeys } from "../auth/token.ts";
import { pushToAll } from "../push/send.ts";
import { endSubscriptions } from "../push/store.ts";
import { signAction } from "./action-token.ts";
import { findReminders, moveOn, type Reminder } from "./give-store.ts";
import * as words from "./notice.ts";
import { addressOf, subjectOf } from "./remind.ts";
import { getReminders } from "./store.ts";

/** After an outage, what should have come longer ago is not told any more. */
const TOLD_FOR_MS = 12 * 3_600_000;
/** More than so many at once, or several that are late, are one message. */
const MOST_ALONE = 3;
const LATE_MS = 10 * 60_000;
/** For how long a reminder that could not be sent is tried again. */
const AGAIN_MS = 3_600_000;

type Telling = { today: string; token: (reminder: Reminder) => Promise<string> };

/** Whether somebody may have been reached in one way, and why others were not. */
type Told = { isReached: boolean; problem?: unknown };
const NOBODY: Told = { isReached: false };

const ageOf = (ctx: Ctx, { remind_at }: Reminder) => ctx.now.getTime() - Date.parse(remind_at);

function inGroups(ctx: Ctx, told: Reminder[]): Reminder[][] {
  const isLate = told.some((one) => ageOf(ctx, one) > LATE_MS);
  return told.length > MOST_ALONE || isLate ? [told] : told.map((one) => [one]);
}

async function push(ctx: Ctx, env: Env, group: Reminder[], { today, token }: Telling): Promise<Told> {
  const [alone, ...others] = group;
  if (!alone) return NOBODY;
  const notice =
    others.length > 0
      ? words.noticeOfReminders(group, today)
      : words.noticeOfReminder(alone, { today, token: await token(alone) });
  const manner = { subject: subjectOf(env), topic: notice.tag, urgency: "high" } as const;
  const { reached, problem } = await pushToAll(ctx, notice, manner);
  return { isReached: reached > 0, problem };
}

async function mail(ctx: Ctx, env: Env, group: Reminder[], { today, token }: Telling): Promise<Told> {
  const { email: to, email_verified_at } = await ctx.user();
  const origin = addressOf(env);
  const [alone, ...others] = group;
  if (!alone || !origin || email_verified_at === null) return NOBODY;
  const written =
    others.length > 0
      ? words.mailOfReminders(group, { today, origin })
      : words.mailOfReminder(alone, { today, origin, token: await token(alone) });
  return sendMail(env, { to, ...written }).then(
    () => ({ isReached: true }),
    (problem: unknown) => ({ isReached: !(problem instanceof Unsent), problem }),
  );
}

type Tell = (group: Reminder[]) => Promise<Told>;

/** Tells of each group in every way. One that reached its person in none is told again, but not the others: rather none than two. */
async function tellAll(ctx: Ctx, groups: Reminder[][], ways: Tell[]) {
  const problems: unknown[] = [];
  const again = new Set<Reminder>();
  for (const group of groups) {
    const told: Told[] = [];
    for (const tell of ways) told.push(await tell(group));
    const failed = told.flatMap(({ problem }) => problem ?? []);
    problems.push(...failed);
    const isInVain = failed.length > 0 && !told.some(({ isReached }) => isReached);
    if (isInVain && group.every((one) => ageOf(ctx, one) < AGAIN_MS)) for (const one of group) again.add(one);
  }
  return { problems, again };
}

/**
 * Gives the reminders whose time has come: they move on after they have been told, so that one may come twice if the service is
 * stopped in between, but none is lost. Throws when somebody could not be told.
 */
export async function giveReminders(ctx: Ctx, env: Env): Promise<void> {
  const { found, epoch } = await findReminders(ctx);
  if (found.length === 0) return;
  const { id: user_id, timezone } = await ctx.user();
  const told = found.filter((one) => ageOf(ctx, one) <= TOLD_FOR_MS);
  const { mail_reminders } = await getReminders(ctx);
  const keys = await signingKeys(env);
  const telling: Telling = {
    today: dayOf(ctx.now, timezone),
    token: ({ id: memory_id }) =>
      signAction(keys, { home: ctx.home, owner: ctx.owner, user_id, epoch, memory_id }, ctx.now),
  };
  await endSubscriptions(ctx);
  const { problems, again } = await tellAll(ctx, inGroups(ctx, told), [
    (group) => push(ctx, env, group, telling),
    ...(mail_reminders && hasMailServer(env) ? [(group: Reminder[]) => mail(ctx, env, group, telling)] : []),
  ]);
  const isGiven = (one: Reminder) => !again.has(one);
  await moveOn(ctx, found.filter(isGiven), told.filter(isGiven));
  if (problems.length > 0) throw problems[0];
}
