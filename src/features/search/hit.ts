import type { Ctx } from "../../platform/core/ctx.ts";
import { turns } from "../../core/fair.ts";
import { contentText } from "../../contract/markdown/content-text.ts";
import { folderPathSql } from "../documents/folder-path.ts";
import { attendedSql, awakeSql } from "../../contract/life-cycle.ts";
import type { Needle } from "../../search/needles.ts";
import type { RankedRow } from "../../engine/score.ts";
import type { DocumentResult, MemoryResult } from "../../contract/search.ts";
import { makeSnippet } from "../../search/snippet.ts";

/** Contents up to this many bytes of JSON are read with the ranking; longer ones are fetched one by one. */
const MAX_INLINE = 64 * 1024;
/** How many bytes of content one search reads for its snippets. */
const MAX_READ = 8 * 1024 * 1024;

const FOLDER_PATH = folderPathSql("d");

/** What a search selects for each result, besides its ranking. */
export const detailsOf = ({ owner, now }: Pick<Ctx, "owner" | "now">) => ({
  columns: {
    sql: `
    coalesce(d.title, m.topic) title, coalesce(d.tags, m.tags) tags, coalesce(d.updated_at, m.updated_at) updated_at,
    d.source_type, d.folder_id, ${FOLDER_PATH} folder_path, m.memory_type, iif(${awakeSql("?", "m")}, 'active', m.status) status, m.project, m.scope, m.due_date,
    iif(${awakeSql("?", "m")}, NULL, m.deferred_until) deferred_until, ${attendedSql("m")} changed_at,
    ifnull(octet_length(coalesce(d.content, m.content)), 0) size,
    CASE WHEN octet_length(d.content) <= ${MAX_INLINE} THEN d.content END content, m.content memory`,
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

/** A result with the details of its kind. */
export type Hit = RankedRow &
  Omit<DocumentSummary, "id" | "tags" | "folder_path"> &
  Omit<MemorySummary, "id" | "tags" | "topic"> & {
    record: string;
    folder_path: string | null;
    tags: string;
    /** bytes of the content */
    size: number;
    content: string | null;
    memory: string | null;
  };

export const isHit = (row: RankedRow): row is Hit => row.entry !== null;

/** A result with its content, which is read now if it is long. */
async function withContent(ctx: Ctx, hit: Hit): Promise<Hit> {
  if (hit.kind === "memory" || hit.size <= MAX_INLINE) return hit;
  const content = await ctx.db.$client
    .prepare("SELECT content FROM documents WHERE id = ? AND owner = ?")
    .bind(hit.record, ctx.owner)
    .first<string>("content");
  return { ...hit, content };
}

const textOf = ({ kind, memory, content }: Hit) =>
  kind === "memory" ? (memory ?? "") : contentText(content === null ? null : JSON.parse(content));

/**
 * The snippets of a page of results, in order: undefined for a text that would exceed the limit of bytes to read.
 * Texts are read one at a time, so that only one is in memory, with pauses for other requests.
 */
export async function snippetsOf(
  ctx: Ctx,
  hits: readonly Hit[],
  needles: readonly Needle[],
  highlight: "mark" | undefined,
): Promise<(string | undefined)[]> {
  const snippets: (string | undefined)[] = [];
  const turn = turns();
  let read = 0;
  for (const hit of hits) {
    const fits = read + hit.size <= MAX_READ;
    if (fits) {
      read += hit.size;
      const whole = await withContent(ctx, hit);
      snippets.push(await turn(() => makeSnippet(textOf(whole), needles, highlight)));
    } else snippets.push(undefined);
  }
  return snippets;
}

/** A document or record as part of an answer. */
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
