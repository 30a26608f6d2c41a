import { sql } from "drizzle-orm";
import type { ReindexAnswer } from "../../contract/search.ts";
import { shardBinding } from "../../contract/shards.ts";
import { type OutdatedEntry, reindexStep, type TextSource } from "../../engine/index.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { conflict, forbidden } from "../../platform/core/errors.ts";
import { isSchemaCurrent } from "../../platform/shards/schema-store.ts";
import { FILE_COLUMNS, FILE_JOINS, readFileEntry } from "../file-text/search-entry.ts";
import { entryOfRow, type IndexedKind, searchableColumns } from "../indexed/entry.ts";

/** The indexed columns of both kinds, with the alias of their table as a prefix: `m_topic`. */
const TABLE_ALIASES = { document: "d", memory: "m" } as const;
const columnAliases = (kind: IndexedKind) =>
  searchableColumns(kind).map((name) => [name, `${TABLE_ALIASES[kind]}_${name}`] as const);
const INDEXED_COLUMNS = (["document", "memory"] as const).flatMap((kind) =>
  columnAliases(kind).map(([name, alias]) => `${TABLE_ALIASES[kind]}.${name} AS ${alias}`),
);

function readTexts(due: OutdatedEntry) {
  const { kind, record, owner, version } = due;
  if (kind === "file") return readFileEntry(due);
  if (version === null) return undefined;
  const table = sql.raw(kind === "document" ? "documents" : "memories");
  const texts = Object.fromEntries(columnAliases(kind).map(([name, alias]) => [name, due[alias]]));
  return {
    ...entryOfRow(kind, texts),
    unchanged: sql`EXISTS (SELECT 1 FROM ${table} WHERE owner = ${owner} AND id = ${record} AND version = ${version})`,
  };
}

const TEXT_SOURCE: TextSource = {
  joins: `
  LEFT JOIN documents d ON e.kind = 'document' AND d.id = e.record
  LEFT JOIN memories m ON e.kind = 'memory' AND m.owner = e.owner AND m.id = e.record
  ${FILE_JOINS}`,
  bytes: "octet_length(coalesce(d.content, m.content, ft.text))",
  columns: ["coalesce(d.version, m.version) version", ...INDEXED_COLUMNS, FILE_COLUMNS].join(", "),
  read: readTexts,
};

/** One bounded step of rebuilding the search index. Returns how many entries it wrote and how many are left. */
export const reindexNextStep = (ctx: BaseCtx): Promise<ReindexAnswer> => reindexStep(ctx, TEXT_SOURCE);

/** One reindexing step for the admin, in the shard of `base`. Throws 403 for others, 409 if the shard lacks migrations. */
export async function reindex(
  ctx: Ctx,
  { all, base }: { all: boolean; base: BaseCtx },
): Promise<ReindexAnswer> {
  if ((await ctx.user()).role !== "admin")
    throw forbidden("Only the deployment's admin may rebuild the search index");
  if (!(await isSchemaCurrent(base)))
    throw conflict(`${shardBinding(base.shard)} lacks migrations: run npm run migrate first`);
  if (all) await base.db.run(sql`UPDATE search_entries SET index_version = 0`);
  return reindexNextStep(base);
}
