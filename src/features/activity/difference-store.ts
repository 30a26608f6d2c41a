import { type SQL, sql } from "drizzle-orm";
import type { Activity } from "../../contract/activity.ts";
import { documentProse } from "../../contract/markdown/content-text.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { listOf } from "../../platform/db/list.ts";
import { folderPathSql } from "../documents/folder-path.ts";
import { stateJson } from "../memories/row-store.ts";
import type { Difference } from "./describe-change.ts";
import { DIFFERENCES, differingJson, TEXT, type Versioned } from "./fields.ts";

/** The longest texts of which the lines are compared, both together, in bytes. */
const MAX_TEXTS = 256 * 1024;

type Texts = { id: number; before: string | null; after: string | null };

type Row = { id: number; before: string | null; after: string | null; content: number | null };
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

const documentState = (of: string) => sql`json_object(${differingJson(of)})`;

/** Versions of documents around their changes, in SQL: `b` before, `v` after, or `d` if that is the present one. */
const documentStates = ({ owner }: Ctx, entries: readonly Activity[]): SQL => sql`
    FROM ${requestedRows(entries)} AS asked
      CROSS JOIN document_versions AS b
        ON b.document_id = asked.record AND b.version = asked.before AND b.owner = ${owner}
      LEFT JOIN document_versions AS v
        ON v.document_id = asked.record AND v.version = asked.after AND v.owner = ${owner}
      LEFT JOIN documents AS d ON d.id = asked.record AND d.version = asked.after AND d.owner = ${owner}
    WHERE (v.version IS NOT NULL OR d.version IS NOT NULL)`;

const CONTENT_AFTER = sql.raw("CASE WHEN v.version IS NULL THEN d.content ELSE v.content END");

const documentStatement = (ctx: Ctx, entries: readonly Activity[]) =>
  ctx.db.all<Row>(sql`
    SELECT asked.id, ${documentState("b")} AS before,
      CASE WHEN v.version IS NULL THEN ${documentState("d")} ELSE ${documentState("v")} END AS after,
      b.content IS NOT ${CONTENT_AFTER} AS content ${documentStates(ctx, entries)}`);

function contentsStatement(ctx: Ctx, entries: readonly Activity[]) {
  const size = sql`coalesce(octet_length(b.content), 0) + coalesce(octet_length(${CONTENT_AFTER}), 0)`;
  const shown = (content: SQL) => sql`iif(${size} > ${MAX_TEXTS}, NULL, coalesce(${content}, 'null'))`;
  return ctx.db.all<Texts>(sql`
    SELECT asked.id, ${shown(sql`b.content`)} AS before, ${shown(CONTENT_AFTER)} AS after
    ${documentStates(ctx, entries)} AND b.content IS NOT ${CONTENT_AFTER}`);
}

/** The states of records around their changes, in SQL: an event keeps the state before it. */
function memoryStates({ owner }: Ctx, entries: readonly Activity[]): SQL {
  const stateAt = (version: string) =>
    sql`SELECT state FROM memory_events WHERE owner = ${owner} AND memory_id = CAST(asked.record AS INTEGER)
      AND state ->> '$.version' = asked.${sql.raw(version)}`;
  const current = sql`SELECT ${stateJson} FROM memories
    WHERE owner = ${owner} AND id = CAST(asked.record AS INTEGER) AND version = asked.after`;
  return sql`states AS MATERIALIZED (
      SELECT asked.id, (${stateAt("before")}) AS before, coalesce((${stateAt("after")}), (${current})) AS after
      FROM ${requestedRows(entries)} AS asked)`;
}

const memoryStatement = (ctx: Ctx, entries: readonly Activity[]) =>
  ctx.db.all<Row>(sql`
    WITH ${memoryStates(ctx, entries)}
    SELECT id, json_remove(before, '$.content') AS before, json_remove(after, '$.content') AS after,
      (before ->> '$.content') IS NOT (after ->> '$.content') AS content
    FROM states WHERE before IS NOT NULL AND after IS NOT NULL`);

const memoryContentsStatement = (ctx: Ctx, entries: readonly Activity[]) =>
  ctx.db.all<Texts>(sql`
    WITH ${memoryStates(ctx, entries)}
    SELECT id, before ->> '$.content' AS before, after ->> '$.content' AS after
    FROM states WHERE (before ->> '$.content') <> (after ->> '$.content')`);

const shortOf = (value: unknown) => (value === null || value === undefined ? null : String(value));

const textsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

const ofLists = (old: string[], now: string[]) => ({
  added: now.filter((item) => !old.includes(item)),
  removed: old.filter((item) => !now.includes(item)),
});

function ofField(kind: Versioned, field: string, old: unknown, now: unknown): Difference {
  const told = DIFFERENCES[kind].get(field);
  if (told === "items") return { field, ...ofLists(textsIn(old), textsIn(now)) };
  return told === "values" ? { field, from: shortOf(old), to: shortOf(now) } : { field };
}

const isSame = (old: unknown, now: unknown) => JSON.stringify(old ?? null) === JSON.stringify(now ?? null);

/** The fields in which two states differ. A field that an older state does not have was empty. */
function between(kind: Versioned, { before, after, content }: Row): Difference[] {
  const [old, now] = [JSON.parse(before ?? "{}"), JSON.parse(after ?? "{}")] as [Fields, Fields];
  const names = Object.keys(now).filter(
    (name) => DIFFERENCES[kind].has(name) && !isSame(old[name], now[name]),
  );
  return [
    ...names.map((field) => ofField(kind, field, old[field], now[field])),
    ...(content ? [{ field: TEXT }] : []),
  ];
}

async function withFolderPaths(ctx: Ctx, all: Map<number, Difference[]>): Promise<void> {
  const moves = [...all.values()].flat().filter(({ field }) => field === "folder");
  if (moves.length === 0) return;
  const ids = moves.flatMap(({ from, to }) => [from, to]).filter((id) => typeof id === "string");
  const rows = await ctx.db.all<{ id: string; path: string | null }>(sql`
    SELECT d.folder_id AS id, ${sql.raw(folderPathSql("d"))} AS path
    FROM (SELECT DISTINCT value AS folder_id, ${ctx.owner} AS owner FROM json_each(${JSON.stringify(ids)})) AS d`);
  const paths = new Map(rows.map(({ id, path }) => [id, path]));
  const pathOf = (id: string | null | undefined) => (id ? (paths.get(id) ?? "a deleted folder") : "/");
  for (const move of moves) Object.assign(move, { from: pathOf(move.from), to: pathOf(move.to) });
}

async function folderDifferences(ctx: Ctx, entries: readonly Activity[]): Promise<Map<number, Difference[]>> {
  const renamed = entries.filter(({ kind, verb }) => kind === "folder" && verb === "changed");
  if (renamed.length === 0) return new Map();
  const ids = listOf(renamed.map(({ id }) => id));
  const rows = await ctx.db.all<{ id: number; name: string | null }>(sql`
    SELECT number AS id, state ->> '$.name' AS name FROM activity
    WHERE owner = ${ctx.owner} AND number IN ${ids} AND state IS NOT NULL`);
  const before = new Map(rows.map(({ id, name }) => [id, name]));
  return new Map(
    renamed
      .filter(({ id }) => before.has(id))
      .map(({ id, title }) => [id, [{ field: "name", from: before.get(id) ?? null, to: title }]]),
  );
}

const hasVersions = ({ kind, verb, version_before, version_after }: Activity) =>
  kind !== "folder" && verb !== "deleted" && version_before !== null && version_before !== version_after;

/** What each change with a new version changed, by its number, as far as both versions are still kept. */
export async function differencesOf(
  ctx: Ctx,
  entries: readonly Activity[],
): Promise<Map<number, Difference[]>> {
  const requested = Object.groupBy(entries.filter(hasVersions), ({ kind }) => kind);
  const { document = [], memory = [] } = requested;
  const folders = await folderDifferences(ctx, entries);
  if (document.length + memory.length === 0) return folders;
  const [documents, memories] = await ctx.db.batch([
    documentStatement(ctx, document),
    memoryStatement(ctx, memory),
  ]);
  const all = new Map([
    ...documents.map((row) => [row.id, between("document", row)] as const),
    ...memories.map((row) => [row.id, between("memory", row)] as const),
  ]);
  for (const [id, differences] of folders) all.set(id, differences);
  await withFolderPaths(ctx, all);
  return all;
}

/** The texts before and after each change of a text, as far as both versions are still kept. */
export async function textsOf(ctx: Ctx, entries: readonly Activity[]): Promise<Texts[]> {
  const requested = Object.groupBy(entries.filter(hasVersions), ({ kind }) => kind);
  const { document = [], memory = [] } = requested;
  if (document.length + memory.length === 0) return [];
  const [documents, memories] = await ctx.db.batch([
    contentsStatement(ctx, document),
    memoryContentsStatement(ctx, memory),
  ]);
  const proseOf = (content: string | null) =>
    content === null ? null : documentProse(JSON.parse(content) as Record<string, unknown> | null);
  const prose = documents.map(({ id, before, after }) => ({
    id,
    before: proseOf(before),
    after: proseOf(after),
  }));
  return [...prose, ...memories];
}
