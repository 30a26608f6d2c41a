import { waitUntil } from "cloudflare:workers";
import type { MiddlewareHandler } from "hono";
import { accountName } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import { askObject } from "../../platform/bindings/objects.ts";
import type { AppEnv, BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { rulesOf } from "../../platform/http/rules.ts";
import { deliver } from "./deliver.ts";
import type { WebhookSender } from "./sender.ts";
import { findUntried, ownersWithWork } from "./sending-store.ts";

const WOKEN_AT_ONCE = 500;

type Account = { home: number; owner: number };

export const senderOf = (env: Env, account: Account): DurableObjectStub<WebhookSender> =>
  (env.WEBHOOK_SENDERS as DurableObjectNamespace<WebhookSender>).getByName(accountName(account));

const wake = (env: Env, { owner, home }: Account): Promise<void> =>
  askObject("once", () => senderOf(env, { owner, home }).wake(owner, home));

/** Wakes the sender of an account that has active webhooks, after the answer. Others cost nothing. */
export async function wakeAfterWrite(env: Env, ctx: Ctx): Promise<void> {
  const { has_webhooks = 0 } = await ctx.user();
  // Otherwise the cron handler wakes it.
  if (has_webhooks) waitUntil(wake(env, ctx).catch(() => undefined));
}

async function deliverAndWake(ctx: Ctx, env: Env, id: string): Promise<void> {
  const delivery = await findUntried(ctx, id);
  if (delivery) await deliver(ctx, env, delivery);
  await wake(env, ctx);
}

/** Tries what a request has asked for, without waiting for the account's sender, and also when the caller hangs up. */
export async function deliverNow(ctx: Ctx, env: Env, id: string): Promise<void> {
  const delivered = deliverAndWake(ctx, env, id);
  waitUntil(delivered);
  await delivered;
}

/** Middleware after `guard`: what an operation writes to the ledger may be an event. */
export const sendEvents: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (rulesOf(c)?.changes?.length && c.res.ok) await wakeAfterWrite(c.env, c.var.ctx);
};

/** Wakes senders that have something to send and were not told: for the cron handler. Throws if some were not reached. */
export async function wakeSenders(base: BaseCtx, env: Env): Promise<void> {
  const { home } = base;
  const owners = await ownersWithWork(base, WOKEN_AT_ONCE);
  const woken = await Promise.allSettled(owners.map((owner) => wake(env, { home, owner })));
  const failed = woken.filter((one) => one.status === "rejected");
  if (failed[0]) throw new Error(`${failed.length} senders were not woken: ${failed[0].reason}`);
}
