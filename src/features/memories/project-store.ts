import { type SQL, sql } from "drizzle-orm";
import { isSameName, normalizeName } from "../../contract/name-key.ts";
import {
  type BulkActivityEntry,
  IN_TRASH,
  numberedEntries,
  recordActivity,
} from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { forbidden, notFound, unavailable } from "../../platform/core/errors.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, sendBatch } from "../../platform/db/call.ts";
import { hasName } from "../../platform/db/spellings.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { mostSimilarName } from "../../shared/text/likeness.ts";
import { type UpdateResult, updateMemories } from "./bulk-store.ts";
import { nextEventId } from "./event-store.ts";
import { type MemoryWriter, memoryStateJson, NOT_TRASHED } from "./row-store.ts";
import { updateMemoriesTogether } from "./update-store.ts";

type ProjectChange = { project: string | null; next: string | null };
type Renaming = { project: string; next: string };

/** Records that one step of a rename changes, in one transaction. */
const RENAMED_PER_STEP = 50;

async function nextRecordIds(ctx: Ctx, project: string): Promise<number[]> {
  const of = (index: string, state: SQL) => sql`SELECT id FROM memories INDEXED BY ${sql.raw(index)}
    WHERE owner = ${ctx.owner} AND project = ${project} AND ${state} AND ${NOT_TRASHED}`;
  const rows = await ctx.db.all<{ id: number }>(sql`
    ${of("memories_active_project_idx", sql`status = 'active'`)}
    UNION ALL ${of("memories_closed_project_idx", sql`closed_at IS NOT NULL`)} LIMIT ${RENAMED_PER_STEP}`);
  return rows.map(({ id }) => id);
}

const TRASH_ROWS_PER_STEP = 200;

/** The statements that rename the project of trashed records: changes that no list or webhook shows. */
function renameTrashedStatements(
  ctx: Ctx,
  ids: number[],
  { project, next }: ProjectChange,
  writer: MemoryWriter,
) {
  const { owner } = ctx;
  const now = ctx.now.toISOString();
  // An undo concerns a single record and needs its id.
  const record = ids.length === 1 ? String(ids[0]) : sql`CAST(id AS TEXT)`;
  const which = sql`memories.owner = ${owner} AND memories.id IN ${sqlList(ids)}
    AND trashed_at IS NOT NULL AND project IS ${project}`;
  const entry: BulkActivityEntry = {
    verb: "changed",
    kind: "memory",
    record,
    title: sql`topic`,
    order: sql`id`,
    version_before: sql`version`,
    version_after: sql`version + 1`,
    has_event: true,
    state: IN_TRASH,
    from: sql`FROM memories WHERE ${which}`,
  };
  return [
    ...recordActivity(ctx, entry, writer),
    ctx.db.run(sql`
      INSERT INTO memory_events
        (owner, memory_id, id, event, from_status, to_status, source_type, client_name, at, state, activity)
      SELECT ${owner}, memories.id, ${nextEventId(sql`memories.owner`, sql`memories.id`)}, 'updated', status, status,
        ${writer.source_type}, ${writer.client_name ?? null}, ${now}, ${memoryStateJson}, entry.number
      FROM (${numberedEntries(sql`${owner}`, entry)}) AS entry CROSS JOIN memories
        ON memories.owner = ${owner} AND memories.id = CAST(entry.record AS INTEGER)`),
    ctx.db.run(
      sql`UPDATE memories SET project = ${next}, version = version + 1, updated_at = ${now} WHERE ${which}`,
    ),
  ];
}

/** Gives a trashed record the project of an earlier version. Throws 404 if that version is gone; stale if restored since. */
export async function refileTrashed(
  ctx: Ctx,
  id: number,
  version: number,
  writer: MemoryWriter,
): Promise<void> {
  const [row] = await ctx.db.all<{ project: string | null; before: string | null }>(sql`
    SELECT m.project, e.state ->> '$.project' AS before FROM memories AS m CROSS JOIN memory_events AS e
      ON e.owner = m.owner AND e.memory_id = m.id AND e.state ->> '$.version' = ${version}
    WHERE m.owner = ${ctx.owner} AND m.id = ${id}`);
  if (!row) throw notFound();
  const there = sql`SELECT 1 FROM memories
    WHERE owner = ${ctx.owner} AND id = ${id} AND trashed_at IS NOT NULL AND project IS ${row.project}`;
  await sendBatch(ctx, [
    assertInBatch(ctx, sql`EXISTS (${there})`, "stale"),
    ...renameTrashedStatements(ctx, [id], { project: row.project, next: row.before }, writer),
  ]);
}

/** Where the next step continues in the trash. */
export type TrashPosition = { at: string; id: number };

async function renameTrashed(
  ctx: Ctx,
  renaming: Renaming,
  { writer, after, progressStatements }: RenameStep,
): Promise<RenameStepResult> {
  const rows = await ctx.db.all<{ id: number; trashed_at: string; has_it: number }>(sql`
    SELECT id, trashed_at, project IS ${renaming.project} AS has_it
    FROM memories INDEXED BY memories_owner_trashed_at_idx
    WHERE owner = ${ctx.owner} AND trashed_at IS NOT NULL AND (trashed_at, id) > (${after.at}, ${after.id})
    ORDER BY trashed_at, id LIMIT ${TRASH_ROWS_PER_STEP}`);
  const ids = rows.filter(({ has_it }) => has_it === 1).map(({ id }) => id);
  const last = rows.at(-1);
  const next = last && rows.length === TRASH_ROWS_PER_STEP ? { at: last.trashed_at, id: last.id } : null;
  const some = { renamed: 0, in_trash: ids.length, after: next };
  await sendBatch(ctx, [
    ...progressStatements(some),
    ...(ids.length > 0 ? renameTrashedStatements(ctx, ids, renaming, writer) : []),
  ]);
  return some;
}

/** The error if no record could be changed: other changes came first, or the account is full. */
function noChangeError(updated: UpdateResult[]) {
  const detail = updated.find(({ code }) => code !== "not_found")?.detail;
  return detail ? forbidden(detail) : unavailable("Too many changes of this project at once: try again");
}

export type RenameCounts = { renamed: number; in_trash: number };

/** What one step has done; `after` is null if nothing is left. */
type RenameStepResult = RenameCounts & { after: TrashPosition | null };

type RenameStep = {
  writer: MemoryWriter;
  after: TrashPosition;
  progressStatements: (some: RenameStepResult) => readonly BatchItem[];
};

const ALL = sql`sum(active + deferred + resolved + archived)`;

/**
 * The project with exactly this name, else the only one that differs in case, and its number of records. If an earlier
 * release also stored the name in NFD, the one that is not `next`, so that renaming a project to itself merges both. Throws
 * 404 for none or several.
 */
export async function resolveProject(
  ctx: Ctx,
  { project: requested, next }: Renaming,
): Promise<{ project: string; total: number }> {
  const rows = await ctx.db.all<{ project: string; total: number }>(sql`SELECT project, ${ALL} AS total
    FROM memory_totals WHERE owner = ${ctx.owner} AND ${hasName(ctx, sql`project`, "project", requested)}
    GROUP BY project HAVING ${ALL} > 0`);
  const same = rows.filter(({ project }) => normalizeName(project) === normalizeName(requested));
  const exact = same.find(({ project }) => project !== next) ?? same[0];
  const [first, ...more] = exact ? [exact] : rows;
  if (!first || more.length > 0) throw notFound();
  return first;
}

/** One step of a rename: first records outside the trash, then those in it. Throws 403 if the account is full. */
export async function renameProjectStep(
  ctx: Ctx,
  renaming: Renaming,
  step: RenameStep,
): Promise<RenameStepResult> {
  const ids = await nextRecordIds(ctx, renaming.project);
  if (ids.length === 0) return renameTrashed(ctx, renaming, step);
  const updates = ids.map((id) => ({ id, change: { project: renaming.next } }));
  const all = { renamed: ids.length, in_trash: 0, after: step.after };
  const together = await updateMemoriesTogether(ctx, updates, {
    ...step.writer,
    ahead: step.progressStatements(all),
  });
  if (together) return all;
  const each = await updateMemories(ctx, updates, step.writer);
  const renamed = each.filter(({ memory }) => memory !== undefined).length;
  if (renamed === 0) throw noChangeError(each);
  await sendBatch(ctx, step.progressStatements({ ...all, renamed }));
  return { ...all, renamed };
}

export type NameMentions = { topics: number; titles: number; tags: number; folders: number };

/** Counts where the old name of a renamed project still occurs. Reads all titles and topics. */
export async function countNameMentions(ctx: Ctx, name: string): Promise<NameMentions> {
  const { owner } = ctx;
  const lower = name.toLowerCase();
  const holds = (column: SQL) => sql`(instr(lower(${column}), ${lower}) OR instr(${column}, ${name}))`;
  const tagged = (table: SQL) =>
    sql`(SELECT count(*) FROM ${table} WHERE owner = ${owner} AND tag IN (${name}, ${lower}))`;
  const [row] = await ctx.db.all<NameMentions>(sql`SELECT
    (SELECT count(*) FROM memories WHERE owner = ${owner} AND ${NOT_TRASHED} AND ${holds(sql`topic`)}) AS topics,
    (SELECT count(*) FROM documents WHERE owner = ${owner} AND ${NOT_TRASHED} AND ${holds(sql`title`)}) AS titles,
    ${tagged(sql`memory_tags`)} + ${tagged(sql`document_tags`)} AS tags,
    (SELECT count(*) FROM folders WHERE owner = ${owner} AND ${holds(sql`name`)}) AS folders`);
  return row ?? { topics: 0, titles: 0, tags: 0, folders: 0 };
}

const MAX_LISTED = 10;

/** `meant`: the only project that differs just in case. `near`: the most similar one. `known`: some existing projects. */
export async function findSimilarProject(
  ctx: Ctx,
  requested: string,
): Promise<{ meant?: string; near?: string | undefined; isKnown: boolean; known: string[] }> {
  const rows = await ctx.db.all<{ project: string }>(sql`SELECT DISTINCT project FROM memory_totals
    WHERE owner = ${ctx.owner} AND project <> '' ORDER BY project`);
  const names = rows.map(({ project }) => project);
  const alike = names.filter((name) => isSameName(name, requested));
  const [meant] = alike.includes(requested) || alike.length !== 1 ? [] : alike;
  const near = mostSimilarName(names, requested);
  return { ...(meant && { meant }), near, isKnown: alike.length > 0, known: names.slice(0, MAX_LISTED) };
}

export async function unknownProjectNote(ctx: Ctx, project: string): Promise<string | undefined> {
  const { isKnown, near, known } = await findSimilarProject(ctx, project);
  if (isKnown) return undefined;
  const hint = near === undefined ? `there are ${known.join(", ") || "none"}` : `did you mean "${near}"?`;
  return `No record has the project "${project}"; ${hint}`;
}
