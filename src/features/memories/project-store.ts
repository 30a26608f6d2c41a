import { type SQL, sql } from "drizzle-orm";
import { distance } from "fastest-levenshtein";
import { breathe } from "../../platform/turns/yield.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { forbidden, notFound, unavailable } from "../../platform/core/errors.ts";
import { must, send } from "../../platform/db/call.ts";
import { IN_TRASH, numbered, type Recorded, recorded } from "../../platform/ledger/store.ts";
import { type Updated, updateMemories } from "./bulk-store.ts";
import { nextEvent } from "./event-store.ts";
import { LIVING, stateJson, type Writer } from "./row-store.ts";
import type { Memory } from "../../contract/memory.ts";

// A project is a name that records share.

/** The project of some records, and the one that they get. */
type Refiling = { project: string | null; next: string | null };
type Renaming = { project: string; next: string };

/** How many records one step of a renaming changes. Each step is one transaction. */
const RENAMED_AT_ONCE = 50;

/** Some of the caller's records of a project, in any state. */
async function someOf(ctx: Ctx, project: string): Promise<number[]> {
  const of = (index: string, state: SQL) => sql`SELECT id FROM memories INDEXED BY ${sql.raw(index)}
    WHERE owner = ${ctx.owner} AND project = ${project} AND ${state} AND ${LIVING}`;
  const rows = await ctx.db.all<{ id: number }>(sql`
    ${of("memories_active_project_idx", sql`status = 'active'`)}
    UNION ALL ${of("memories_closed_project_idx", sql`closed_at IS NOT NULL`)} LIMIT ${RENAMED_AT_ONCE}`);
  return rows.map(({ id }) => id);
}

/** How many trashed records one step looks at. */
const LOOKED_AT = 200;

/** The statements that give some trashed records another project: changes that no list and no webhook shows. */
function trashedStatements(ctx: Ctx, ids: number[], { project, next }: Refiling, writer: Writer) {
  const { owner } = ctx;
  const now = ctx.now.toISOString();
  // An undo, which is of a single record, names it.
  const record = ids.length === 1 ? String(ids[0]) : sql`CAST(id AS TEXT)`;
  const which = sql`memories.owner = ${owner} AND memories.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    AND trashed_at IS NOT NULL AND project IS ${project}`;
  const entry: Recorded = {
    ...{ verb: "changed", kind: "memory", record, title: sql`topic`, order: sql`id` },
    ...{ version_before: sql`version`, version_after: sql`version + 1`, has_event: true, state: IN_TRASH },
    from: sql`FROM memories WHERE ${which}`,
  };
  return [
    ...recorded(ctx, entry, writer),
    ctx.db.run(sql`
      INSERT INTO memory_events
        (owner, memory_id, id, event, from_status, to_status, source_type, client_name, at, state, activity)
      SELECT ${owner}, memories.id, ${nextEvent(sql`memories.owner`, sql`memories.id`)}, 'updated', status, status,
        ${writer.source_type}, ${writer.client_name ?? null}, ${now}, ${stateJson}, entry.number
      FROM (${numbered(sql`${owner}`, entry)}) AS entry CROSS JOIN memories
        ON memories.owner = ${owner} AND memories.id = CAST(entry.record AS INTEGER)`),
    ctx.db.run(
      sql`UPDATE memories SET project = ${next}, version = version + 1, updated_at = ${now} WHERE ${which}`,
    ),
  ];
}

/**
 * Gives a trashed record the project of an earlier version. Throws 404 for a version that is not kept; refused as stale
 * when the record is no longer in the trash.
 */
export async function refileTrashed(ctx: Ctx, id: number, version: number, writer: Writer): Promise<void> {
  const [row] = await ctx.db.all<{ project: string | null; before: string | null }>(sql`
    SELECT m.project, e.state ->> '$.project' AS before FROM memories AS m CROSS JOIN memory_events AS e
      ON e.owner = m.owner AND e.memory_id = m.id AND e.state ->> '$.version' = ${version}
    WHERE m.owner = ${ctx.owner} AND m.id = ${id}`);
  if (!row) throw notFound();
  const there = sql`SELECT 1 FROM memories
    WHERE owner = ${ctx.owner} AND id = ${id} AND trashed_at IS NOT NULL AND project IS ${row.project}`;
  await send(ctx, [
    must(ctx, sql`EXISTS (${there})`, "stale"),
    ...trashedStatements(ctx, [id], { project: row.project, next: row.before }, writer),
  ]);
}

/** Renames the project of what is in the trash, in bounded steps. Returns the records with their new versions. */
async function renameTrashed(ctx: Ctx, renaming: Renaming, writer: Writer): Promise<Version[]> {
  const renamed: Version[] = [];
  let [after, afterId] = ["", 0];
  for (;;) {
    const rows = await ctx.db.all<{ id: number; version: number; trashed_at: string; has_it: number }>(sql`
      SELECT id, version, trashed_at, project IS ${renaming.project} AS has_it
      FROM memories INDEXED BY memories_owner_trashed_at_idx
      WHERE owner = ${ctx.owner} AND trashed_at IS NOT NULL AND (trashed_at, id) > (${after}, ${afterId})
      ORDER BY trashed_at, id LIMIT ${LOOKED_AT}`);
    const found = rows.filter(({ has_it }) => has_it === 1);
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await send(ctx, trashedStatements(ctx, ids, renaming, writer));
    renamed.push(...found.map(({ id, version }) => ({ id, version: version + 1 })));
    const last = rows.at(-1);
    if (!last || rows.length < LOOKED_AT) return renamed;
    [after, afterId] = [last.trashed_at, last.id];
    await breathe();
  }
}

/** Why none of the records was changed: others were faster, or there is no room. */
function refusalOf(updated: Updated[]) {
  const detail = updated.find((one) => one.detail !== notFound().message)?.detail;
  return detail ? forbidden(detail) : unavailable("Too many changes of this project at once: try again");
}

/**
 * How many records a renaming changed, how many more of them in the trash, and the numbers of the last hundred changes, which
 * one request undoes.
 */
export type Renamed = { renamed: number; in_trash: number; change_ids: number[] };

type Version = Pick<Memory, "id" | "version">;

/** How many changes an answer names. */
const MAX_CHANGES = 100;

/** The numbers of the changes that made records what they are now. */
async function changesOf(ctx: Ctx, changed: readonly Version[]): Promise<number[]> {
  const last = changed.slice(-MAX_CHANGES).map(({ id, version }) => [id, version - 1]);
  const rows = await ctx.db.all<{ number: number }>(sql`
    SELECT e.activity AS number FROM json_each(${JSON.stringify(last)}) AS asked CROSS JOIN memory_events AS e
      ON e.owner = ${ctx.owner} AND e.memory_id = asked.value ->> 0 AND e.state ->> '$.version' = asked.value ->> 1
    WHERE e.event = 'updated' AND e.activity IS NOT NULL ORDER BY number`);
  return rows.map(({ number }) => number);
}

/**
 * Gives every record of a project another project, in bounded steps; an interrupted renaming continues when it is
 * repeated. Throws 404 when no record has it.
 */
export async function renameProjectOf(
  ctx: Ctx,
  { project, next }: Renaming,
  writer: Writer,
): Promise<Renamed> {
  const changed: Version[] = [];
  for (let ids = await someOf(ctx, project); ; ids = await someOf(ctx, project)) {
    if (changed.length === 0 && ids.length === 0) throw notFound();
    if (ids.length === 0 || project === next) break;
    const change = { project: next };
    const updated = await updateMemories(
      ctx,
      ids.map((id) => ({ id, change })),
      writer,
    );
    const done = updated.flatMap(({ memory }) => memory ?? []);
    if (done.length === 0) throw refusalOf(updated);
    changed.push(...done.map(({ id, version }) => ({ id, version })));
    await breathe();
  }
  const trashed = project === next ? [] : await renameTrashed(ctx, { project, next }, writer);
  const change_ids = await changesOf(ctx, [...changed, ...trashed]);
  return { renamed: changed.length, in_trash: trashed.length, change_ids };
}

/** How often a name is still found elsewhere: in topics of records, titles of documents, on tags and as a folder. */
export type Mentions = { topics: number; titles: number; tags: number; folders: number };

/** Where a name is still found after the project of that name has another one. Reads all titles and topics. */
export async function countMentions(ctx: Ctx, name: string): Promise<Mentions> {
  const { owner } = ctx;
  const lower = name.toLowerCase();
  const holds = (column: SQL) => sql`(instr(lower(${column}), ${lower}) OR instr(${column}, ${name}))`;
  const tagged = (table: SQL) =>
    sql`(SELECT count(*) FROM ${table} WHERE owner = ${owner} AND tag IN (${name}, ${lower}))`;
  const [row] = await ctx.db.all<Mentions>(sql`SELECT
    (SELECT count(*) FROM memories WHERE owner = ${owner} AND ${LIVING} AND ${holds(sql`topic`)}) AS topics,
    (SELECT count(*) FROM documents WHERE owner = ${owner} AND ${LIVING} AND ${holds(sql`title`)}) AS titles,
    ${tagged(sql`memory_tags`)} + ${tagged(sql`document_tags`)} AS tags,
    (SELECT count(*) FROM folders WHERE owner = ${owner} AND ${holds(sql`name`)}) AS folders`);
  return row ?? { topics: 0, titles: 0, tags: 0, folders: 0 };
}

/** How many projects an answer names, and with how many a name is compared, and how long these may be. */
const MAX_NAMED = 10;
const MAX_COMPARED = 1000;
const MAX_LENGTH = 60;

/** The name that is most like the asked one, with errors in at most two letters of five. */
function nearestOf(names: readonly string[], asked: string, folded: (name: string) => string) {
  if (asked.length > MAX_LENGTH) return undefined;
  const distances = names
    .filter((name) => name.length <= MAX_LENGTH)
    .map((name) => ({ name, errors: distance(folded(name), asked) }));
  const [nearest] = distances.sort((a, b) => a.errors - b.errors);
  return nearest && nearest.errors <= (asked.length + 1) / 2.5 ? nearest.name : undefined;
}

/**
 * The project that a name means if no record has exactly this one: the only one that differs in case alone. Or else the one
 * that is most like it; and some of those that there are.
 */
export async function findProject(
  ctx: Ctx,
  asked: string,
): Promise<{ meant?: string; near?: string | undefined; known: string[] }> {
  const rows = await ctx.db.all<{ project: string }>(sql`SELECT DISTINCT project FROM memory_totals
    WHERE owner = ${ctx.owner} AND project <> '' ORDER BY project`);
  const names = rows.map(({ project }) => project);
  const folded = (name: string) => name.normalize("NFC").toLowerCase();
  const alike = names.filter((name) => folded(name) === folded(asked));
  const [meant] = alike.includes(asked) || alike.length !== 1 ? [] : alike;
  const near = nearestOf(names.slice(0, MAX_COMPARED), folded(asked), folded);
  return { ...(meant && { meant }), near, known: names.slice(0, MAX_NAMED) };
}
