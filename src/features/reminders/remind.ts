import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { Unsent } from "../../platform/core/errors.ts";
import { publicOrigin } from "../../platform/http/origin.ts";
import { hasMailServer, sendMail } from "../../platform/mail/send.ts";
import { pushToAll } from "../push/send.ts";
import { endSubscriptions } from "../push/store.ts";
import { agendaOf, noticeOf } from "./agenda.ts";
import { claimDay, findReminded, type Kind, momentOf, ownersReminded, readDay, releaseDay } from "./store.ts";

/** The URL of the app; undefined if the settings do not name it. */
export const addressOf = (env: Env) => (env.API_URL || env.MCP_URL ? publicOrigin(env) : undefined);

/** The contact that push services require. Some reject a URL that is not public. */
export function subjectOf(env: Env): string {
  const url = addressOf(env);
  return url?.startsWith("https:") ? url : "mailto:operator@commonplace.invalid";
}

/** Emails go only to confirmed addresses. */
async function email(ctx: Ctx, env: Env): Promise<void> {
  const { email: to, email_verified_at } = await ctx.user();
  if (email_verified_at === null) return;
  const agenda = agendaOf(await readDay(ctx), addressOf(env));
  if (agenda) await sendMail(env, { to, ...agenda });
}

async function push(ctx: Ctx, env: Env): Promise<void> {
  await endSubscriptions(ctx);
  const notice = noticeOf(await readDay(ctx));
  if (!notice) return;
  const options = { subject: subjectOf(env), topic: "today", urgency: "normal" } as const;
  const { problem } = await pushToAll(ctx, notice, options);
  if (problem) throw problem;
}

type Send = (ctx: Ctx, env: Env) => Promise<void>;

/** Sends the daily reminder of an account. Retried for an hour, then skipped until the next day. Throws if it failed. */
const sendOncePerDay =
  (kind: Kind, send: Send): Send =>
  async (ctx, env) => {
    const due = await findReminded(ctx, kind);
    if (!due || !(await claimDay(ctx, kind, due))) return;
    await send(ctx, env).catch(async (problem: unknown) => {
      // Retried only if it is known to be unsent: better no message than two.
      if (problem instanceof Unsent) await releaseDay(ctx, kind, due);
      throw problem;
    });
  };

export const mailDay = sendOncePerDay("mail", email);
export const pushDay = sendOncePerDay("push", push);

const NEVER = sql`NULL`;
const NO_OWNERS = sql`SELECT NULL AS owner WHERE false`;

/** Without a mail server, no email becomes due. */
export const mailMoment = (owner: SQL, env: Env): SQL =>
  hasMailServer(env) ? momentOf("mail", owner) : NEVER;
export const pushMoment = (owner: SQL): SQL => momentOf("push", owner);

export const ownersToMail = (base: BaseCtx, env: Env): SQL =>
  hasMailServer(env) ? ownersReminded("mail", base) : NO_OWNERS;
export const ownersToPush = (base: BaseCtx): SQL => ownersReminded("push", base);
