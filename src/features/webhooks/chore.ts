import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { Budget } from "../../platform/later/run.ts";
import { deliver } from "./deliver.ts";
import { queueActivity, queueDue } from "./queue-store.ts";
import * as store from "./sending-store.ts";

export { ownersWithEvents, webhooksMoment } from "./sending-store.ts";

/** How many messages a webhook is sent in one run. */
const ATTEMPTS = 10;
const PAGES = 5;

/** Sends what an account's webhooks are due. If some cannot be served, throws after the others have been. */
export async function sendWebhooks(ctx: Ctx, env: Env, isLeft: Budget): Promise<void> {
  const webhooks = await store.listActiveWebhooks(ctx);
  const served = await Promise.allSettled(webhooks.map((webhook) => serve(ctx, env, webhook, isLeft)));
  const failed = served.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

async function serve(ctx: Ctx, env: Env, webhook: store.Webhook, isLeft: Budget): Promise<void> {
  let isBehind = true;
  for (let page = 0; page < PAGES && isBehind; page++) isBehind = await queueActivity(ctx, webhook);
  await queueDue(ctx, webhook);
  // Each delivery is read right before it is sent: meanwhile the webhook may have been changed, or its account closed.
  for (let attempts = 0; attempts < ATTEMPTS && isLeft(); attempts++) {
    const delivery = await store.findDue(ctx, webhook.id);
    if (!delivery) return;
    await deliver(ctx, env, delivery);
  }
}
