import { sql } from "drizzle-orm";
import { sqlList } from "../../platform/db/sql-list.ts";
import type { RecordLine } from "../export/format.ts";
import {
  type ImportBatch,
  importTarget,
  type KnownFiles,
  type LineOfType,
  memoryNumber,
  reportNotStored,
} from "./step-store.ts";

// Files of an export file. Their bytes are uploaded beforehand; equal bytes are the same file, whatever the id was.

type FileLine = LineOfType<"file">;
type AttachmentLine = LineOfType<"attachment">;

/** The document or record in this account that a line attaches its file to. */
const targetHolder = (step: ImportBatch, { document_id, memory_id }: AttachmentLine) =>
  document_id === null
    ? { document_id: null, memory_id: memoryNumber(step, memory_id ?? 0) }
    : { document_id: importTarget(step, "document", document_id).id, memory_id: null };

type Holder = ReturnType<typeof targetHolder>;

const attachmentKey = (file: string, holder: Holder) => `${file} ${holder.document_id ?? holder.memory_id}`;

const isFileLine = (line: RecordLine): line is FileLine | AttachmentLine =>
  line.type === "file" || line.type === "attachment";

/** The files of the lines that exist in this account, and their attachments. Reads nothing if no line is about files. */
export async function readKnownFiles(step: ImportBatch, records: readonly RecordLine[]): Promise<KnownFiles> {
  const { ctx } = step;
  const lines = records.filter(isFileLine);
  if (lines.length === 0) return { ids: new Map(), attached: new Map() };
  const named = new Set(lines.map(({ sha256 }) => sha256));
  const holders = lines.flatMap((line) => (line.type === "attachment" ? [targetHolder(step, line)] : []));
  const [files, links] = await ctx.db.batch([
    ctx.db.all<{ id: string; sha256: string }>(sql`SELECT id, sha256 FROM files
      WHERE owner = ${ctx.owner} AND sha256 IN ${sqlList(named)}`),
    ctx.db.all<{ pair: string; created_at: string }>(sql`
      SELECT file_id || ' ' || document_id AS pair, created_at FROM document_files WHERE owner = ${ctx.owner}
        AND document_id IN ${sqlList(holders.flatMap((one) => one.document_id ?? []))}
      UNION ALL SELECT file_id || ' ' || memory_id, created_at FROM memory_files WHERE owner = ${ctx.owner}
        AND memory_id IN ${sqlList(holders.flatMap((one) => one.memory_id ?? []))}`),
  ]);
  return {
    ids: new Map(files.map(({ id, sha256 }) => [sha256, id])),
    attached: new Map(links.map(({ pair, created_at }) => [pair, created_at])),
  };
}

const MISSING =
  "Its content is missing: upload the file with POST /api/files, or import the zip that contains it, then repeat this import";

/** Completes missing details of an existing file. In a dry run, missing files count as created, because they would be uploaded first. */
export function applyFile(step: ImportBatch, line: FileLine): void {
  const { ctx, state, files } = step;
  const id = files.ids.get(line.sha256);
  if (id !== undefined) {
    state.counts.file.skipped++;
    const { alt, width, height } = line;
    const completed =
      ctx.db.run(sql`UPDATE files SET alt = coalesce(alt, ${alt}), width = coalesce(width, ${width}),
      height = coalesce(height, ${height}) WHERE id = ${id} AND owner = ${ctx.owner} AND (alt IS NULL OR width IS NULL)`);
    if (alt !== null || width !== null || height !== null) step.statements.push([completed]);
  } else if (step.isDry) state.counts.file.created++;
  else reportNotStored(step, { type: "file", id: line.id, title: line.name, detail: MISSING });
}

/** Whether the document or record exists. In a dry run it would, but nothing has been created. */
const holderExists = (step: ImportBatch, { document_id, memory_id }: Holder) =>
  step.isDry ||
  (document_id ? step.existing.document.has(document_id) : step.existing.memory.has(memory_id ?? 0));

/** Both exist, and it is not attached yet, or only since a later time, by the import of a text that links to it. */
function shouldAttach(step: ImportBatch, id: string | undefined, holder: Holder, attachedAt: string) {
  if (id === undefined) return step.isDry;
  const since = step.files.attached.get(attachmentKey(id, holder));
  return (since === undefined || since > attachedAt) && holderExists(step, holder);
}

export function applyAttachment(step: ImportBatch, line: AttachmentLine): void {
  const { ctx, files } = step;
  const counts = step.state.counts.attachment;
  const id = files.ids.get(line.sha256);
  const holder = targetHolder(step, line);
  if (!shouldAttach(step, id, holder, line.created_at)) {
    counts.skipped++;
    return;
  }
  counts.created++;
  if (step.mode === "copy") counts.remapped++;
  if (id === undefined) return;
  files.attached.set(attachmentKey(id, holder), line.created_at);
  const { document_id, memory_id } = holder;
  const isThere = sql`owner = ${ctx.owner}`;
  const attached =
    document_id === null
      ? sql`INSERT INTO memory_files (owner, memory_id, file_id, created_at)
          SELECT owner, id, ${id}, ${line.created_at} FROM memories WHERE id = ${memory_id} AND ${isThere}`
      : sql`INSERT INTO document_files (owner, document_id, file_id, created_at)
          SELECT owner, id, ${id}, ${line.created_at} FROM documents WHERE id = ${document_id} AND ${isThere}`;
  step.statements.push([
    ctx.db.run(sql`${attached} ON CONFLICT DO UPDATE SET created_at = excluded.created_at`),
  ]);
}
