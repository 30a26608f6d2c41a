import { type SQL, sql } from "drizzle-orm";
import { isSameName } from "../../contract/name-key.ts";
import { similarName } from "../../contract/similar-name.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { forbidden, notFound, unavailable } from "../../platform/core/errors.ts";
import { assertInBatch, send } from "../../platform/db/call.ts";
import { isNamed } from "../../platform/db/spellings.ts";
import { IN_TRASH, numbered, type Recorded, recorded } from "../../platform/ledger/store.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";
import { type Updated, updateMemories } from "./bulk-store.ts";
import { nextEvent } from "./event-store.ts";
import { NOT_TRASHED, stateJson, type Writer } from "./row-store.ts";

type Refiling = { project: string | null; next: string | null };
type Renaming = { project: string; next: string };

/** How many records one step of a renaming changes. Each step is one transaction. */
const RENAMED_AT_ONCE = 50;

async function someOf(ctx: Ctx, project: string): Promise<number[]> {
  const of = (index: string, state: SQL) => sql`SELECT id FROM memories INDEXED BY ${sql.raw(index)}
    WHERE owner = ${ctx.owner} AND project = ${project} AND ${state} AND ${NOT_TRASHED}`;
  const rows = await ctx.db.all<{ id: number }>(sql`
    ${of("memories_active_project_idx", sql`status = 'active'`)}
    UNION ALL ${of("memories_closed_project_idx", sql`closed_at IS NOT NULL`)} LIMIT ${RENAMED_AT_ONCE}`);
  return rows.map(({ id }) => id);
}

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

/** Gives a trashed record the project of an earlier version. Throws 404 if that is gone; stale if restored since. */
export async function refileTrashed(ctx: Ctx, id: number, version: number, writer: Writer): Promise<void> {
  const [row] = await ctx.db.all<{ project: string | null; before: string | null }>(sql`
    SELECT m.project, e.state ->> '$.project' AS before FROM memories AS m CROSS JOIN memory_events AS e
      ON e.owner = m.owner AND e.memory_id = m.id AND e.state ->> '$.version' = ${version}
    WHERE m.owner = ${ctx.owner} AND m.id = ${id}`);
  if (!row) throw notFound();
  const there = sql`SELECT 1 FROM memories
    WHERE owner = ${ctx.owner} AND id = ${id} AND trashed_at IS NOT NULL AND project IS ${row.project}`;
  await send(ctx, [
    assertInBatch(ctx, sql`EXISTS (${there})`, "stale"),
    ...trashedStatements(ctx, [id], { project: row.project, next: row.before }, writer),
  ]);
}

async function renameTrashed(ctx: Ctx, renaming: Renaming, writer: Writer): Promise<number> {
  let renamed = 0;
  let [after, afterId] = ["", 0];
  for (;;) {
    const rows = await ctx.db.all<{ id: number; trashed_at: string; has_it: number }>(sql`
      SELECT id, trashed_at, project IS ${renaming.project} AS has_it
      FROM memories INDEXED BY memories_owner_trashed_at_idx
      WHERE owner = ${ctx.owner} AND trashed_at IS NOT NULL AND (trashed_at, id) > (${after}, ${afterId})
      ORDER BY trashed_at, id LIMIT ${LOOKED_AT}`);
    const ids = rows.filter(({ has_it }) => has_it === 1).map(({ id }) => id);
    if (ids.length > 0) await send(ctx, trashedStatements(ctx, ids, renaming, writer));
    renamed += ids.length;
    const last = rows.at(-1);
    if (!last || rows.length < LOOKED_AT) return renamed;
    [after, afterId] = [last.trashed_at, last.id];
    await yieldToOthers();
  }
}

/** Why none of the records was changed: others were faster, or there is no room. */
function refusalOf(updated: Updated[]) {
  const detail = updated.find(({ code }) => code !== "not_found")?.detail;
  return detail ? forbidden(detail) : unavailable("Too many changes of this project at once: try again");
}

export type Renamed = { renamed: number; in_trash: number };

/** The project spelled so, or the only one that differs in case. Throws 404 for none, or several. */
async function projectMeant(ctx: Ctx, requested: string): Promise<{ project: string; first: number[] }> {
  const first = await someOf(ctx, requested);
  if (first.length > 0) return { project: requested, first };
  const [other, ...more] = await ctx.db.all<{
    project: string;
  }>(sql`SELECT DISTINCT project FROM memory_totals
    WHERE owner = ${ctx.owner} AND ${isNamed(ctx, sql`project`, "project", requested)}`);
  if (!other || more.length > 0) throw notFound();
  return { project: other.project, first: await someOf(ctx, other.project) };
}

/** Renames a project in bounded steps; repeating an interrupted renaming continues it. Throws 404. */
export async function renameProjectOf(ctx: Ctx, renaming: Renaming, writer: Writer): Promise<Renamed> {
  const { next } = renaming;
  const { project, first } = await projectMeant(ctx, renaming.project);
  let renamed = 0;
  for (let ids = first; ids.length > 0 && project !== next; ids = await someOf(ctx, project)) {
    const change = { project: next };
    const updated = await updateMemories(
      ctx,
      ids.map((id) => ({ id, change })),
      writer,
    );
    const done = updated.filter(({ memory }) => memory !== undefined);
    if (done.length === 0) throw refusalOf(updated);
    renamed += done.length;
    await yieldToOthers();
  }
  const in_trash = project === next ? 0 : await renameTrashed(ctx, { project, next }, writer);
  return { renamed, in_trash };
}

export type Mentions = { topics: number; titles: number; tags: number; folders: number };

/** Where a name is still found after the project of that name has another one. Reads all titles and topics. */
export async function countMentions(ctx: Ctx, name: string): Promise<Mentions> {
  const { owner } = ctx;
  const lower = name.toLowerCase();
  const holds = (column: SQL) => sql`(instr(lower(${column}), ${lower}) OR instr(${column}, ${name}))`;
  const tagged = (table: SQL) =>
    sql`(SELECT count(*) FROM ${table} WHERE owner = ${owner} AND tag IN (${name}, ${lower}))`;
  const [row] = await ctx.db.all<Mentions>(sql`SELECT
    (SELECT count(*) FROM memories WHERE owner = ${owner} AND ${NOT_TRASHED} AND ${holds(sql`topic`)}) AS topics,
    (SELECT count(*) FROM documents WHERE owner = ${owner} AND ${NOT_TRASHED} AND ${holds(sql`title`)}) AS titles,
    ${tagged(sql`memory_tags`)} + ${tagged(sql`document_tags`)} AS tags,
    (SELECT count(*) FROM folders WHERE owner = ${owner} AND ${holds(sql`name`)}) AS folders`);
  return row ?? { topics: 0, titles: 0, tags: 0, folders: 0 };
}

const MAX_NAMED = 10;

/** The only project that differs in case alone, or else the most similar one; and some of those that there are. */
export async function findProject(
  ctx: Ctx,
  requested: string,
): Promise<{ meant?: string; near?: string | undefined; isKnown: boolean; known: string[] }> {
  const rows = await ctx.db.all<{ project: string }>(sql`SELECT DISTINCT project FROM memory_totals
    WHERE owner = ${ctx.owner} AND project <> '' ORDER BY project`);
  const names = rows.map(({ project }) => project);
  const alike = names.filter((name) => isSameName(name, requested));
  const [meant] = alike.includes(requested) || alike.length !== 1 ? [] : alike;
  const near = similarName(names, requested);
  return { ...(meant && { meant }), near, isKnown: alike.length > 0, known: names.slice(0, MAX_NAMED) };
}

export async function noteOnProject(ctx: Ctx, project: string): Promise<string | undefined> {
  const { isKnown, near, known } = await findProject(ctx, project);
  if (isKnown) return undefined;
  const hint = near === undefined ? `there are ${known.join(", ") || "none"}` : `did you mean "${near}"?`;
  return `No record has the project "${project}"; ${hint}`;
}
