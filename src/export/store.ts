import { sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { bytesOf, closingLines, FORMAT, SCHEMA_VERSION, tally } from "./format.ts";

/** How many bytes of documents are in memory at a time, unless a single one is larger. */
const GROUP_BYTES = 512 * 1024;
const PAGE = 500;
/** The size of a row without its content. */
const ROW_BYTES = 500;

type Typed = { type: string; line: string };

/** A line with stored JSON, which is copied without parsing it. */
function lineOf(type: string, { content, tags, ...row }: Record<string, unknown>): Typed {
  const head = JSON.stringify({ type, ...row }).slice(0, -1);
  return { type, line: `${head},"tags":${tags},"content":${content ?? "null"}}` };
}

async function* settingsLines(ctx: Ctx): AsyncGenerator<Typed> {
  const { name, timezone, stale_after_days } = await ctx.user();
  const { commitment, blocker } = stale_after_days;
  const settings = { type: "settings", name, timezone, stale_after_days: { commitment, blocker } };
  yield { type: "settings", line: JSON.stringify(settings) };
}

/** Folders, each after its parent. */
async function* folderLines(ctx: Ctx): AsyncGenerator<Typed> {
  for (let offset = 0; ; offset += PAGE) {
    const rows = await ctx.db.all<Record<string, unknown>>(sql`
      WITH RECURSIVE tree(id, depth) AS (
        SELECT id, 0 FROM folders WHERE owner = ${ctx.owner} AND parent_id IS NULL
        UNION ALL SELECT f.id, depth + 1 FROM tree JOIN folders AS f ON f.parent_id = tree.id)
      SELECT f.id, f.name, f.parent_id, f.created_at, f.updated_at FROM tree JOIN folders AS f ON f.id = tree.id
      ORDER BY tree.depth, f.id LIMIT ${PAGE} OFFSET ${offset}`);
    for (const row of rows) yield { type: "folder", line: JSON.stringify({ type: "folder", ...row }) };
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

const DOCUMENT = sql`id, version, title, folder_id, source_type, created_at, updated_at, writer_source_type,
  writer_client_name, trashed_at, tags, content`;
const VERSION = sql`document_id, version, title, folder_id, source_type, client_name, created_at, tags, content`;

const idsOf = ({ ids }: Group) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

const documentsOf = (ctx: Ctx, group: Group) =>
  ctx.db.all<Record<string, unknown>>(sql`SELECT ${DOCUMENT} FROM documents
    WHERE owner = ${ctx.owner} AND id IN ${idsOf(group)} ORDER BY id`);

/** Documents with their versions, read in one transaction. */
async function* groupLines(ctx: Ctx, group: Group): AsyncGenerator<Typed> {
  const [documents, versions] = await ctx.db.batch([
    documentsOf(ctx, group),
    ctx.db.all<Record<string, unknown>>(sql`SELECT ${VERSION} FROM document_versions
      WHERE owner = ${ctx.owner} AND document_id IN ${idsOf(group)} ORDER BY document_id, version`),
  ]);
  const byDocument = Map.groupBy(versions, ({ document_id }) => document_id);
  for (const document of documents) {
    yield lineOf("document", document);
    for (const version of byDocument.get(document.id) ?? []) yield lineOf("document_version", version);
  }
}

/** A document whose versions do not all fit into memory. */
async function* largeDocumentLines(ctx: Ctx, group: Group): AsyncGenerator<Typed> {
  const [document] = await documentsOf(ctx, group);
  if (!document) return;
  yield lineOf("document", document);
  let after = 0;
  for (;;) {
    const [version] = await ctx.db.all<Record<string, unknown>>(sql`SELECT ${VERSION} FROM document_versions
      WHERE document_id = ${document.id} AND owner = ${ctx.owner}
        AND version > ${after} AND version < ${document.version} ORDER BY version LIMIT 1`);
    if (!version) return;
    yield lineOf("document_version", version);
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
    const [memories, events] = await ctx.db.batch([
      ctx.db.all<
        Record<string, unknown>
      >(sql`SELECT id, memory_type, topic, content AS body, status, scope, project,
        due_date, deferred_until, document_id, supersedes_id, superseded_by_id, resolved_at, resolution_note,
        last_confirmed_at, source_type, client_name, version, created_at, updated_at, closed_at, touched_at, tags
        FROM memories WHERE owner = ${ctx.owner} AND id IN (${page}) ORDER BY id`),
      ctx.db.all<
        Record<string, unknown>
      >(sql`SELECT memory_id, event, from_status, to_status, note, source_type,
        client_name, at FROM memory_events
        WHERE owner = ${ctx.owner} AND memory_id IN (${page}) ORDER BY memory_id, id`),
    ]);
    const byMemory = Map.groupBy(events, ({ memory_id }) => memory_id);
    for (const { body, ...memory } of memories) {
      yield lineOf("memory", { ...memory, content: JSON.stringify(body) });
      for (const event of byMemory.get(memory.id) ?? []) {
        yield { type: "memory_event", line: JSON.stringify({ type: "memory_event", ...event }) };
      }
    }
    const last = memories.at(-1);
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
