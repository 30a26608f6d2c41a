import { getTableColumns, sql, type Table } from "drizzle-orm";
import type { z } from "zod";
import type { Ctx } from "../platform/core/ctx.ts";
import { document_versions, documents, folders, memories, memory_events } from "../db/tables.ts";
import { DocumentLine, DocumentVersionLine } from "../contract/document.ts";
import { FolderLine } from "../contract/folder.ts";
import { MemoryEventLine } from "../contract/memory-event.ts";
import { MemoryLine } from "../contract/memory.ts";
import { bytesOf, closingLines, FORMAT, SCHEMA_VERSION, type SectionName, tally } from "../features/export/format.ts";

/** How many bytes of documents are in memory at a time, unless a single one is larger. */
const GROUP_BYTES = 512 * 1024;
const PAGE = 500;
/** The size of a row without its content. */
const ROW_BYTES = 500;

type Typed = { type: string; line: string };

type Row = Record<string, unknown>;

/**
 * How the rows of a table become lines: which columns a line has, and the line of a row. JSON is written as the
 * database has it, without reading it.
 */
function linesOf(type: SectionName, { shape }: z.ZodObject, table: Table) {
  const columns = getTableColumns(table);
  const names = Object.keys(shape).filter((name) => name !== "type");
  const textOf = (row: Row, name: string) =>
    columns[name]?.dataType === "json" ? (row[name] ?? "null") : JSON.stringify(row[name]);
  return {
    columns: sql.join(
      names.map((name) => sql`${columns[name]}`),
      sql`, `,
    ),
    line: (row: Row): Typed => {
      const fields = names.map((name) => `"${name}":${textOf(row, name)}`);
      return { type, line: `{"type":"${type}",${fields.join()}}` };
    },
  };
}

const FOLDER = linesOf("folder", FolderLine, folders);
const DOCUMENT = linesOf("document", DocumentLine, documents);
const VERSION = linesOf("document_version", DocumentVersionLine, document_versions);
const MEMORY = linesOf("memory", MemoryLine, memories);
const EVENT = linesOf("memory_event", MemoryEventLine, memory_events);

async function* settingsLines(ctx: Ctx): AsyncGenerator<Typed> {
  const { name, timezone, stale_after_days } = await ctx.user();
  const { commitment, blocker } = stale_after_days;
  const settings = { type: "settings", name, timezone, stale_after_days: { commitment, blocker } };
  yield { type: "settings", line: JSON.stringify(settings) };
}

/** Folders, each after its parent. */
async function* folderLines(ctx: Ctx): AsyncGenerator<Typed> {
  for (let offset = 0; ; offset += PAGE) {
    const rows = await ctx.db.all<Row>(sql`
      WITH RECURSIVE tree(id, depth) AS (
        SELECT id, 0 FROM folders WHERE owner = ${ctx.owner} AND parent_id IS NULL
        UNION ALL SELECT f.id, depth + 1 FROM tree JOIN folders AS f ON f.parent_id = tree.id)
      SELECT ${FOLDER.columns} FROM tree JOIN folders ON folders.id = tree.id
      ORDER BY tree.depth, folders.id LIMIT ${PAGE} OFFSET ${offset}`);
    for (const row of rows) yield FOLDER.line(row);
    if (rows.length < PAGE) return;
  }
}

type Group = { ids: string[]; bytes: number };

/** The next documents after `after`, in groups that fit into memory. */
async function nextGroups(ctx: Ctx, after: string): Promise<Group[]> {
  const rows = await ctx.db.all<{ id: string; bytes: number }>(sql`
    SELECT id, ${ROW_BYTES} + coalesce(octet_length(content), 0) + (
      SELECT coalesce(sum(${ROW_BYTES} + coalesce(octet_length(v.content), 0)), 0)
      FROM document_versions AS v WHERE v.document_id = d.id) AS bytes
    FROM documents AS d WHERE owner = ${ctx.owner} AND id > ${after} ORDER BY id LIMIT ${PAGE}`);
  const groups: Group[] = [];
  for (const { id, bytes } of rows) {
    const last = groups.at(-1);
    if (last && last.bytes + bytes <= GROUP_BYTES) {
      last.ids.push(id);
      last.bytes += bytes;
    } else groups.push({ ids: [id], bytes });
  }
  return groups;
}

const idsOf = ({ ids }: Group) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

const documentsOf = (ctx: Ctx, group: Group) =>
  ctx.db.all<Row>(sql`SELECT ${DOCUMENT.columns} FROM documents
    WHERE owner = ${ctx.owner} AND id IN ${idsOf(group)} ORDER BY id`);

/** Documents with their versions, read in one transaction. */
async function* groupLines(ctx: Ctx, group: Group): AsyncGenerator<Typed> {
  const [found, versions] = await ctx.db.batch([
    documentsOf(ctx, group),
    ctx.db.all<Row>(sql`SELECT ${VERSION.columns} FROM document_versions
      WHERE owner = ${ctx.owner} AND document_id IN ${idsOf(group)} ORDER BY document_id, version`),
  ]);
  const byDocument = Map.groupBy(versions, ({ document_id }) => document_id);
  for (const document of found) {
    yield DOCUMENT.line(document);
    for (const version of byDocument.get(document.id) ?? []) yield VERSION.line(version);
  }
}

/** A document whose versions do not all fit into memory. */
async function* largeDocumentLines(ctx: Ctx, group: Group): AsyncGenerator<Typed> {
  const [document] = await documentsOf(ctx, group);
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

async function* documentLines(ctx: Ctx): AsyncGenerator<Typed> {
  let after = "";
  for (;;) {
    const groups = await nextGroups(ctx, after);
    for (const group of groups) {
      yield* group.bytes > GROUP_BYTES ? largeDocumentLines(ctx, group) : groupLines(ctx, group);
    }
    const last = groups.at(-1)?.ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Records with their events, read in one transaction. */
async function* memoryLines(ctx: Ctx): AsyncGenerator<Typed> {
  let after = 0;
  for (;;) {
    const page = sql`SELECT id FROM memories WHERE owner = ${ctx.owner} AND id > ${after} ORDER BY id LIMIT ${PAGE}`;
    const [records, events] = await ctx.db.batch([
      ctx.db.all<Row>(sql`SELECT ${MEMORY.columns} FROM memories
        WHERE owner = ${ctx.owner} AND id IN (${page}) ORDER BY id`),
      ctx.db.all<Row>(sql`SELECT ${EVENT.columns} FROM memory_events
        WHERE owner = ${ctx.owner} AND memory_id IN (${page}) ORDER BY memory_id, id`),
    ]);
    const byRecord = Map.groupBy(events, ({ memory_id }) => memory_id);
    for (const record of records) {
      yield MEMORY.line(record);
      for (const event of byRecord.get(record.id) ?? []) yield EVENT.line(event);
    }
    const last = records.at(-1);
    if (!last) return;
    after = Number(last.id);
  }
}

/**
 * Everything that the caller owns, line by line, in constant memory. Concurrent changes may or may not be included;
 * each document is included once with its versions, and each record once with its events.
 */
export async function* exportLines(ctx: Ctx): AsyncGenerator<Uint8Array> {
  const passed = tally();
  const header = { type: "header", format: FORMAT, schema_version: SCHEMA_VERSION };
  const first = bytesOf(JSON.stringify({ ...header, exported_at: ctx.now.toISOString() }));
  passed.add("header", first);
  yield first;
  for (const lines of [settingsLines, folderLines, documentLines, memoryLines]) {
    for await (const { type, line } of lines(ctx)) {
      const bytes = bytesOf(line);
      passed.add(type, bytes);
      yield bytes;
    }
  }
  yield* closingLines(passed);
}
