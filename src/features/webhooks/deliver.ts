import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { fetchFrom, reachOf } from "../../platform/http/outbound.ts";
import { attempt } from "./attempt.ts";
import { messageOf, recordOutcome, type Sendable } from "./sending-store.ts";

export async function deliver(ctx: Ctx, env: Env, delivery: Sendable): Promise<void> {
  const message = await messageOf(ctx, delivery);
  const now = new Date();
  const outcome = await attempt(fetchFrom(reachOf(env)), message, now);
  await recordOutcome({ ...ctx, now }, delivery, outcome);
}
