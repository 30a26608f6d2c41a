import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import type { BatchItem } from "../core/statement.ts";
import { assertInBatch } from "../db/call.ts";
import {
  type ActivityEntry,
  activityAuthor,
  activityStatement,
  timeAfterLast,
  type WriteContext,
} from "./store.ts";

// All saves of an edit session are one change with one earlier version. Each save moves its activity entry to the end, so that
// clients that follow the activity see it again.

/** A longer edit session is split into several changes. */
const MAX_SESSION_MS = 600_000;

/** SQL: the number of that entry for a document (alias `d`), or null. */
export function editSessionNumber(ctx: Ctx, writeContext: WriteContext): SQL<number | null> {
  if (writeContext.editSession === undefined) return sql`NULL`;
  const { actor, actor_id, client_name } = activityAuthor(ctx, writeContext);
  const earliest = new Date(ctx.now.getTime() - MAX_SESSION_MS).toISOString();
  return sql`(SELECT a.number FROM activity AS a WHERE a.owner = d.owner AND a.number = d.activity
    AND a.sitting = ${writeContext.editSession} AND a.began > ${earliest} AND a.verb = 'changed' AND a.undone_by IS NULL
    AND a.actor = ${actor} AND a.actor_id IS ${actor_id} AND a.client_name IS ${client_name})`;
}

/** The activity entry of the caller's edit session if it is the document's last change; no row if a new one has to begin. */
export function editSessionStatement(ctx: Ctx, id: string, writeContext: WriteContext) {
  return ctx.db.all<{ number: number }>(sql`SELECT number FROM (
      SELECT ${editSessionNumber(ctx, writeContext)} AS number FROM documents AS d
      WHERE d.owner = ${ctx.owner} AND d.id = ${id}) WHERE number IS NOT NULL`);
}

/** Records another save of an edit session in its entry, which gets the next number. Aborts with `stale` if it is not the last. */
export function continueEditSession(
  ctx: Ctx,
  { title, version_after, record }: ActivityEntry,
  number: number,
  writeContext: WriteContext,
): BatchItem[] {
  const who = activityAuthor(ctx, writeContext);
  const last = (value: SQL) => sql`(SELECT ${value} FROM activity AS last
    WHERE last.owner = ${ctx.owner} ORDER BY last.number DESC LIMIT 1)`;
  const update = sql`
    UPDATE activity SET number = ${last(sql`last.number + 1`)}, at = ${last(timeAfterLast(ctx))}, title = ${title},
      version_after = ${version_after}, nonce = ${who.nonce}
    WHERE owner = ${ctx.owner} AND number = ${number}`;
  const isLast = sql`EXISTS (SELECT 1 FROM documents
    WHERE owner = ${ctx.owner} AND id = ${record} AND activity = ${number})`;
  return [assertInBatch(ctx, isLast, "stale"), activityStatement(ctx, who, "changed", update)];
}
