import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { NotSentError } from "../../platform/core/errors.ts";
import { hasEmailServer, sendEmail } from "../../platform/email/send.ts";
import { publicOrigin } from "../../platform/http/origin.ts";
import { pushToAllBrowsers } from "../push/send.ts";
import { deleteEndedSubscriptions } from "../push/store.ts";
import { agendaEmail, dayNotification } from "./agenda.ts";
import {
  claimDay,
  type DailyChannel,
  findDueDay,
  nextDailyAt,
  ownersDueForDaily,
  readAgenda,
  releaseDay,
} from "./store.ts";

/** The URL of the app; undefined if the settings do not name it. */
export const appUrl = (env: Env) => (env.API_URL || env.MCP_URL ? publicOrigin(env) : undefined);

/** The contact that push services require. Some reject a URL that is not public. */
export function pushSubject(env: Env): string {
  const url = appUrl(env);
  return url?.startsWith("https:") ? url : "mailto:operator@commonplace.invalid";
}

/** Emails go only to confirmed addresses. */
async function email(ctx: Ctx, env: Env): Promise<void> {
  const { email: to, email_verified_at } = await ctx.user();
  if (email_verified_at === null) return;
  const agenda = agendaEmail(await readAgenda(ctx), appUrl(env));
  if (agenda) await sendEmail(env, { to, ...agenda });
}

async function push(ctx: Ctx, env: Env): Promise<void> {
  await deleteEndedSubscriptions(ctx);
  const notice = dayNotification(await readAgenda(ctx));
  if (!notice) return;
  const options = { subject: pushSubject(env), topic: "today", urgency: "normal" } as const;
  const { problem } = await pushToAllBrowsers(ctx, notice, options);
  if (problem) throw problem;
}

type Send = (ctx: Ctx, env: Env) => Promise<void>;

/** Sends the daily reminder of an account. Retried for an hour, then skipped until the next day. Throws if it failed. */
const sendOncePerDay =
  (kind: DailyChannel, send: Send): Send =>
  async (ctx, env) => {
    const due = await findDueDay(ctx, kind);
    if (!due || !(await claimDay(ctx, kind, due))) return;
    await send(ctx, env).catch(async (problem: unknown) => {
      // Retried only if it is known to be unsent: better no message than two.
      if (problem instanceof NotSentError) await releaseDay(ctx, kind, due);
      throw problem;
    });
  };

/** Without a mail server, no email becomes due. */
export const dailyEmail = {
  moment: (owner: SQL, env: Env): SQL => (hasEmailServer(env) ? nextDailyAt("mail", owner) : sql`NULL`),
  overdue: (base: BaseCtx, env: Env): SQL =>
    hasEmailServer(env) ? ownersDueForDaily("mail", base) : sql`SELECT NULL AS owner WHERE false`,
  run: sendOncePerDay("mail", email),
};

export const dailyPush = {
  moment: (owner: SQL): SQL => nextDailyAt("push", owner),
  overdue: (base: BaseCtx): SQL => ownersDueForDaily("push", base),
  run: sendOncePerDay("push", push),
};
