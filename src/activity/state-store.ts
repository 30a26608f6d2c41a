import { sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import type { Activity, RecordState } from "./schema.ts";

// What a record is, and what it was before a change.

type Change = Pick<Activity, "kind" | "record_id" | "version_before" | "verb"> & { state: string | null };

/** Whether the version before a change is still there, or none is needed. */
export const keptVersionStatement = (ctx: Ctx, { kind, record_id, version_before, verb }: Change) => {
  const { owner } = ctx;
  const document = sql`EXISTS (SELECT 1 FROM document_versions
    WHERE document_id = ${record_id} AND owner = ${owner} AND version = ${version_before})`;
  const memory = sql`EXISTS (SELECT 1 FROM memory_events
    WHERE owner = ${owner} AND memory_id = ${Number(record_id) || 0} AND state ->> '$.version' = ${version_before})`;
  const needsNone = kind === "folder" || verb === "created" || verb === "deleted" || verb === "restored";
  const condition = kind === "document" ? document : memory;
  return ctx.db.all<{ kept: number }>(sql`SELECT ${needsNone ? sql`1` : condition} AS kept`);
};

type Json = { json: string | null };

const DOCUMENT = sql`'version', version, 'title', title, 'tags', json(tags), 'folder_id', folder_id`;
const MEMORY = sql`'version', version, 'title', topic, 'tags', json(tags), 'content', content, 'status', status,
  'due_date', due_date, 'deferred_until', deferred_until, 'project', project, 'scope', scope`;

/** The statements that read the record as it is, and as it was before the change. */
function statements(ctx: Ctx, { kind, record_id, version_before }: Change) {
  const { owner } = ctx;
  const mine = sql`id = ${record_id} AND owner = ${owner}`;
  if (kind === "document") {
    const present = sql`iif(trashed_at IS NULL, 'present', 'trashed')`;
    return [
      sql`SELECT json_object('presence', ${present}, ${DOCUMENT}) AS json FROM documents WHERE ${mine}`,
      sql`SELECT json_object('presence', 'present', ${DOCUMENT}) AS json FROM document_versions
        WHERE document_id = ${record_id} AND owner = ${owner} AND version = ${version_before}`,
    ] as const;
  }
  if (kind === "memory") {
    const number = Number(record_id) || 0;
    return [
      sql`SELECT json_object('presence', 'present', ${MEMORY}) AS json FROM memories
        WHERE id = ${number} AND owner = ${owner}`,
      sql`SELECT json_object('presence', 'present', 'version', ${version_before}, 'title', state -> '$.topic',
          ${sql.join(
            ["tags", "content", "status", "due_date", "deferred_until", "project", "scope"].map(
              (name) => sql`${sql.raw(`'${name}', state -> '$.${name}'`)}`,
            ),
            sql`, `,
          )}) AS json
        FROM memory_events
        WHERE owner = ${owner} AND memory_id = ${number} AND state ->> '$.version' = ${version_before}`,
    ] as const;
  }
  const folder = sql`'presence', 'present', 'version', NULL, 'title', name, 'parent_id', parent_id`;
  return [
    sql`SELECT json_object(${folder}) AS json FROM folders WHERE ${mine}`,
    sql`SELECT NULL AS json WHERE false`,
  ] as const;
}

function folderBefore({ state }: Change): RecordState | undefined {
  if (state === null) return undefined;
  const { name, parent_id } = JSON.parse(state) as { name: string; parent_id: string | null };
  return { version: null, presence: "present", title: name, parent_id };
}

const GONE: RecordState = { version: null, presence: "gone", title: null };

const parsed = (row: Json | undefined) => (row?.json ? (JSON.parse(row.json) as RecordState) : undefined);

/** A changed record as it is, and as it was before the change, if that is still known. */
export async function statesOf(
  ctx: Ctx,
  change: Change,
): Promise<{ current: RecordState; previous: RecordState | undefined }> {
  const [now, before] = statements(ctx, change);
  const [[current], [previous]] = await ctx.db.batch([ctx.db.all<Json>(now), ctx.db.all<Json>(before)]);
  return {
    current: parsed(current) ?? GONE,
    previous: change.kind === "folder" ? folderBefore(change) : parsed(previous),
  };
}
