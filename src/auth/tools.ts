import { z } from "zod";
import { getSubscription } from "../billing/store.ts";
import { ACCESSES, defineTool } from "../core/tool.ts";
import { getSummary } from "../dashboard/store.ts";
import { countDocuments } from "../documents/list-store.ts";

export const whoami = defineTool({
  name: "whoami",
  title: "Who am I",
  description:
    "The user, the plan, what this connection may do, the time zone, today's date, and how many documents and records.",
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
    const { email, name } = await ctx.user();
    const scopes = ctx.scopes ?? ACCESSES;
    const [{ plan_tier, status }, summary, documents] = await Promise.all([
      getSubscription(ctx),
      getSummary(ctx, {}),
      countDocuments(ctx),
    ]);
    const { today, timezone, by_status } = summary;
    return {
      email,
      ...(name !== null && { name }),
      plan: plan_tier,
      plan_status: status,
      scopes: [...scopes],
      today,
      timezone,
      ...(scopes.includes("docs:read") && { documents }),
      ...(scopes.includes("memory:read") && {
        records: Object.values(by_status).reduce((sum, count) => sum + count),
        active_records: by_status.active,
      }),
    };
  },
});

export const accountTools = [whoami] as const;
