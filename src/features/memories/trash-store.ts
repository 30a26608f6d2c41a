import { and, isNotNull, type SQL, sql } from "drizzle-orm";
import { mustHaveRoom } from "../billing/quota-store.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { notFound, preconditionFailed } from "../../platform/core/errors.ts";
import { allowsChange, versionsAllowedBy } from "../../platform/http/etag.ts";
import { untilWritten } from "../../platform/core/retry.ts";
import { must, unless } from "../../platform/db/call.ts";
import { memories } from "../../db/tables.ts";
import { keepOnce, keptAnswer, keptStatement, writeOnce } from "../../idempotency/store.ts";
import {
  type Entry,
  forgetStatement,
  lastNumber,
  mustChange,
  numbered,
  type Recorded,
  recorded,
  type Told,
} from "../../platform/ledger/store.ts";
import type { Verb } from "../../contract/ledger-words.ts";
import { unindexStatement } from "../../engine/index-store.ts";
import { clockOf, hasVersion, own, ownAnywhere, present, shown, type Writer } from "./row-store.ts";
import type { Memory } from "../../contract/memory.ts";
import { searchStatements } from "./store.ts";

// Records in the trash: src/trash/ lists and empties it.

/** The numbers, in SQL, of the records that those of `which` replaced or that replaced them. */
const linkedTo = (which: SQL | undefined) => sql`
  SELECT owner, supersedes_id FROM memories WHERE ${which} AND supersedes_id IS NOT NULL
  UNION SELECT owner, superseded_by_id FROM memories WHERE ${which} AND superseded_by_id IS NOT NULL`;

/** The statements for the records that show a link to one of `which`: they change with its going and coming. */
function linksChange(ctx: Ctx, which: SQL | undefined) {
  const entry: Recorded = {
    ...{ verb: "linked", kind: "memory", record: sql`CAST(id AS TEXT)`, title: sql`topic` },
    ...{ version_before: sql`version`, version_after: sql`version + 1` },
    from: sql`FROM memories WHERE trashed_at IS NULL AND (owner, id) IN (${linkedTo(which)})`,
  };
  return [
    ...recorded(ctx, entry),
    ctx.db.run(sql`UPDATE memories SET version = version + 1, activity = entry.number
      FROM (${numbered(sql`${ctx.owner}`, entry)}) AS entry
      WHERE memories.owner = ${ctx.owner} AND memories.id = entry.record`),
  ];
}

/** What the ledger says about the trash: the version stays. */
const entryOf = (which: SQL | undefined, { verb, id }: { verb: Verb; id: number }): Entry => ({
  ...{ verb, kind: "memory", record: String(id), title: verb === "erased" ? sql`NULL` : sql`topic` },
  ...{ version_before: sql`version`, version_after: sql`version`, from: sql`FROM memories WHERE ${which}` },
});

/** The statements that move a record to the trash: out of lists, search, tags and counts. */
const trashStatements = (ctx: Ctx, id: number, told: Told) => [
  unindexStatement(ctx, { kind: "memory", record: String(id) }),
  ...linksChange(ctx, own(ctx, id)),
  ...recorded(ctx, entryOf(own(ctx, id), { verb: "deleted", id }), told),
  ctx.db
    .update(memories)
    .set({ trashed_at: ctx.now.toISOString(), activity: lastNumber(ctx) })
    .where(own(ctx, id)),
];

/**
 * The statements that erase records with everything that depends on them, except for search entries, which a trashed
 * record does not have, and their events, which a trigger deletes. The last one returns the numbers.
 *
 * @param keys selects owner and id of each, the same ones however often it runs
 */
const eraseStatements = (ctx: BaseCtx, keys: SQL) =>
  [
    forgetStatement(ctx, "memory", keys),
    ctx.db.run(sql`UPDATE memories SET
        supersedes_id = iif((owner, supersedes_id) IN (${keys}), NULL, supersedes_id),
        superseded_by_id = iif((owner, superseded_by_id) IN (${keys}), NULL, superseded_by_id)
      WHERE (owner, id) IN (${linkedTo(sql`(owner, id) IN (${keys})`)})`),
    ctx.db.all<{ id: number }>(sql`DELETE FROM memories WHERE (owner, id) IN (${keys}) RETURNING id`),
  ] as const;

/** The statements that erase a record at once. In the trash, it was already gone for everybody else. */
const erasureStatements = (ctx: Ctx, id: number, told: Told) => [
  unindexStatement(ctx, { kind: "memory", record: String(id) }),
  ...linksChange(ctx, own(ctx, id)),
  ...recorded(ctx, entryOf(own(ctx, id), { verb: "erased", id }), told),
  ...eraseStatements(ctx, sql`SELECT owner, id FROM memories WHERE ${ownAnywhere(ctx, id)}`),
];

/** How many trashed records one step erases. */
const ERASED_AT_ONCE = 50;

/** Erases trashed records for which `which` holds, in one bounded step. Returns whether there may be more. */
export async function eraseTrashedMemories(ctx: BaseCtx, which: SQL): Promise<boolean> {
  const keys = sql`SELECT owner, id FROM memories WHERE trashed_at IS NOT NULL AND ${which}
    ORDER BY trashed_at, owner, id LIMIT ${ERASED_AT_ONCE}`;
  const [, , erased] = await ctx.db.batch(eraseStatements(ctx, keys));
  return erased.length > 0;
}

/** Which version is to be deleted, whether for good, and who does it. */
type Deletion = { permanent?: boolean; ifMatch?: string | undefined } & Told;

/**
 * Moves a record to the trash, or erases it at once with `permanent`, even from the trash. Returns its topic. Throws 404,
 * or 412 if `ifMatch` names another version.
 */
export async function deleteMemory(
  ctx: Ctx,
  id: number,
  { permanent = false, ifMatch, ...told }: Deletion = {},
): Promise<string> {
  const which = permanent ? ownAnywhere(ctx, id) : own(ctx, id);
  const versions = versionsAllowedBy(ifMatch);
  const [[deleted]] = await ctx.db.batch([
    ctx.db.select({ topic: memories.topic }).from(memories).where(which),
    must(ctx, sql`EXISTS (SELECT 1 FROM memories WHERE ${which})`, "not-found"),
    ...(versions ? [must(ctx, hasVersion(ctx, which, versions), "stale")] : []),
    ...(permanent ? erasureStatements(ctx, id, told) : trashStatements(ctx, id, told)),
  ]);
  if (!deleted) throw notFound();
  return deleted.topic;
}

/**
 * Brings a record back from the trash as it was; one that is not in it is left as it is. With `once`, a repeated request
 * returns the first one's answer. Throws 404, or 412 if If-Match names another version.
 */
export const restoreMemory = (ctx: Ctx, id: number, writer: Writer): Promise<Memory> =>
  untilWritten("record", async () => {
    const { once } = writer;
    const mine = ownAnywhere(ctx, id);
    const [[found], kept = []] = await ctx.db.batch([
      ctx.db.select(shown(ctx)).from(memories).where(mine),
      ...(once ? [keptStatement(ctx, once)] : []),
    ]);
    const answer = once && keptAnswer(once, kept);
    if (answer !== undefined) return JSON.parse(answer) as Memory;
    if (!found) throw notFound();
    if (!allowsChange(writer.ifMatch, found.version)) throw preconditionFailed();
    const memory = present(found, await clockOf(ctx));
    if (found.trashed_at === null) {
      await mustChange(ctx, writer);
      return keepOnce(ctx, once, memory);
    }
    const write = writeOnce(ctx, once, memory, [
      must(ctx, hasVersion(ctx, and(mine, isNotNull(memories.trashed_at)), [found.version]), "stale"),
      ...mustHaveRoom(ctx, { records: 1 }),
      ...searchStatements(ctx, String(id), found),
      ...linksChange(ctx, mine),
      ...recorded(ctx, entryOf(mine, { verb: "restored", id }), writer),
      ctx.db
        .update(memories)
        .set({ trashed_at: null, activity: lastNumber(ctx) })
        .where(mine),
    ]);
    return (await unless(write, "stale")).answer;
  });
