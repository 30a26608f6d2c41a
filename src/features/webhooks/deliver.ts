import type { Ctx } from "../../platform/core/ctx.ts";
import { fetchFrom } from "../../platform/http/outbound.ts";
import type { Env } from "../../env.ts";
import { attempt } from "./attempt.ts";
import { reachOf } from "../../webhooks/reach.ts";
import { messageOf, recordOutcome, type Sendable } from "./sending-store.ts";

/** Makes one attempt to deliver, and records what came of it. */
export async function deliver(ctx: Ctx, env: Env, delivery: Sendable): Promise<void> {
  const message = await messageOf(ctx, delivery);
  const now = new Date();
  const outcome = await attempt(fetchFrom(reachOf(env)), message, now);
  await recordOutcome({ ...ctx, now }, delivery, outcome);
}
