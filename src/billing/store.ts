import { eq } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { columnsBut } from "../db/columns.ts";
import { subscriptions } from "../db/tables.ts";
import type { Subscription } from "./schema.ts";

const shown = columnsBut(subscriptions, "owner");

/** The caller's subscription, made at registration. */
export async function getSubscription(ctx: Ctx): Promise<Subscription> {
  const [subscription] = await ctx.db
    .select(shown)
    .from(subscriptions)
    .where(eq(subscriptions.owner, ctx.owner));
  if (!subscription) throw notFound();
  return subscription;
}
