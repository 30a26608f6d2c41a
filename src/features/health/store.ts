import { sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { faultCounts } from "../../platform/core/faults.ts";

/** Throws if the database does not answer. */
export async function pingDatabase(ctx: BaseCtx): Promise<void> {
  await ctx.db.all(sql`SELECT 1`);
}

/** How often calls were repeated and failed in this isolate, by fault. */
export const readFaultCounts = () => faultCounts;
