import { attendedSql, awakeSql } from "../../contract/life-cycle.ts";
import { contentText } from "../../contract/markdown/content-text.ts";
import type { DocumentResult, Explanation, MemoryResult } from "../../contract/search.ts";
import type { Result, SnippetText } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { folderPathSql } from "../documents/folder-path.ts";
import { factsOf, isDue } from "../indexed/facts.ts";

/** Contents up to this many bytes of JSON are read with the ranking; longer ones are fetched one by one. */
const MAX_INLINE = 64 * 1024;

const FOLDER_PATH = folderPathSql("d");

export const detailsOf = ({ owner, now }: Pick<Ctx, "owner" | "now">) => ({
  columns: {
    sql: `
    coalesce(d.title, m.topic) title, coalesce(d.tags, m.tags) tags, coalesce(d.updated_at, m.updated_at) updated_at,
    d.source_type, d.folder_id, ${FOLDER_PATH} folder_path, m.memory_type, iif(${awakeSql("?", "m")}, 'active', m.status) status, m.project, m.scope, m.due_date,
    iif(${awakeSql("?", "m")}, NULL, m.deferred_until) deferred_until, ${attendedSql("m")} changed_at,
    ifnull(octet_length(coalesce(d.content, m.content)), 0) size,
    CASE WHEN octet_length(d.content) <= ${MAX_INLINE} THEN d.content END content,
    m.content || ifnull(char(10) || m.resolution_note, '') || ifnull(char(10) || m.note, '') memory`,
    params: [now.toISOString(), now.toISOString()],
  },
  joins: {
    sql: `
    LEFT JOIN documents d ON p.kind = 'document' AND d.id = p.record
    LEFT JOIN memories m ON p.kind = 'memory' AND m.owner = ? AND m.id = p.record`,
    params: [owner],
  },
});

type DocumentSummary = DocumentResult["document"];
type MemorySummary = MemoryResult["memory"];

export type Hit = Omit<DocumentSummary, "id" | "tags" | "folder_path"> &
  Omit<MemorySummary, "id" | "tags" | "topic"> & {
    kind: "document" | "memory";
    record: string;
    folder_path: string | null;
    tags: string;
    /** bytes of the content */
    size: number;
    content: string | null;
    memory: string | null;
  };

/** What a snippet of a result is taken from. A long content has not been read with the ranking. */
export function textOf(ctx: Ctx, { kind, record, size, memory, content }: Hit): SnippetText {
  if (kind === "memory") return { size, isLong: false, text: () => memory ?? "" };
  if (size <= MAX_INLINE) return { size, isLong: false, text: () => plain(content) };
  return { size, isLong: true, text: async () => plain(await readContent(ctx, record)) };
}

const plain = (content: string | null) => contentText(content === null ? null : JSON.parse(content));

const readContent = (ctx: Ctx, id: string) =>
  ctx.db.$client
    .prepare("SELECT content FROM documents WHERE id = ? AND owner = ?")
    .bind(id, ctx.owner)
    .first<string>("content");

/** A part of a result's score, as it is explained: it may be a fact of a record that the words found, not its text. */
export function explanationOf(
  hit: Hit,
  { words, because, facts, score }: Result<Hit>["parts"][number],
): Explanation {
  const found = hit.kind === "memory" ? factsOf(hit).filter((fact) => facts.includes(fact)) : [];
  const fact = found.some(isDue) ? "due" : "type";
  return { words: [...words], because: found.length > 0 ? fact : because, score };
}

export function summaryOf(hit: Hit): Pick<DocumentResult, "document"> | Pick<MemoryResult, "memory"> {
  const tags = JSON.parse(hit.tags) as string[];
  if (hit.kind === "memory") {
    const { memory_type, title: topic, status, project, scope, due_date, deferred_until } = hit;
    const [id, { updated_at, changed_at }] = [Number(hit.record), hit];
    const memory = { id, memory_type, topic, tags, status, project, scope, due_date, deferred_until };
    return { memory: { ...memory, updated_at, changed_at } };
  }
  const { record: id, title, source_type, updated_at, folder_id, folder_path } = hit;
  const folder = folder_path === null ? {} : { folder_path };
  return { document: { id, title, tags, source_type, updated_at, folder_id, ...folder } };
}
