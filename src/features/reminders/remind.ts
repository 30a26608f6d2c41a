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

/** The address of the app; undefined where the settings do not say. */
export const addressOf = (env: Env) => (env.API_URL || env.MCP_URL ? publicOrigin(env) : undefined);

/** Push services want to know whom to ask. Some refuse an address that is not public. */
export function subjectOf(env: Env): string {
  const address = addressOf(env);
  return address?.startsWith("https:") ? address : "mailto:operator@commonplace.invalid";
}

/** Mails go only to addresses whose owner has confirmed that they want to be written to. */
async function mail(ctx: Ctx, env: Env): Promise<void> {
  const { email: to, email_verified_at } = await ctx.user();
  if (email_verified_at === null) return;
  const agenda = agendaOf(await readDay(ctx), addressOf(env));
  if (agenda) await sendMail(env, { to, ...agenda });
}

async function push(ctx: Ctx, env: Env): Promise<void> {
  await endSubscriptions(ctx);
  const notice = noticeOf(await readDay(ctx));
  if (!notice) return;
  const manner = { subject: subjectOf(env), topic: "today", urgency: "normal" } as const;
  const { problem } = await pushToAll(ctx, notice, manner);
  if (problem) throw problem;
}

type Tell = (ctx: Ctx, env: Env) => Promise<void>;

/** Tells a person of their day. Who could not be told within an hour is told the next day. Throws when it failed. */
const reminding =
  (kind: Kind, tell: Tell): Tell =>
  async (ctx, env) => {
    const reminded = await findReminded(ctx, kind);
    if (!reminded || !(await claimDay(ctx, kind, reminded))) return;
    await tell(ctx, env).catch(async (problem: unknown) => {
      // Only what is known to be unsent is sent again: rather none than two.
      if (problem instanceof Unsent) await releaseDay(ctx, kind, reminded);
      throw problem;
    });
  };

export const mailDay = reminding("mail", mail);
export const pushDay = reminding("push", push);

const NEVER = sql`NULL`;
const NOBODY = sql`SELECT NULL AS owner WHERE false`;

/** Without a mail server, everybody's day is left as it is. */
export const mailMoment = (owner: SQL, env: Env): SQL =>
  hasMailServer(env) ? momentOf("mail", owner) : NEVER;
export const pushMoment = (owner: SQL): SQL => momentOf("push", owner);

export const ownersToMail = (base: BaseCtx, env: Env): SQL =>
  hasMailServer(env) ? ownersReminded("mail", base) : NOBODY;
export const ownersToPush = (base: BaseCtx): SQL => ownersReminded("push", base);
