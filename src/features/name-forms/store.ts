import { sql } from "drizzle-orm";
import { toNfc } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { firstIdsWithin } from "../../platform/db/delete-in-steps.ts";
import type { NameKind } from "../../platform/db/name-sql.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { NOT_TRASHED } from "../memories/row-store.ts";

// Tags and projects that an earlier release stored in NFD. The Unicode form does not change the meaning or the search entries, so
// documents and records keep their versions and times, and no change is recorded. Trashed ones are converted after they are
// restored, because their names are then added to `spellings` again.

type StoredName = { kind: NameKind; name: string };

/** The tags and projects of an account that are not in NFC. Reads all non-ASCII names. */
export async function decomposedNames({ db, owner }: Ctx): Promise<StoredName[]> {
  const rows = await db.all<StoredName>(sql`SELECT kind, name FROM spellings
    WHERE owner = ${owner} AND length(name) <> octet_length(name)`);
  return rows.filter(({ name }) => name !== toNfc(name));
}

/** Limits of a step: documents or records, and bytes of content unless a single document has more. */
const WRITTEN_AT_ONCE = 50;
const WRITTEN_BYTES = 2 * 1024 * 1024;

const namesJson = (names: readonly StoredName[], kind: NameKind) =>
  JSON.stringify(names.flatMap((one) => (one.kind === kind ? one.name : [])));

const composedTags = (tags: string) =>
  JSON.stringify([...new Set((JSON.parse(tags) as string[]).map(toNfc))]);

/** Converts the tags of some documents that have one of these names. Returns whether there may be more. */
async function composeDocuments({ db, owner }: Ctx, names: readonly StoredName[]): Promise<boolean> {
  const affected = sql`SELECT DISTINCT ${sql.raw("documents.id")}, coalesce(octet_length(content), 0) AS bytes
    FROM json_each(${namesJson(names, "tag")}) AS w CROSS JOIN document_tags AS t ON t.owner = ${owner} AND t.tag = w.value
      CROSS JOIN documents ON documents.id = t.document_id LIMIT ${WRITTEN_AT_ONCE}`;
  const rows = await db.all<{ id: string; tags: string }>(
    sql`SELECT id, tags FROM documents WHERE id IN (${firstIdsWithin(affected, WRITTEN_BYTES)})`,
  );
  if (rows.length === 0) return false;
  const ids = sqlList(rows.map(({ id }) => id));
  const changes = JSON.stringify(rows.map(({ id, tags }) => [id, tags, composedTags(tags)]));
  // A document whose tags changed meanwhile is not updated, but read again in the next step.
  await db.batch([
    db.run(sql`UPDATE documents SET tags = w.value ->> 2 FROM json_each(${changes}) AS w
      WHERE documents.id = w.value ->> 0 AND documents.tags = w.value ->> 1 AND +documents.owner = ${owner}`),
    db.run(sql`DELETE FROM document_tags WHERE document_id IN ${ids} AND owner = ${owner} AND tag NOT IN (
      SELECT value FROM documents AS d CROSS JOIN json_each(d.tags) WHERE d.id = document_tags.document_id)`),
    db.run(sql`INSERT INTO document_tags (owner, tag, document_id)
      SELECT DISTINCT d.owner, value, d.id FROM documents AS d CROSS JOIN json_each(d.tags)
      WHERE d.id IN ${ids} AND d.owner = ${owner} AND d.trashed_at IS NULL ON CONFLICT DO NOTHING`),
  ]);
  return true;
}

type Row = { id: number; tags: string; project: string | null };

/** The same for the tags and projects of records. Triggers update the rest. */
async function composeRecords({ db, owner }: Ctx, names: readonly StoredName[]): Promise<boolean> {
  const inProject = (
    index: string,
    state: string,
  ) => sql`SELECT memories.id FROM json_each(${namesJson(names, "project")}) AS w
    CROSS JOIN memories INDEXED BY ${sql.raw(index)}
    WHERE owner = ${owner} AND project = w.value AND ${sql.raw(state)} AND ${NOT_TRASHED}`;
  const rows = await db.all<Row>(sql`SELECT id, tags, project FROM memories WHERE owner = ${owner} AND id IN (
    SELECT memory_id FROM json_each(${namesJson(names, "tag")}) AS w
      CROSS JOIN memory_tags AS t ON t.owner = ${owner} AND t.tag = w.value
    UNION ${inProject("memories_active_project_idx", "status = 'active'")}
    UNION ${inProject("memories_closed_project_idx", "closed_at IS NOT NULL")} LIMIT ${WRITTEN_AT_ONCE})`);
  const changes = rows
    .map(({ id, tags, project }) => [id, tags, project, composedTags(tags), project && toNfc(project)])
    .filter(([, tags, project, ...next]) => tags !== next[0] || project !== next[1]);
  if (changes.length === 0) return false;
  await db.run(sql`UPDATE memories SET tags = w.value ->> 3, project = w.value ->> 4
    FROM json_each(${JSON.stringify(changes)}) AS w WHERE memories.owner = ${owner} AND memories.id = w.value ->> 0
      AND memories.tags = w.value ->> 1 AND memories.project IS w.value ->> 2`);
  return true;
}

/** Converts these names in some documents or records. Returns whether there may be more. */
export const composeNextNames = async (ctx: Ctx, names: readonly StoredName[]): Promise<boolean> =>
  (await composeDocuments(ctx, names)) || composeRecords(ctx, names);
