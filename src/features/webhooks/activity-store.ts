import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { activity } from "../../platform/db/tables.ts";

// The activity as webhooks read it: one entry per change, in the order of their transactions.

export type WebhookActivityEntry = {
  cursor: number;
  kind: string;
  verb: string;
  at: string;
  /** The record was in the trash: no message is sent. */
  in_trash: boolean;
  /** The `data` of the message. */
  data: Record<string, unknown>;
};

type Row = Pick<
  typeof activity.$inferSelect,
  "number" | "at" | "actor" | "client_name" | "verb" | "kind" | "record" | "version_after" | "title"
> & { in_trash: number };

export const latestActivityNumber = (ctx: Ctx): SQL =>
  sql`coalesce((SELECT max(number) FROM activity WHERE owner = ${ctx.owner}), 0)`;

function toEntry(row: Row): WebhookActivityEntry {
  const { number: cursor, at, actor, client_name, verb, kind, record, version_after: version, title } = row;
  const subject =
    kind === "memory" ? { memory_id: Number(record), topic: title } : { document_id: record, title };
  const data = { ...subject, version, verb, by: { actor, client_name } };
  return { cursor, kind, verb, at, in_trash: row.in_trash === 1, data };
}

export async function readActivity(ctx: Ctx, after: number, limit: number): Promise<WebhookActivityEntry[]> {
  const rows = await ctx.db.all<Row>(sql`
    SELECT number, at, actor, client_name, verb, kind, record, version_after, title,
      state ->> '$.in_trash' IS NOT NULL AS in_trash FROM activity
    WHERE owner = ${ctx.owner} AND number > ${after} ORDER BY number LIMIT ${limit}`);
  return rows.map(toEntry);
}
