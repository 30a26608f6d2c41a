import { localDay } from "../../contract/days.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { NotSentError } from "../../platform/core/errors.ts";
import { hasEmailServer, sendEmail } from "../../platform/email/send.ts";
import { signingKeys } from "../auth/token.ts";
import { pushToAllBrowsers } from "../push/send.ts";
import { deleteEndedSubscriptions } from "../push/store.ts";
import { signReminderToken } from "./action-token.ts";
import { appUrl, pushSubject } from "./daily.ts";
import { advanceReminders, type DueReminder, findDueReminders } from "./deliver-store.ts";
import * as messages from "./messages.ts";
import { getReminders } from "./store.ts";

/** Reminders older than this, after an outage, are skipped. */
const MAX_AGE_MS = 12 * 3_600_000;
/** More reminders than this, or several if one is late, become one message. */
const MAX_SEPARATE = 3;
const LATE_MS = 10 * 60_000;
/** How long a reminder that could not be sent is retried. */
const RETRY_FOR_MS = 3_600_000;

type Delivery = {
  ctx: Ctx;
  env: Env;
  today: string;
  token: (reminder: DueReminder) => Promise<string>;
};

/** `isReached`: the person may have been reached through this channel. */
type DeliveryResult = { isReached: boolean; problem?: unknown };
const NOT_REACHED: DeliveryResult = { isReached: false };

const ageOf = (ctx: Ctx, { remind_at }: DueReminder) => ctx.now.getTime() - Date.parse(remind_at);

function groupReminders(ctx: Ctx, reminders: DueReminder[]): DueReminder[][] {
  const isLate = reminders.some((one) => ageOf(ctx, one) > LATE_MS);
  return reminders.length > MAX_SEPARATE || isLate ? [reminders] : reminders.map((one) => [one]);
}

async function push({ ctx, env, today, token }: Delivery, group: DueReminder[]): Promise<DeliveryResult> {
  const [alone, ...others] = group;
  if (!alone) return NOT_REACHED;
  const notice =
    others.length > 0
      ? messages.remindersNotification(group, today)
      : messages.reminderNotification(alone, { today, token: await token(alone) });
  const options = { subject: pushSubject(env), topic: notice.tag, urgency: "high" } as const;
  const { reached, problem } = await pushToAllBrowsers(ctx, notice, options);
  return { isReached: reached > 0, problem };
}

async function email({ ctx, env, today, token }: Delivery, group: DueReminder[]): Promise<DeliveryResult> {
  const { email: to, email_verified_at } = await ctx.user();
  const origin = appUrl(env);
  const [alone, ...others] = group;
  if (!alone || !origin || email_verified_at === null) return NOT_REACHED;
  const content =
    others.length > 0
      ? messages.remindersEmail(group, { today, origin })
      : messages.reminderEmail(alone, { today, origin, token: await token(alone) });
  return sendEmail(env, { to, ...content }).then(
    () => ({ isReached: true }),
    (problem: unknown) => ({ isReached: !(problem instanceof NotSentError), problem }),
  );
}

type Channel = (group: DueReminder[]) => Promise<DeliveryResult>;

/** Sends each group through every channel. Retries only groups that reached the person through none: better none than two. */
async function deliverAll(ctx: Ctx, groups: DueReminder[][], channels: Channel[]) {
  const problems: unknown[] = [];
  const retries = new Set<DueReminder>();
  for (const group of groups) {
    const results: DeliveryResult[] = [];
    for (const send of channels) results.push(await send(group));
    const failed = results.flatMap(({ problem }) => problem ?? []);
    problems.push(...failed);
    const isUnreached = failed.length > 0 && !results.some(({ isReached }) => isReached);
    if (isUnreached && group.every((one) => ageOf(ctx, one) < RETRY_FOR_MS))
      for (const one of group) retries.add(one);
  }
  return { problems, retries };
}

/** Delivers due reminders, then advances them: after an interruption, one may come twice, but none is lost. */
export async function deliverReminders(ctx: Ctx, env: Env): Promise<void> {
  const { found, epoch } = await findDueReminders(ctx);
  if (found.length === 0) return;
  const { id: user_id, timezone } = await ctx.user();
  const current = found.filter((one) => ageOf(ctx, one) <= MAX_AGE_MS);
  const { mail_reminders } = await getReminders(ctx);
  const keys = await signingKeys(env);
  const delivery: Delivery = {
    ctx,
    env,
    today: localDay(ctx.now, timezone),
    token: ({ id: memory_id }) =>
      signReminderToken(keys, { home: ctx.shard, owner: ctx.owner, user_id, epoch, memory_id }, ctx.now),
  };
  await deleteEndedSubscriptions(ctx);
  const { problems, retries } = await deliverAll(ctx, groupReminders(ctx, current), [
    (group) => push(delivery, group),
    ...(mail_reminders && hasEmailServer(env) ? [(group: DueReminder[]) => email(delivery, group)] : []),
  ]);
  const isDone = (one: DueReminder) => !retries.has(one);
  await advanceReminders(ctx, found.filter(isDone), current.filter(isDone));
  if (problems.length > 0) throw problems[0];
}
