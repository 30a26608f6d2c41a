import { sql } from "drizzle-orm";
import { hasWokenSql, lastAttendedSql } from "../../contract/life-cycle.ts";
import type { DocumentResult, Explanation, MemoryResult } from "../../contract/search.ts";
import type { RankedResult, SnippetSource } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { searchableText } from "../../shared/markdown/content-text.ts";
import { sectionNameAtInSteps } from "../../shared/markdown/sections.ts";
import type { Steps } from "../../shared/text/steps.ts";
import { folderPathSql } from "../documents/folder-path.ts";
import { isDueFact, memoryFacts } from "../indexed/facts.ts";
import { partNumberAt } from "./split-text.ts";

/** Contents up to this many bytes are read with the ranking; longer ones are read one by one. */
const MAX_INLINE = 64 * 1024;

export const hitColumns = ({ owner, now }: Pick<Ctx, "owner" | "now">) => ({
  columns: {
    sql: `
    coalesce(d.title, m.topic) title, coalesce(d.tags, m.tags) tags, coalesce(d.updated_at, m.updated_at) updated_at,
    d.source_type, d.folder_id, ${folderPathSql("d")} folder_path, m.memory_type, iif(${hasWokenSql("?", "m")}, 'active', m.status) status, m.project, m.scope, m.due_date, m.due_time, m.repeat, m.repeat_from, m.priority, m.owed, m.happened_on,
    iif(${hasWokenSql("?", "m")}, NULL, m.deferred_until) deferred_until,
    m.superseded_by_id, m.created_at, coalesce(d.changed_at, ${lastAttendedSql("m")}) changed_at,
    ifnull(octet_length(coalesce(d.content, m.content)), 0) size,
    CASE WHEN octet_length(d.content) <= ${MAX_INLINE} THEN d.content END content,
    m.content || ifnull(char(10) || m.resolution_note, '') || ifnull(char(10) || m.note, '') memory,
    pf.id file_id, pf.name file_name, pf.alt file_alt, pf.pages file_pages,
    pt.page file_page, octet_length(pt.text) file_size, CASE WHEN octet_length(pt.text) <= ${MAX_INLINE} THEN pt.text END file_text`,
    params: [now.toISOString(), now.toISOString()],
  },
  joins: {
    sql: `
    LEFT JOIN documents d ON p.kind = 'document' AND d.id = p.record
    LEFT JOIN memories m ON p.kind = 'memory' AND m.owner = ? AND m.id = p.record
    LEFT JOIN search_entries pe ON pe.entry = p.piece
    LEFT JOIN files pf ON pf.owner = pe.owner AND pf.id = substr(pe.record, 1, 36)
    LEFT JOIN file_texts pt ON pt.owner = pe.owner AND pt.file_id = pf.id AND pt.page = CAST(substr(pe.record, 38) AS INTEGER)`,
    params: [owner],
  },
});

type DocumentSummary = DocumentResult["document"];
type MemorySummary = MemoryResult["memory"];

/** Fields that a result contains only if the record has them. */
type OptionalFields = Pick<
  MemorySummary,
  "due_time" | "repeat" | "repeat_from" | "priority" | "owed" | "happened_on"
>;

export type Hit = Omit<DocumentSummary, "id" | "tags" | "folder_path"> &
  Omit<MemorySummary, "id" | "tags" | "topic" | keyof OptionalFields> & {
    kind: "document" | "memory";
    record: string;
    folder_path: string | null;
    tags: string;
    /** bytes of the content */
    size: number;
    content: string | null;
    memory: string | null;
    /** the file with the largest share of the score, and its page or part; `file_text` is null if long */
    file_id: string | null;
    file_name: string | null;
    file_alt: string | null;
    file_pages: number | null;
    file_page: number | null;
    file_size: number | null;
    file_text: string | null;
  } & { [Name in keyof OptionalFields]-?: Exclude<OptionalFields[Name], undefined> | null };

/** The location of a snippet in a document: its heading, and the part of a long text. */
export type SnippetLocation = Pick<DocumentResult, "heading" | "part">;

function* locationAt(text: string, at: number): Steps<SnippetLocation> {
  const [heading, part] = [yield* sectionNameAtInSteps(text, at), partNumberAt(text, at)];
  return { ...(heading !== undefined && { heading }), ...(part !== undefined && { part }) };
}

/** The text that a result's snippet is taken from. A long content is read later. */
export function snippetSource(ctx: Ctx, hit: Hit): SnippetSource<SnippetLocation> {
  const { kind, record, size, memory, content } = hit;
  if (hit.file_id !== null) return fileSnippetSource(ctx, hit);
  if (kind === "memory") return { size, isLong: false, text: () => memory ?? "" };
  if (size <= MAX_INLINE) return { size, locate: locationAt, isLong: false, text: () => plainText(content) };
  return {
    size,
    locate: locationAt,
    isLong: true,
    text: async () => plainText(await readContent(ctx, record)),
  };
}

function fileSnippetSource(
  ctx: Ctx,
  { file_id, file_name, file_alt, file_page, file_size, file_text }: Hit,
): SnippetSource<SnippetLocation> {
  const named = `${file_name}${file_alt === null ? "" : `\n${file_alt}`}`;
  if (file_page === null || file_size === null)
    return { size: named.length, isLong: false, text: () => named };
  if (file_text !== null) return { size: file_size, isLong: false, text: () => file_text };
  return { size: file_size, isLong: true, text: async () => readPage(ctx, file_id ?? "", file_page) };
}

async function readPage(ctx: Ctx, id: string, page: number): Promise<string> {
  const [row] = await ctx.db.all<{ text: string }>(
    sql`SELECT text FROM file_texts WHERE owner = ${ctx.owner} AND file_id = ${id} AND page = ${page}`,
  );
  return row?.text ?? "";
}

const plainText = (content: string | null) => searchableText(content === null ? null : JSON.parse(content));

async function readContent(ctx: Ctx, id: string): Promise<string | null> {
  const [row] = await ctx.db.all<{ content: string }>(
    sql`SELECT content FROM documents WHERE id = ${id} AND owner = ${ctx.owner}`,
  );
  return row?.content ?? null;
}

/** Explains one part of a result's score. The words may have matched a fact of a record instead of its text. */
export function explainScorePart(
  hit: Hit,
  { words, because, facts, score }: RankedResult<Hit>["parts"][number],
): Explanation {
  const found = hit.kind === "memory" ? memoryFacts(hit).filter((fact) => facts.includes(fact)) : [];
  const fact = found.some(isDueFact) ? "due" : "type";
  return { words: [...words], because: found.length > 0 ? fact : because, score };
}

/** The file with the largest share of a result's score, if any: with a page, or a part if the file has no pages. */
export const matchedFile = ({
  file_id,
  file_name,
  file_page,
  file_pages,
}: Hit): Pick<DocumentResult, "file"> =>
  file_id === null
    ? {}
    : {
        file: {
          id: file_id,
          name: file_name ?? "",
          ...(file_page !== null && { [file_pages === null ? "part" : "page"]: file_page }),
        },
      };

export function hitSummary(hit: Hit): Pick<DocumentResult, "document"> | Pick<MemoryResult, "memory"> {
  const tags = JSON.parse(hit.tags) as string[];
  if (hit.kind === "memory") {
    const { memory_type, title: topic, status, project, scope, due_date, deferred_until } = hit;
    const [id, { superseded_by_id, created_at, updated_at, changed_at }] = [Number(hit.record), hit];
    const { due_time, repeat, repeat_from, priority, owed, happened_on } = hit;
    const optional = Object.entries({ due_time, repeat, repeat_from, priority, owed, happened_on }).filter(
      ([, value]) => value !== null,
    );
    const due = { due_date, ...(Object.fromEntries(optional) as OptionalFields), deferred_until };
    const memory = { id, memory_type, topic, tags, status, project, scope, ...due };
    return { memory: { ...memory, superseded_by_id, created_at, updated_at, changed_at } };
  }
  const { record: id, title, source_type, updated_at, changed_at, folder_id, folder_path } = hit;
  const folder = folder_path === null ? {} : { folder_path };
  return { document: { id, title, tags, source_type, updated_at, changed_at, folder_id, ...folder } };
}
