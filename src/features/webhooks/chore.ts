import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { addressPolicy, fetchWithPolicy } from "../../platform/http/outbound.ts";
import type { StepBudget } from "../../platform/jobs/run.ts";
import { sendMessage } from "./attempt.ts";
import * as store from "./delivery-store.ts";
import { queueActivityEvents, queueDueEvents } from "./queue-store.ts";

const MAX_ATTEMPTS = 10;
const MAX_PAGES = 5;

/** Sends the due messages of an account's webhooks. If one webhook fails, the others are still handled before this throws. */
export async function sendWebhooks(ctx: Ctx, env: Env, hasBudget: StepBudget): Promise<void> {
  const webhooks = await store.listActiveWebhooks(ctx);
  const results = await Promise.allSettled(
    webhooks.map((webhook) => processWebhook(ctx, env, webhook, hasBudget)),
  );
  const failed = results.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

async function processWebhook(
  ctx: Ctx,
  env: Env,
  webhook: store.WebhookRow,
  hasBudget: StepBudget,
): Promise<void> {
  let isBehind = true;
  for (let page = 0; page < MAX_PAGES && isBehind; page++) isBehind = await queueActivityEvents(ctx, webhook);
  await queueDueEvents(ctx, webhook);
  // Each delivery is read right before sending: the webhook may have changed meanwhile, or its account been closed.
  for (let attempts = 0; attempts < MAX_ATTEMPTS && hasBudget(); attempts++) {
    const delivery = await store.findDueDelivery(ctx, webhook.id);
    if (!delivery) return;
    await attemptDelivery(ctx, env, delivery);
  }
}

export async function attemptDelivery(ctx: Ctx, env: Env, delivery: store.PendingDelivery): Promise<void> {
  const message = await store.buildMessage(ctx, delivery);
  const now = new Date();
  const outcome = await sendMessage(fetchWithPolicy(addressPolicy(env)), message, now);
  await store.recordOutcome({ ...ctx, now }, delivery, outcome);
}
