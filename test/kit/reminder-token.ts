import { env } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import { getMeRoute } from "../../src/features/auth/routes.ts";
import { signingKeys } from "../../src/features/auth/token.ts";
import { signReminderToken } from "../../src/features/reminders/action-token.ts";
import type { Client } from "./client.ts";
import { accountOf, databaseOfClient } from "./hooks.ts";

/** What the notification about a person's record would come with. */
export async function reminderTokenOf(owner: Client, memory_id: number): Promise<string> {
  const { id: user_id } = await owner.ok(getMeRoute);
  const epoch = await databaseOfClient(owner)
    .prepare("SELECT sign_in_epoch FROM users WHERE id = ?")
    .bind(user_id)
    .first<number>("sign_in_epoch");
  const named = { ...accountOf(owner), user_id, epoch: epoch ?? 0, memory_id };
  return signReminderToken(await signingKeys(env as unknown as Env), named, new Date());
}
