import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";

// The activity as webhooks read it: one entry for each change, numbered without gaps by the transactions that write them.

/** An entry: what happened to which kind of record, and what a message says of it. */
export type Entry = { cursor: number; kind: string; verb: string; at: string; data: Record<string, unknown> };

type Row = {
  number: number;
  at: string;
  actor: string;
  client_name: string | null;
  verb: string;
  kind: string;
  record: string;
  version_after: number | null;
  title: string | null;
};

/** The number of the caller's latest entry, in SQL. */
export const latestActivity = (ctx: Ctx): SQL =>
  sql`coalesce((SELECT max(number) FROM activity WHERE owner = ${ctx.owner}), 0)`;

function entryOf({ number, at, actor, client_name, verb, kind, record, version_after, title }: Row): Entry {
  const by = { actor, client_name };
  const subject =
    kind === "memory" ? { memory_id: Number(record), topic: title } : { document_id: record, title };
  return { cursor: number, kind, verb, at, data: { ...subject, version: version_after, verb, by } };
}

/** The caller's entries after a number, in order. */
export async function readActivity(ctx: Ctx, after: number, limit: number): Promise<Entry[]> {
  const rows = await ctx.db.all<Row>(sql`
    SELECT number, at, actor, client_name, verb, kind, record, version_after, title FROM activity
    WHERE owner = ${ctx.owner} AND number > ${after} ORDER BY number LIMIT ${limit}`);
  return rows.map(entryOf);
}
