import { sql } from "drizzle-orm";
import type { Activity, RecordState } from "../../contract/activity.ts";
import type { RecordKind } from "../../contract/activity-words.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { folderPathSql } from "../documents/folder-path.ts";
import { conflictColumns, conflictColumnsInState } from "./compared-fields.ts";

type Change = Pick<Activity, "kind" | "record_id" | "version_before" | "version_after" | "verb"> & {
  state: string | null;
};

/** Whether the version before a change is still kept, or not needed to undo it. */
export const keptVersionStatement = (ctx: Ctx, change: Change) => {
  const { kind, record_id, version_before, version_after, verb } = change;
  const { owner } = ctx;
  const document = sql`EXISTS (SELECT 1 FROM document_versions
    WHERE document_id = ${record_id} AND owner = ${owner} AND version = ${version_before})`;
  const memory = sql`EXISTS (SELECT 1 FROM memory_events
    WHERE owner = ${owner} AND memory_id = ${Number(record_id) || 0} AND state ->> '$.version' = ${version_before})`;
  // Deleting a document with its folder creates a version: the previous one has the folder.
  const isMoved = kind === "document" && verb === "deleted" && version_before !== version_after;
  const needsNone = !isMoved && (kind === "folder" || ["created", "deleted", "restored"].includes(verb));
  const condition = kind === "document" ? document : memory;
  return ctx.db.all<{ kept: number }>(sql`SELECT ${needsNone ? sql`1` : condition} AS kept`);
};

type Json = { json: string | null };

const DOCUMENT = sql`'version', version, 'title', title, ${conflictColumns("document")}`;
const MEMORY = sql`'version', version, 'title', topic, ${conflictColumns("memory")}`;

const FOLDER = sql`'presence', 'present', 'version', NULL, 'title', name, 'parent_id', parent_id`;

const PRESENCE = sql`iif(trashed_at IS NULL, 'present', 'trashed')`;

function statements(ctx: Ctx, { kind, record_id, version_before }: Change) {
  const { owner } = ctx;
  const owned = sql`id = ${record_id} AND owner = ${owner}`;
  if (kind === "document") {
    return [
      sql`SELECT json_object('presence', ${PRESENCE}, ${DOCUMENT}) AS json FROM documents WHERE ${owned}`,
      sql`SELECT json_object('presence', 'present', ${DOCUMENT}) AS json FROM document_versions
        WHERE document_id = ${record_id} AND owner = ${owner} AND version = ${version_before}`,
    ] as const;
  }
  if (kind === "memory") {
    const number = Number(record_id) || 0;
    return [
      sql`SELECT json_object('presence', ${PRESENCE}, ${MEMORY}) AS json FROM memories
        WHERE id = ${number} AND owner = ${owner}`,
      sql`SELECT json_object('presence', 'present', 'version', ${version_before}, 'title', state -> '$.topic',
          ${conflictColumnsInState}) AS json
        FROM memory_events
        WHERE owner = ${owner} AND memory_id = ${number} AND state ->> '$.version' = ${version_before}`,
    ] as const;
  }
  return [
    sql`SELECT json_object(${FOLDER}) AS json FROM folders WHERE ${owned}`,
    sql`SELECT NULL AS json WHERE false`,
  ] as const;
}

function folderBefore({ state }: Change): RecordState | undefined {
  if (state === null) return undefined;
  const { name, parent_id } = JSON.parse(state) as { name: string; parent_id: string | null };
  return { version: null, presence: "present", title: name, parent_id };
}

export const GONE_STATE: RecordState = { version: null, presence: "gone", title: null };

const parsed = (row: Json | undefined) => (row?.json ? (JSON.parse(row.json) as RecordState) : undefined);

/** A record's current state and the one before a change; `previous` is undefined if it is no longer kept. */
export async function readConflictStates(
  ctx: Ctx,
  change: Change,
): Promise<{ current: RecordState; previous: RecordState | undefined }> {
  const [now, before] = statements(ctx, change);
  const [[current], [previous]] = await ctx.db.batch([ctx.db.all<Json>(now), ctx.db.all<Json>(before)]);
  return {
    current: parsed(current) ?? GONE_STATE,
    previous: change.kind === "folder" ? folderBefore(change) : parsed(previous),
  };
}

type RecordId = Pick<Activity, "kind" | "record_id">;
type StateRow = { kind: RecordKind; id: string; json: string };

const ids = (records: readonly RecordId[], kind: RecordKind) =>
  sqlList(records.filter((record) => record.kind === kind).map(({ record_id }) => record_id));

export type CurrentState = RecordState & { folder_path?: string | null };

const PATH = sql.raw(`'folder_path', ${folderPathSql("documents")}`);

/** The current states of records, by `<kind> <id>`. Erased records are missing. */
export async function currentStates(
  ctx: Ctx,
  records: readonly RecordId[],
): Promise<Map<string, CurrentState>> {
  const { owner } = ctx;
  const rows = await ctx.db.all<StateRow>(sql`
    SELECT 'document' AS kind, id, json_object('presence', ${PRESENCE}, ${DOCUMENT}, ${PATH}) AS json
    FROM documents WHERE owner = ${owner} AND id IN ${ids(records, "document")}
    UNION ALL
    SELECT 'memory', CAST(id AS TEXT), json_object('presence', ${PRESENCE}, ${MEMORY})
    FROM memories WHERE owner = ${owner} AND id IN (SELECT CAST(value AS INTEGER) FROM ${ids(records, "memory")})
    UNION ALL
    SELECT 'folder', id, json_object(${FOLDER}) FROM folders
    WHERE owner = ${owner} AND id IN ${ids(records, "folder")}`);
  return new Map(rows.map(({ kind, id, json }) => [`${kind} ${id}`, JSON.parse(json) as CurrentState]));
}
