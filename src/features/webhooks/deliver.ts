import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { addressPolicy, fetchWithPolicy } from "../../platform/http/outbound.ts";
import { sendMessage } from "./attempt.ts";
import { buildMessage, type PendingDelivery, recordOutcome } from "./delivery-store.ts";

export async function attemptDelivery(ctx: Ctx, env: Env, delivery: PendingDelivery): Promise<void> {
  const message = await buildMessage(ctx, delivery);
  const now = new Date();
  const outcome = await sendMessage(fetchWithPolicy(addressPolicy(env)), message, now);
  await recordOutcome({ ...ctx, now }, delivery, outcome);
}
