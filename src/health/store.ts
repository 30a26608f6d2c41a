import { sql } from "drizzle-orm";
import type { BaseCtx } from "../core/ctx.ts";

/** Asks the database anything. Throws when it does not answer. */
export async function pingDatabase(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(sql`SELECT 1`);
}
