import type { Context } from "hono";
import type { Memory } from "../../contract/memory.ts";
import type { ReminderAction } from "../../contract/reminders.ts";
import { withCurrentLocation } from "../../platform/core/account-location.ts";
import type { AppEnv, Ctx } from "../../platform/core/ctx.ts";
import { enterShard } from "../../platform/shards/router.ts";
import { openCtx, type ReminderCredential } from "../auth/caller-store.ts";
import { signingKeys } from "../auth/token.ts";
import { runMemoryAction } from "../memories/action-store.ts";
import { userClock } from "../memories/row-store.ts";
import { getMemory } from "../memories/store.ts";
import { updateMemory } from "../memories/update-store.ts";
import { readReminderToken } from "./action-token.ts";
import { postponeToTomorrow, remindInAnHour } from "./postpone.ts";

const WRITER = { source_type: "web" } as const;

async function applyAction(ctx: Ctx, id: number, action: ReminderAction): Promise<Memory> {
  if (action === "done") return (await runMemoryAction(ctx, id, { action: "resolve" }, WRITER)).memory;
  const [memory, clock] = [await getMemory(ctx, id), await userClock(ctx)];
  if (memory.status !== "active") return memory;
  const change = action === "hour" ? remindInAnHour(memory, clock) : postponeToTomorrow(memory, clock);
  return updateMemory(ctx, id, change, WRITER);
}

/** Carries out an action from a notification or email; a closed record stays as it is. Throws 401, 404, 400 if archived. */
export async function actOnReminder(
  c: Context<AppEnv>,
  token: string,
  action: ReminderAction,
): Promise<Memory> {
  const keys = await signingKeys(c.env);
  const { memory_id, home: shard, ...caller } = await readReminderToken(keys, token, c.var.base.now);
  const credential = withCurrentLocation<ReminderCredential>({ kind: "reminder", shard, ...caller });
  enterShard(c, credential.shard);
  const ctx: Ctx = { ...openCtx(c.var.base, c.var.session, credential), changes: [] };
  c.set("ctx", ctx);
  return applyAction(ctx, memory_id, action);
}
