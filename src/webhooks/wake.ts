import { waitUntil } from "cloudflare:workers";
import type { MiddlewareHandler } from "hono";
import type { AppEnv, BaseCtx, CtxUser } from "../core/ctx.ts";
import type { Env } from "../env.ts";
import type { WebhookSender } from "./sender.ts";
import { ownersWithWork } from "./sending-store.ts";

// Who tells the sender of an account that there may be something to send.

const READS = ["GET", "HEAD"];

/** Accounts that are woken per run of the cron handler. */
const WOKEN_AT_ONCE = 500;

/** The sender of an account. */
export const senderOf = (env: Env, owner: number): DurableObjectStub<WebhookSender> =>
  (env.WEBHOOK_SENDERS as DurableObjectNamespace<WebhookSender>).getByName(String(owner));

/** Wakes the sender of an account that has active webhooks, after the answer. Others cost nothing. */
export function wakeAfterWrite(env: Env, { number, has_webhooks = 0 }: CtxUser): void {
  if (has_webhooks) waitUntil(senderOf(env, number).wake(number));
}

/** Middleware after `guard`: a change may be an event. */
export const sendEvents: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (!READS.includes(c.req.method) && c.res.ok) wakeAfterWrite(c.env, await c.var.ctx.user());
};

/** Wakes senders that have something to send and were not told: for the cron handler. */
export async function wakeSenders(base: BaseCtx, env: Env): Promise<void> {
  for (const owner of await ownersWithWork(base, WOKEN_AT_ONCE)) await senderOf(env, owner).wake(owner);
}
