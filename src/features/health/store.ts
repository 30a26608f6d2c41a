import { sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";

/** Throws when the database does not answer. */
export async function pingDatabase(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(sql`SELECT 1`);
}
