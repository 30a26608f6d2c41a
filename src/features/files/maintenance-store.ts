import { eq, type SQL, sql } from "drizzle-orm";
import { FILE_SCHEME, UNUSED_FILE_DAYS } from "../../contract/file.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { file_looks } from "../../platform/db/tables.ts";
import { fileIdsIn } from "../../shared/files/file-references.ts";
import { deleteUploadBatch, eraseFileBatch } from "./erase-store.ts";
import { isAttached } from "./link-store.ts";
import { attachReferencedFiles } from "./reference-store.ts";
import { daysFromNow } from "./row-store.ts";

// Maintenance of an account's files. `due_at`: for a trashed file, when it is erased; for others, when to check whether
// anything still refers to them; for uploads, when they are abandoned.

export const nextMaintenanceAt = (owner: SQL): SQL =>
  sql`(SELECT min(at) FROM (SELECT min(due_at) AS at FROM files WHERE owner = ${owner}
    UNION ALL SELECT min(due_at) FROM file_uploads WHERE owner = ${owner}))`;

export const ownersDueForMaintenance = ({ now }: BaseCtx): SQL => sql`
  SELECT owner FROM files INDEXED BY files_due_at_idx WHERE due_at <= ${now.toISOString()}
  UNION ALL SELECT owner FROM file_uploads INDEXED BY file_uploads_due_at_idx WHERE due_at <= ${now.toISOString()}`;

const isDue = ({ now }: BaseCtx) => sql`files.due_at <= ${now.toISOString()}`;

/** Attached files are checked again in a month, without scanning texts. */
const postponeAttached = (ctx: Ctx) =>
  ctx.db.run(sql`UPDATE files SET due_at = ${daysFromNow(ctx, UNUSED_FILE_DAYS)}, unused_since = NULL
    WHERE owner = ${ctx.owner} AND ${isDue(ctx)} AND trashed_at IS NULL AND ${isAttached}`);

async function hasUnchecked(ctx: Ctx): Promise<boolean> {
  const found = await ctx.db.all(sql`SELECT 1 FROM files
    WHERE owner = ${ctx.owner} AND ${isDue(ctx)} AND trashed_at IS NULL LIMIT 1`);
  return found.length > 0;
}

// Scans the texts of an account for references to files, a page at a time. An interrupted scan continues where it stopped.

/** A scan also covers files due within a week, so that one file a day does not mean one scan a day. */
const AHEAD_DAYS = 7;

const ROWS_AT_ONCE = 200;
const BYTES_AT_ONCE = 2_000_000;

/** The texts of an account. `key` orders the rows. Versions have no index by owner, so they are found through documents. */
const TEXTS = {
  documents: { key: ["t.id"], text: "t.content", from: "documents AS t WHERE t.owner" },
  document_versions: {
    key: ["t.document_id", "t.version"],
    text: "t.content",
    from: "documents AS p CROSS JOIN document_versions AS t ON t.document_id = p.id WHERE p.owner",
    first: "p.id",
  },
  memories: {
    key: ["t.id"],
    text: "t.content || ' ' || coalesce(t.note, '') || ' ' || coalesce(t.resolution_note, '')",
    from: "memories AS t WHERE t.owner",
  },
  memory_events: {
    key: ["t.memory_id", "t.id"],
    text: "coalesce(t.state, '') || ' ' || coalesce(t.note, '')",
    from: "memory_events AS t WHERE t.owner",
  },
} satisfies Record<string, { key: string[]; text: string; from: string; first?: string }>;
type Table = keyof typeof TEXTS;
const TABLES = Object.keys(TEXTS) as Table[];

type Key = (string | number)[];

const raw = (text: string) => sql.raw(text);

type Text = { text: string | null; key: string };

function isAfter(table: Table, after: Key) {
  const { key, first }: { key: string[]; first?: string } = TEXTS[table];
  if (after.length === 0) return sql`true`;
  const values = sql.join(
    after.map((value) => sql`${value}`),
    sql`, `,
  );
  const from = first ? sql`${raw(first)} >= ${after[0]}` : sql`true`;
  return sql`${from} AND (${raw(key.join(", "))}) > (${values})`;
}

/** The next texts of a table after a key, about 2 MB. Texts without references come as NULL. */
function readTexts(ctx: Ctx, table: Table, after: Key): Promise<Text[]> {
  const { key, text, from } = TEXTS[table];
  const columns = raw(key.join(", "));
  return ctx.db.all<Text>(sql`
    SELECT iif(instr(text, ${FILE_SCHEME}) > 0, text, NULL) AS text, key FROM (
      SELECT text, key, total(octet_length(text)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (
        SELECT ${raw(text)} AS text, json_array(${columns}) AS key
        FROM ${raw(from)} = ${ctx.owner} AND ${isAfter(table, after)}
        ORDER BY ${columns} LIMIT ${raw(String(ROWS_AT_ONCE))}))
    WHERE before < ${BYTES_AT_ONCE}`);
}

/** Referenced files are in use and are checked again in a month. */
const keepStatement = (ctx: Ctx, ids: string[]) =>
  ctx.db.run(sql`UPDATE files SET unused_since = NULL, due_at = ${daysFromNow(ctx, UNUSED_FILE_DAYS)}
    WHERE owner = ${ctx.owner} AND trashed_at IS NULL AND due_at <= ${daysFromNow(ctx, AHEAD_DAYS)}
      AND id IN ${sqlList(ids)}`);

type Scan = typeof file_looks.$inferSelect;

async function readScan(ctx: Ctx): Promise<Scan> {
  const [found] = await ctx.db.select().from(file_looks).where(eq(file_looks.owner, ctx.owner));
  return found ?? { owner: ctx.owner, began_at: ctx.now.toISOString(), place: ["documents"] };
}

/** Where a scan continues: after the last row or in the next table; undefined at the end. */
function nextPlace(table: Table, last: string | undefined): Scan["place"] | undefined {
  if (last !== undefined) return [table, ...(JSON.parse(last) as Key)];
  const next = TABLES[TABLES.indexOf(table) + 1];
  return next && [next];
}

/** Continues or starts a scan. Returns when it started once all texts have been read, undefined before. */
async function scanTextPage(ctx: Ctx): Promise<string | undefined> {
  const scan = await readScan(ctx);
  const [table, ...after] = scan.place as [Table, ...Key];
  const rows = await readTexts(ctx, table, after);
  const references = rows.flatMap(({ text, key }) =>
    fileIdsIn(text ?? "").map((file): [string, string] => [String(JSON.parse(key)[0]), file]),
  );
  const ids = [...new Set(references.map(([, file]) => file))];
  const place = nextPlace(table, rows.at(-1)?.key);
  if (!place) return scan.began_at;
  await ctx.db.batch([
    keepStatement(ctx, ids),
    // For documents from before references became attachments.
    ...(table === "documents" && references.length > 0 ? [attachReferencedFiles(ctx, references)] : []),
    ctx.db
      .insert(file_looks)
      .values({ ...scan, place })
      .onConflictDoUpdate({ target: file_looks.owner, set: { place } }),
  ]);
  return undefined;
}

/** Whether a text changed since the scan started references a file: the scan may have read it before. */
const isReferencedSince = (ctx: Ctx, began: string) => sql`(
  EXISTS (SELECT 1 FROM documents WHERE documents.owner = ${ctx.owner} AND documents.updated_at >= ${began}
    AND instr(documents.content, ${FILE_SCHEME} || files.id) > 0)
  OR EXISTS (SELECT 1 FROM memories WHERE memories.owner = ${ctx.owner} AND memories.updated_at >= ${began}
    AND instr(memories.content || coalesce(memories.note, ''), ${FILE_SCHEME} || files.id) > 0))`;

/** After a scan of all texts: unreferenced files are marked as unused, or erased if they have been unused for long enough. */
async function expireUnreferenced(ctx: Ctx, began: string): Promise<boolean> {
  // Files that became due during the scan may be referenced in texts read before.
  const unreferenced = sql`files.due_at <= ${began} AND trashed_at IS NULL AND NOT ${isAttached}`;
  const cutoff = daysFromNow(ctx, -UNUSED_FILE_DAYS);
  const erased = await eraseFileBatch(
    ctx,
    sql`${unreferenced} AND unused_since <= ${cutoff} AND NOT ${isReferencedSince(ctx, began)}`,
  );
  if (erased > 0) return true;
  await ctx.db.batch([
    ctx.db.run(sql`UPDATE files SET unused_since = coalesce(unused_since, ${began}),
      due_at = strftime('%Y-%m-%dT%H:%M:%fZ', max(coalesce(unused_since, ${began}), ${cutoff}), ${`+${UNUSED_FILE_DAYS} days`}, '+1 hour')
      WHERE owner = ${ctx.owner} AND ${unreferenced}`),
    ctx.db.run(sql`DELETE FROM file_looks WHERE owner = ${ctx.owner}`),
  ]);
  return false;
}

/** One step of deleting abandoned uploads, expired trash and unused files. Returns whether there may be more. */
export async function maintainFilesStep(ctx: Ctx): Promise<boolean> {
  if (await deleteUploadBatch(ctx)) return true;
  if ((await eraseFileBatch(ctx, sql`${isDue(ctx)} AND trashed_at IS NOT NULL`)) > 0) return true;
  await postponeAttached(ctx);
  if (!(await hasUnchecked(ctx))) return false;
  const began = await scanTextPage(ctx);
  return began === undefined || expireUnreferenced(ctx, began);
}
