import { type SQL, sql } from "drizzle-orm";
import type { Activity, FieldDifference } from "../../contract/activity.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { readableContent } from "../../shared/markdown/content-text.ts";
import { folderPathSql } from "../documents/folder-path.ts";
import { memoryStateJson } from "../memories/row-store.ts";
import { DIFFERENCE_KINDS, differenceColumns, TEXT_FIELD, type VersionedKind } from "./compared-fields.ts";

/** Longer texts, both together in bytes, are not compared line by line. */
const MAX_COMPARED_BYTES = 256 * 1024;

type ContentChange = { id: number; before: string | null; after: string | null };
type Row = ContentChange & { content: number | null };
type Fields = Record<string, unknown>;

const requestedRows = (entries: readonly Activity[]): SQL => {
  const rows = entries.map(({ id, record_id, version_before, version_after }) => [
    id,
    record_id,
    version_before,
    version_after,
  ]);
  return sql`(SELECT value ->> 0 AS id, value ->> 1 AS record, value ->> 2 AS before, value ->> 3 AS after
    FROM json_each(${JSON.stringify(rows)}))`;
};

const documentState = (of: string) => sql`json_object(${differenceColumns(of)})`;

/** Document versions before and after each change, in SQL: `b` before; `v` after, or `d` if that is the current version. */
const documentStates = ({ owner }: Ctx, entries: readonly Activity[]): SQL => sql`
    FROM ${requestedRows(entries)} AS requested
      CROSS JOIN document_versions AS b
        ON b.document_id = requested.record AND b.version = requested.before AND b.owner = ${owner}
      LEFT JOIN document_versions AS v
        ON v.document_id = requested.record AND v.version = requested.after AND v.owner = ${owner}
      LEFT JOIN documents AS d ON d.id = requested.record AND d.version = requested.after AND d.owner = ${owner}
    WHERE (v.version IS NOT NULL OR d.version IS NOT NULL)`;

const CONTENT_AFTER = sql.raw("CASE WHEN v.version IS NULL THEN d.content ELSE v.content END");

/** Each size by itself, because SQLite reads all of a text that it chooses first. */
const SIZE_AFTER = sql.raw(
  "CASE WHEN v.version IS NULL THEN octet_length(d.content) ELSE octet_length(v.content) END",
);

/** Compares the sizes first, which needs no reading of long texts. */
const IS_OTHER_CONTENT = sql`(octet_length(b.content) IS NOT ${SIZE_AFTER} OR b.content IS NOT ${CONTENT_AFTER})`;

const documentStatesStatement = (ctx: Ctx, entries: readonly Activity[]) =>
  ctx.db.all<Row>(sql`
    SELECT requested.id, ${documentState("b")} AS before,
      CASE WHEN v.version IS NULL THEN ${documentState("d")} ELSE ${documentState("v")} END AS after,
      ${IS_OTHER_CONTENT} AS content ${documentStates(ctx, entries)}`);

function contentsStatement(ctx: Ctx, entries: readonly Activity[]) {
  const size = sql`coalesce(octet_length(b.content), 0) + coalesce(${SIZE_AFTER}, 0)`;
  const shown = (content: SQL) =>
    sql`iif(${size} > ${MAX_COMPARED_BYTES}, NULL, coalesce(${content}, 'null'))`;
  return ctx.db.all<ContentChange>(sql`
    SELECT requested.id, ${shown(sql`b.content`)} AS before, ${shown(CONTENT_AFTER)} AS after
    ${documentStates(ctx, entries)} AND ${IS_OTHER_CONTENT}`);
}

/** A trigger (migration 0064) lets only this many of a record's newest events keep their states, or fewer. */
const EVENTS_WITH_STATE = 55;

/** Record states before and after each change, in SQL. An event stores the state before it. The events are read once. */
function memoryStates({ owner }: Ctx, entries: readonly Activity[]): SQL {
  const stateAt = (version: string) =>
    sql`SELECT kept.state FROM kept
      WHERE kept.record = requested.record AND kept.version = requested.${sql.raw(version)}`;
  const current = sql`SELECT ${memoryStateJson} FROM memories
    WHERE owner = ${owner} AND id = CAST(requested.record AS INTEGER) AND version = requested.after`;
  const newest = sql`SELECT max(id) FROM memory_events
    WHERE owner = ${owner} AND memory_id = CAST(asked.record AS INTEGER)`;
  return sql`requested AS MATERIALIZED (SELECT * FROM ${requestedRows(entries)}),
    kept AS MATERIALIZED (
      SELECT asked.record, e.state ->> '$.version' AS version, e.state
      FROM (SELECT DISTINCT record FROM requested) AS asked
        CROSS JOIN memory_events AS e ON e.owner = ${owner} AND e.memory_id = CAST(asked.record AS INTEGER)
          AND e.id > (${newest}) - ${EVENTS_WITH_STATE} AND e.state IS NOT NULL),
    states AS MATERIALIZED (
      SELECT requested.id, (${stateAt("before")}) AS before, coalesce((${stateAt("after")}), (${current})) AS after
      FROM requested)`;
}

const memoryStatesStatement = (ctx: Ctx, entries: readonly Activity[]) =>
  ctx.db.all<Row>(sql`
    WITH ${memoryStates(ctx, entries)}
    SELECT id, json_remove(before, '$.content') AS before, json_remove(after, '$.content') AS after,
      (before ->> '$.content') IS NOT (after ->> '$.content') AS content
    FROM states WHERE before IS NOT NULL AND after IS NOT NULL`);

const memoryContentsStatement = (ctx: Ctx, entries: readonly Activity[]) =>
  ctx.db.all<ContentChange>(sql`
    WITH ${memoryStates(ctx, entries)}
    SELECT id, before ->> '$.content' AS before, after ->> '$.content' AS after
    FROM states WHERE (before ->> '$.content') <> (after ->> '$.content')`);

const valueText = (value: unknown) => (value === null || value === undefined ? null : String(value));

const itemTexts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

const listDifference = (old: string[], now: string[]) => ({
  added: now.filter((item) => !old.includes(item)),
  removed: old.filter((item) => !now.includes(item)),
});

function fieldDifference(kind: VersionedKind, field: string, old: unknown, now: unknown): FieldDifference {
  const differenceKind = DIFFERENCE_KINDS[kind].get(field);
  if (differenceKind === "items") return { field, ...listDifference(itemTexts(old), itemTexts(now)) };
  return differenceKind === "values" ? { field, from: valueText(old), to: valueText(now) } : { field };
}

const isSame = (old: unknown, now: unknown) => JSON.stringify(old ?? null) === JSON.stringify(now ?? null);

/** The fields in which two states differ. A field missing in an older state was empty. */
function compareStates(kind: VersionedKind, { before, after, content }: Row): FieldDifference[] {
  const [old, now] = [JSON.parse(before ?? "{}"), JSON.parse(after ?? "{}")] as [Fields, Fields];
  const names = Object.keys(now).filter(
    (name) => DIFFERENCE_KINDS[kind].has(name) && !isSame(old[name], now[name]),
  );
  return [
    ...names.map((field) => fieldDifference(kind, field, old[field], now[field])),
    ...(content ? [{ field: TEXT_FIELD }] : []),
  ];
}

async function withFolderPaths(ctx: Ctx, all: Map<number, FieldDifference[]>): Promise<void> {
  const moves = [...all.values()].flat().filter(({ field }) => field === "folder");
  if (moves.length === 0) return;
  const ids = moves.flatMap(({ from, to }) => [from, to]).filter((id) => typeof id === "string");
  const rows = await ctx.db.all<{ id: string; path: string | null }>(sql`
    SELECT d.folder_id AS id, ${sql.raw(folderPathSql("d"))} AS path
    FROM (SELECT DISTINCT value AS folder_id, ${ctx.owner} AS owner FROM json_each(${JSON.stringify(ids)})) AS d`);
  const paths = new Map(rows.map(({ id, path }) => [id, path]));
  const pathOf = (id: string | null | undefined) => (id ? (paths.get(id) ?? null) : "/");
  for (const move of moves) Object.assign(move, { from: pathOf(move.from), to: pathOf(move.to) });
}

async function folderDifferences(
  ctx: Ctx,
  entries: readonly Activity[],
): Promise<Map<number, FieldDifference[]>> {
  const renamed = entries.filter(({ kind, verb }) => kind === "folder" && verb === "changed");
  if (renamed.length === 0) return new Map();
  const ids = sqlList(renamed.map(({ id }) => id));
  const rows = await ctx.db.all<{ id: number; name: string | null }>(sql`
    SELECT number AS id, state ->> '$.name' AS name FROM activity
    WHERE owner = ${ctx.owner} AND number IN ${ids} AND state IS NOT NULL`);
  const before = new Map(rows.map(({ id, name }) => [id, name]));
  return new Map(
    renamed
      .filter(({ id, title }) => before.has(id) && before.get(id) !== title)
      .map(({ id, title }) => [id, [{ field: "name", from: before.get(id) ?? null, to: title }]]),
  );
}

const hasVersions = ({ kind, verb, version_before, version_after }: Activity) =>
  kind !== "folder" && verb !== "deleted" && version_before !== null && version_before !== version_after;

/** The differences of each change with a new version, by its number, if both versions are still kept. */
export async function findDifferences(
  ctx: Ctx,
  entries: readonly Activity[],
): Promise<Map<number, FieldDifference[]>> {
  const { document = [], memory = [] } = Object.groupBy(entries.filter(hasVersions), ({ kind }) => kind);
  const folders = await folderDifferences(ctx, entries);
  if (document.length + memory.length === 0) return folders;
  const [documents, memories] = await ctx.db.batch([
    documentStatesStatement(ctx, document),
    memoryStatesStatement(ctx, memory),
  ]);
  const all = new Map([
    ...documents.map((row) => [row.id, compareStates("document", row)] as const),
    ...memories.map((row) => [row.id, compareStates("memory", row)] as const),
    ...folders,
  ]);
  await withFolderPaths(ctx, all);
  return all;
}

/** The texts before and after each change of a text, if both versions are still kept. `null`: too long. */
export async function findContentChanges(ctx: Ctx, entries: readonly Activity[]): Promise<ContentChange[]> {
  const { document = [], memory = [] } = Object.groupBy(entries.filter(hasVersions), ({ kind }) => kind);
  if (document.length + memory.length === 0) return [];
  const [documents, memories] = await ctx.db.batch([
    contentsStatement(ctx, document),
    memoryContentsStatement(ctx, memory),
  ]);
  const proseOf = (content: string | null) =>
    content === null ? null : readableContent(JSON.parse(content) as Record<string, unknown> | null);
  const prose = documents.map((row) => ({ ...row, before: proseOf(row.before), after: proseOf(row.after) }));
  return [...prose, ...memories];
}
