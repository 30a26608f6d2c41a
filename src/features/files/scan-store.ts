import { eq, sql } from "drizzle-orm";
import { FILE_SCHEME, UNUSED_FILE_DAYS } from "../../contract/file.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { file_looks } from "../../platform/db/tables.ts";
import { fileIdsIn } from "../../shared/files/file-references.ts";
import { attachReferencedFiles } from "./reference-store.ts";
import { daysFromNow } from "./row-store.ts";

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
export async function scanTextPage(ctx: Ctx): Promise<string | undefined> {
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
