import { z } from "zod";
import { subscriptionOf } from "../billing/store.ts";
import { ACCESSES } from "../core/access.ts";
import type { Ctx } from "../core/ctx.ts";
import { dayOf } from "../core/days.ts";
import { notFound } from "../core/errors.ts";
import { defineTool } from "../core/tool.ts";
import { getSummary } from "../dashboard/store.ts";
import { countEntries } from "../text-index/store.ts";

async function countRecords(ctx: Ctx): Promise<{ records: number; active_records: number }> {
  const { by_status } = await getSummary(ctx, {});
  return {
    records: Object.values(by_status).reduce((sum, count) => sum + count),
    active_records: by_status.active,
  };
}

export const whoami = defineTool({
  name: "whoami",
  title: "Who am I",
  description:
    "The user, plan, scopes of this connection, time zone, today's date, and the number of documents and records.",
  access: [],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({
    email: z.string(),
    name: z.string().optional(),
    plan: z.string(),
    plan_status: z.string(),
    scopes: z.array(z.string()),
    today: z.string(),
    timezone: z.string(),
    documents: z.int().optional(),
    records: z.int().optional(),
    active_records: z.int().optional(),
  }),
  run: async (ctx) => {
    const scopes = ctx.scopes ?? ACCESSES;
    const [[subscription], [documents]] = await ctx.db.batch([
      subscriptionOf(ctx),
      countEntries(ctx, "document"),
    ]);
    if (!subscription) throw notFound();
    const { email, name, timezone } = await ctx.user();
    return {
      email,
      ...(name !== null && { name }),
      plan: subscription.plan_tier,
      plan_status: subscription.status,
      scopes: [...scopes],
      today: dayOf(ctx.now, timezone),
      timezone,
      ...(scopes.includes("docs:read") && { documents: documents?.total ?? 0 }),
      ...(scopes.includes("memory:read") && (await countRecords(ctx))),
    };
  },
});
