import type { Context } from "hono";
import type { Memory } from "../../contract/memory.ts";
import type { ReminderAction } from "../../contract/reminders.ts";
import type { AppEnv, Ctx } from "../../platform/core/ctx.ts";
import { followed } from "../../platform/core/moved.ts";
import { enterHome } from "../../platform/homes/router.ts";
import { openCtx, type ReminderCredential } from "../auth/caller-store.ts";
import { signingKeys } from "../auth/token.ts";
import { actOnMemory } from "../memories/action-store.ts";
import { clockOf } from "../memories/row-store.ts";
import { getMemory } from "../memories/store.ts";
import { updateMemory } from "../memories/update-store.ts";
import { readAction } from "./action-token.ts";
import { inAnHour, tomorrow } from "./postpone.ts";

const WRITER = { source_type: "web" } as const;

async function applyAction(ctx: Ctx, id: number, action: ReminderAction): Promise<Memory> {
  if (action === "done") return (await actOnMemory(ctx, id, { action: "resolve" }, WRITER)).memory;
  const [memory, clock] = [await getMemory(ctx, id), await clockOf(ctx)];
  if (memory.status !== "active") return memory;
  const change = action === "hour" ? inAnHour(memory, clock) : tomorrow(memory, clock);
  return updateMemory(ctx, id, change, WRITER);
}

/** Carries out an action from a notification or email; a closed record stays as it is. Throws 401, 404, 400 if archived. */
export async function actByToken(c: Context<AppEnv>, token: string, action: ReminderAction): Promise<Memory> {
  const { memory_id, home, owner, user_id, epoch } = await readAction(
    await signingKeys(c.env),
    token,
    c.var.base.now,
  );
  const credential = followed<ReminderCredential>({ kind: "reminder", home, owner, user_id, epoch });
  enterHome(c, credential.home);
  const ctx: Ctx = { ...openCtx(c.var.base, c.var.session, credential), changes: [] };
  c.set("ctx", ctx);
  return applyAction(ctx, memory_id, action);
}
