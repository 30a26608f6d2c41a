import { getTableColumns, sql, type Table } from "drizzle-orm";
import type { z } from "zod";
import { DocumentExportLine, DocumentVersionExportLine } from "../../contract/document.ts";
import { DOCUMENT_FIELDS } from "../../contract/document-fields.ts";
import { EXPORT_FORMAT, EXPORT_VERSION } from "../../contract/export-format.ts";
import { FolderExportLine } from "../../contract/folder.ts";
import { MemoryExportLine } from "../../contract/memory.ts";
import { MemoryEventExportLine } from "../../contract/memory-event.ts";
import { MEMORY_FIELDS } from "../../contract/memory-fields.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { document_versions, documents, folders, memories, memory_events } from "../../platform/db/tables.ts";
import { ROW_BYTES, rowBytes } from "../billing/sizes.ts";
import { type KeptFinding, parseFindingKey } from "../tidy/kept-store.ts";
import { fileLines } from "./file-lines-store.ts";
import { closingLines, exportTally, lineBytes, type SectionName, type TypedLine } from "./format.ts";
import { GROUP_BYTES, readGroups, readPages } from "./pages.ts";
import { parentsFirst } from "./parents-first.ts";

const PAGE = 1000;
const FOLDERS_AT_ONCE = 5000;

type Row = Record<string, unknown>;
type Measured<Id> = { id: Id; bytes: number };

/** The columns of a line, and a function that writes a row as a line. JSON columns are copied without parsing. */
function lineWriter(type: SectionName, { shape }: z.ZodObject, table: Table) {
  const columns = getTableColumns(table);
  const names = Object.keys(shape).filter((name) => name !== "type");
  const textOf = (row: Row, name: string) => {
    const value = row[name] ?? null;
    const { dataType } = columns[name] ?? {};
    if (dataType === "json") return value ?? "null";
    return JSON.stringify(dataType === "boolean" && value !== null ? value === 1 : value);
  };
  return {
    columns: sql.join(
      names.map((name) => sql`${columns[name]}`),
      sql`, `,
    ),
    line: (row: Row): TypedLine => {
      const fields = names.map((name) => `"${name}":${textOf(row, name)}`);
      return { type, line: `{"type":"${type}",${fields.join()}}` };
    },
  };
}

const FOLDER = lineWriter("folder", FolderExportLine, folders);
const DOCUMENT = lineWriter("document", DocumentExportLine, documents);
const VERSION = lineWriter("document_version", DocumentVersionExportLine, document_versions);
const MEMORY = lineWriter("memory", MemoryExportLine, memories);
const EVENT = lineWriter("memory_event", MemoryEventExportLine, memory_events);

async function* settingsLines(ctx: Ctx): AsyncGenerator<TypedLine> {
  const { name, timezone, stale_after_days } = await ctx.user();
  const { commitment, blocker } = stale_after_days;
  const settings = { type: "settings", name, timezone, stale_after_days: { commitment, blocker } };
  yield { type: "settings", line: JSON.stringify(settings) };
}

type Folder = Row & { id: string; name: string; parent_id: string | null };

/** Folders ordered by id, so that each existing folder is read exactly once despite concurrent changes. */
export async function* foldersById(ctx: Ctx): AsyncGenerator<Folder> {
  const read = (last?: Folder) =>
    ctx.db.all<Folder>(sql`SELECT ${FOLDER.columns} FROM folders
      WHERE owner = ${ctx.owner} AND id > ${last?.id ?? ""} ORDER BY id LIMIT ${FOLDERS_AT_ONCE}`);
  for await (const rows of readPages(FOLDERS_AT_ONCE, read)) yield* rows;
}

async function* folderLines(ctx: Ctx): AsyncGenerator<TypedLine> {
  for await (const row of parentsFirst(foldersById(ctx))) yield FOLDER.line(row);
}

const documentBytesSql = rowBytes(DOCUMENT_FIELDS);
const recordBytesSql = rowBytes(MEMORY_FIELDS);

async function* documentGroups(ctx: Ctx): AsyncGenerator<Measured<string>[]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: Measured<string>[] = await ctx.db.all<Measured<string>>(sql`
      SELECT id, ${documentBytesSql} + coalesce(
        (SELECT sum(${documentBytesSql}) FROM document_versions WHERE document_id = d.id), 0) AS bytes
      FROM documents AS d WHERE owner = ${ctx.owner} AND id > ${after} ORDER BY id LIMIT ${PAGE}`);
    yield* groupBySize(rows, ({ bytes }) => bytes, GROUP_BYTES);
    after = rows.at(-1)?.id;
  }
}

const readDocuments = (ctx: Ctx, ids: string[]) =>
  ctx.db.all<Row>(sql`SELECT ${DOCUMENT.columns} FROM documents
    WHERE owner = ${ctx.owner} AND id IN ${sqlList(ids)} ORDER BY id`);

/** Documents and their versions, read in one transaction. */
async function* groupLines(ctx: Ctx, ids: string[]): AsyncGenerator<TypedLine> {
  const [found, versions] = await ctx.db.batch([
    readDocuments(ctx, ids),
    ctx.db.all<Row>(sql`SELECT ${VERSION.columns} FROM document_versions
      WHERE owner = ${ctx.owner} AND document_id IN ${sqlList(ids)} ORDER BY document_id, version`),
  ]);
  const byDocument = Map.groupBy(versions, ({ document_id }) => document_id);
  for (const document of found) {
    yield DOCUMENT.line(document);
    for (const version of byDocument.get(document.id) ?? []) yield VERSION.line(version);
  }
}

/** A document whose versions do not fit into memory together. */
async function* largeDocumentLines(ctx: Ctx, id: string): AsyncGenerator<TypedLine> {
  const [document] = await readDocuments(ctx, [id]);
  if (!document) return;
  yield DOCUMENT.line(document);
  let after = 0;
  for (;;) {
    const [version] = await ctx.db.all<Row>(sql`SELECT ${VERSION.columns} FROM document_versions
      WHERE document_id = ${document.id} AND owner = ${ctx.owner}
        AND version > ${after} AND version < ${document.version} ORDER BY version LIMIT 1`);
    if (!version) return;
    yield VERSION.line(version);
    after = Number(version.version);
  }
}

async function* documentLines(ctx: Ctx): AsyncGenerator<TypedLine> {
  for await (const group of documentGroups(ctx)) {
    const [first] = group;
    const isLarge = first && first.bytes > GROUP_BYTES;
    const ids = group.map(({ id }) => id);
    yield* isLarge ? largeDocumentLines(ctx, first.id) : groupLines(ctx, ids);
  }
}

const eventBytesSql = sql`${ROW_BYTES} + coalesce(octet_length(note), 0) + coalesce(octet_length(state), 0)`;

const recordGroups = (ctx: Ctx) =>
  readGroups<Measured<number>>((last, limit) =>
    ctx.db.all(sql`SELECT id, ${recordBytesSql} + coalesce(
        (SELECT sum(${eventBytesSql}) FROM memory_events WHERE owner = ${ctx.owner} AND memory_id = m.id), 0) AS bytes
      FROM memories AS m WHERE owner = ${ctx.owner} AND id > ${last?.id ?? 0} ORDER BY id LIMIT ${limit}`),
  );

const between = ([first, last]: [number, number]) => sql`BETWEEN ${first} AND ${last}`;

const readRecords = (ctx: Ctx, range: [number, number]) =>
  ctx.db.all<Row>(sql`SELECT ${MEMORY.columns} FROM memories
    WHERE owner = ${ctx.owner} AND id ${between(range)} ORDER BY id`);

async function* recordGroupLines(ctx: Ctx, range: [number, number]): AsyncGenerator<TypedLine> {
  const [records, events] = await ctx.db.batch([
    readRecords(ctx, range),
    ctx.db.all<Row>(sql`SELECT ${EVENT.columns} FROM memory_events
      WHERE owner = ${ctx.owner} AND memory_id ${between(range)} ORDER BY memory_id, id`),
  ]);
  const byRecord = Map.groupBy(events, ({ memory_id }) => memory_id);
  for (const record of records) {
    yield MEMORY.line(record);
    for (const event of byRecord.get(record.id) ?? []) yield EVENT.line(event);
  }
}

/** The sizes of a record's events up to `newest`. */
const eventGroups = (ctx: Ctx, id: number, newest: number) =>
  readGroups<Measured<number>>((last, limit) =>
    ctx.db.all(sql`SELECT id, ${eventBytesSql} AS bytes FROM memory_events
      WHERE owner = ${ctx.owner} AND memory_id = ${id} AND id > ${last?.id ?? 0} AND id <= ${newest}
      ORDER BY id LIMIT ${limit}`),
  );

/** A record whose events do not fit into memory together. */
async function* largeRecordLines(ctx: Ctx, id: number): AsyncGenerator<TypedLine> {
  const [[record], [newest]] = await ctx.db.batch([
    readRecords(ctx, [id, id]),
    ctx.db.all<{ last: number | null }>(
      sql`SELECT max(id) AS last FROM memory_events WHERE owner = ${ctx.owner} AND memory_id = ${id}`,
    ),
  ]);
  if (!record) return;
  yield MEMORY.line(record);
  for await (const group of eventGroups(ctx, id, newest?.last ?? 0)) {
    const events = await ctx.db.all<Row>(sql`SELECT ${EVENT.columns} FROM memory_events
      WHERE owner = ${ctx.owner} AND memory_id = ${id} AND id ${between(idRange(group))} ORDER BY id`);
    for (const event of events) yield EVENT.line(event);
  }
}

const idRange = (group: Measured<number>[]): [number, number] => [group[0]?.id ?? 0, group.at(-1)?.id ?? 0];

async function* memoryLines(ctx: Ctx): AsyncGenerator<TypedLine> {
  for await (const group of recordGroups(ctx)) {
    const [first] = group;
    const isLarge = first && first.bytes > GROUP_BYTES;
    yield* isLarge ? largeRecordLines(ctx, first.id) : recordGroupLines(ctx, idRange(group));
  }
}

async function* keptFindingLines(ctx: Ctx): AsyncGenerator<TypedLine> {
  const read = (last?: KeptFinding) =>
    ctx.db.all<KeptFinding>(sql`SELECT kind, key, detail, kept_at FROM tidy_kept
      WHERE owner = ${ctx.owner} AND (kind, key) > (${last?.kind ?? ""}, ${last?.key ?? ""})
      ORDER BY kind, key LIMIT ${PAGE}`);
  for await (const rows of readPages(PAGE, read))
    for (const { key, ...row } of rows) {
      const line = { type: "tidy_kept", ...row, items: parseFindingKey(key) };
      yield { type: "tidy_kept", line: JSON.stringify(line) };
    }
}

/** Everything the caller owns, line by line. Concurrent changes may or may not be included; each record is included once. */
export async function* exportLines(ctx: Ctx): AsyncGenerator<Uint8Array> {
  const written = exportTally();
  const header = { type: "header", format: EXPORT_FORMAT, schema_version: EXPORT_VERSION };
  const first = lineBytes(JSON.stringify({ ...header, exported_at: ctx.now.toISOString() }));
  written.add("header", first);
  yield first;
  for (const lines of [settingsLines, folderLines, documentLines, memoryLines, fileLines, keptFindingLines]) {
    for await (const { type, line } of lines(ctx)) {
      const bytes = lineBytes(line);
      written.add(type, bytes);
      yield bytes;
    }
  }
  yield* closingLines(written);
}
