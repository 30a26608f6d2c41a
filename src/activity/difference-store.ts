import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { stateJson } from "../memories/row-store.ts";
import type { Difference } from "./describe-change.ts";
import type { Activity } from "./schema.ts";

// What changes did, field by field, from the versions before and after them.

/** The fields whose values are shown. What a text says is not: it may have been deleted for a reason. */
const SHORT = [
  ...["title", "topic", "memory_type", "status", "scope", "project", "due_date", "deferred_until", "folder"],
];

/** Those that follow from others, or say no more than the change itself. */
const IMPLIED = [
  "version",
  "updated_at",
  "touched_at",
  "closed_at",
  "resolved_at",
  "last_confirmed_at",
  "resolution_note",
];

type Row = { id: number; before: string | null; after: string | null; content: number | null };
type Fields = Record<string, unknown>;

/** The entries that are asked about, in SQL: rows of id, record, before and after. */
const askedRows = (entries: readonly Activity[]): SQL => {
  const rows = entries.map(({ id, record_id, version_before, version_after }) => [
    id,
    record_id,
    version_before,
    version_after,
  ]);
  return sql`(SELECT value ->> 0 AS id, value ->> 1 AS record, value ->> 2 AS before, value ->> 3 AS after
    FROM json_each(${JSON.stringify(rows)}))`;
};

const documentState = (of: string) =>
  sql.raw(`json_object('title', ${of}.title, 'tags', json(${of}.tags), 'folder', ${of}.folder_id)`);

/** The statement that reads the states of documents around their changes, and whether the content differs. */
const documentStatement = ({ db, owner }: Ctx, entries: readonly Activity[]) =>
  db.all<Row>(sql`
    SELECT asked.id, ${documentState("b")} AS before,
      CASE WHEN v.version IS NULL THEN ${documentState("d")} ELSE ${documentState("v")} END AS after,
      b.content IS NOT CASE WHEN v.version IS NULL THEN d.content ELSE v.content END AS content
    FROM ${askedRows(entries)} AS asked
      CROSS JOIN document_versions AS b
        ON b.document_id = asked.record AND b.version = asked.before AND b.owner = ${owner}
      LEFT JOIN document_versions AS v
        ON v.document_id = asked.record AND v.version = asked.after AND v.owner = ${owner}
      LEFT JOIN documents AS d ON d.id = asked.record AND d.version = asked.after AND d.owner = ${owner}
    WHERE v.version IS NOT NULL OR d.version IS NOT NULL`);

/** The same for memory records: an event keeps the state before it. */
function memoryStatement({ db, owner }: Ctx, entries: readonly Activity[]) {
  const stateAt = (version: string) =>
    sql`SELECT state FROM memory_events WHERE owner = ${owner} AND memory_id = CAST(asked.record AS INTEGER)
      AND state ->> '$.version' = asked.${sql.raw(version)}`;
  const current = sql`SELECT ${stateJson} FROM memories
    WHERE owner = ${owner} AND id = CAST(asked.record AS INTEGER) AND version = asked.after`;
  return db.all<Row>(sql`
    WITH states AS MATERIALIZED (
      SELECT asked.id, (${stateAt("before")}) AS before, coalesce((${stateAt("after")}), (${current})) AS after
      FROM ${askedRows(entries)} AS asked)
    SELECT id, json_remove(before, '$.content') AS before, json_remove(after, '$.content') AS after,
      (before ->> '$.content') IS NOT (after ->> '$.content') AS content
    FROM states WHERE before IS NOT NULL AND after IS NOT NULL`);
}

const shortOf = (value: unknown) => (value === null || value === undefined ? null : String(value));

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

/** What a list has more and less than before. */
const ofLists = (old: string[], now: string[]) => ({
  added: now.filter((item) => !old.includes(item)),
  removed: old.filter((item) => !now.includes(item)),
});

function ofField(field: string, old: unknown, now: unknown): Difference {
  if (field === "tags") return { field, ...ofLists(listOf(old), listOf(now)) };
  return SHORT.includes(field) ? { field, from: shortOf(old), to: shortOf(now) } : { field };
}

/** The fields in which two states differ. */
function between({ before, after, content }: Row): Difference[] {
  const [old, now] = [JSON.parse(before ?? "{}"), JSON.parse(after ?? "{}")] as [Fields, Fields];
  const names = Object.keys(now).filter(
    (name) => !IMPLIED.includes(name) && JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  );
  return [
    ...names.map((field) => ofField(field, old[field], now[field])),
    ...(content ? [{ field: "content" }] : []),
  ];
}

/** Replaces the ids of folders by their names; the top level is `/`. */
async function withFolderNames(ctx: Ctx, all: Map<number, Difference[]>): Promise<void> {
  const moves = [...all.values()].flat().filter(({ field }) => field === "folder");
  if (moves.length === 0) return;
  const ids = moves.flatMap(({ from, to }) => [from, to]).filter((id) => typeof id === "string");
  const rows = await ctx.db.all<{ id: string; name: string }>(sql`SELECT id, name FROM folders
    WHERE owner = ${ctx.owner} AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const nameOf = (id: string | null | undefined) => (id ? (names.get(id) ?? "a deleted folder") : "/");
  for (const move of moves) Object.assign(move, { from: nameOf(move.from), to: nameOf(move.to) });
}

const hasVersions = ({ kind, verb, version_before, version_after }: Activity) =>
  kind !== "folder" && verb !== "deleted" && version_before !== null && version_before !== version_after;

/** What each change with a new version changed, by its number, as far as both versions are still kept. */
export async function differencesOf(
  ctx: Ctx,
  entries: readonly Activity[],
): Promise<Map<number, Difference[]>> {
  const asked = Object.groupBy(entries.filter(hasVersions), ({ kind }) => kind);
  const { document = [], memory = [] } = asked;
  if (document.length + memory.length === 0) return new Map();
  const [documents, memories] = await ctx.db.batch([
    documentStatement(ctx, document),
    memoryStatement(ctx, memory),
  ]);
  const all = new Map([...documents, ...memories].map((row) => [row.id, between(row)]));
  await withFolderNames(ctx, all);
  return all;
}
