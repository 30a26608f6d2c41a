import { and, eq, type SQL, sql } from "drizzle-orm";
import { indexStatements, indexStatementsInSteps, MAX_INDEXED_INLINE } from "../../engine/index.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { files } from "../../platform/db/tables.ts";
import { collectGarbageAfter } from "../../platform/queue/garbage.ts";
import { runYielding, withRest } from "../../platform/queue/yielding.ts";
import { fileKey } from "../files/bytes.ts";
import type { FileText } from "./read/file-text.ts";
import { nameEntry, pageEntry } from "./search-entry.ts";

// Reads and indexes the text of files after their upload, one file per step. The table file_words lists the files to read;
// triggers of migration 0074 add every new and renamed file.

/** How long a file is reserved for its reader: far longer than reading takes. */
const RESERVED_MS = 300_000;
const MAX_ATTEMPTS = 3;

const inMs = ({ now }: BaseCtx, ms: number) => new Date(now.getTime() + ms).toISOString();

const MAY_CHANGE = notFenced("file_words.owner");

export const unreadFileDueAt = (owner: SQL): SQL =>
  sql`(SELECT min(due_at) FROM file_words WHERE file_words.owner = ${owner} AND ${MAY_CHANGE})`;

export const ownersWithUnreadFiles = ({ now }: BaseCtx): SQL =>
  sql`SELECT owner FROM file_words INDEXED BY file_words_due_at_idx WHERE due_at <= ${now.toISOString()}
    AND ${MAY_CHANGE}`;

type File = Pick<typeof files.$inferSelect, "id" | "name" | "alt" | "type" | "bytes" | "text_state">;
type ReservedFile = File & { tries: number };

/** Reserves the next file to read. The attempt is counted beforehand, in case reading crashes. */
async function reserveNext(ctx: Ctx): Promise<ReservedFile | undefined> {
  const next = sql`SELECT file_id FROM file_words WHERE owner = ${ctx.owner} AND due_at <= ${ctx.now.toISOString()}
    AND ${MAY_CHANGE} ORDER BY due_at, file_id LIMIT 1`;
  const [found] = await ctx.db.batch([
    ctx.db.all<ReservedFile>(sql`SELECT f.id, f.name, f.alt, f.type, f.bytes, f.text_state, w.tries
      FROM file_words AS w CROSS JOIN files AS f ON f.owner = w.owner AND f.id = w.file_id
      WHERE w.owner = ${ctx.owner} AND w.file_id = (${next})`),
    ctx.db.run(sql`UPDATE file_words SET tries = tries + 1, due_at = ${inMs(ctx, RESERVED_MS)}
      WHERE owner = ${ctx.owner} AND file_id = (${next})`),
  ]);
  return found[0];
}

const failed = (note: string): FileText => ({ state: "failed", note, texts: [], pages: null });

/** Reads the text of a file. The readers are loaded on demand. */
async function readText(ctx: Ctx, { id, name, type, bytes, tries }: ReservedFile): Promise<FileText> {
  if (tries >= MAX_ATTEMPTS) return failed("It could not be read: reading was interrupted three times");
  const { bytesToRead, fileText } = await import("./read/file-text.ts");
  const length = bytesToRead({ type, bytes });
  const key = fileKey((await ctx.user()).id, id);
  const found = length === 0 ? undefined : await ctx.bucket?.get(key, { range: { offset: 0, length } });
  if (!found && length > 0) return failed("Its content is missing");
  const read = found ? new Uint8Array(await found.arrayBuffer()) : new Uint8Array(0);
  return runYielding(fileText(read, { type, name }, bytes));
}

const ownedFile = (ctx: Ctx, id: string) => and(eq(files.owner, ctx.owner), eq(files.id, id));
const fileExists = (ctx: Ctx, id: string) =>
  sql`EXISTS (SELECT 1 FROM files WHERE owner = ${ctx.owner} AND id = ${id})`;

/** Removes the search entries of a file that was erased while it was read. */
const forgetErased = (ctx: Ctx, id: string) =>
  ctx.db.run(sql`DELETE FROM search_entries WHERE owner = ${ctx.owner} AND kind = 'file'
    AND record >= ${id} AND record < ${`${id}0`} AND NOT ${fileExists(ctx, id)}`);

/** Stores and indexes pages, in transactions small enough not to delay other requests. Idempotent. */
async function storePages(ctx: Ctx, id: string, texts: readonly string[]): Promise<void> {
  const pages = texts.flatMap((text, at) => (text === "" ? [] : [{ page: at + 1, text }]));
  for (const group of groupBySize(pages, ({ text }) => text.length, MAX_INDEXED_INLINE)) {
    await withRest(async () => {
      const indexed = await Promise.all(
        group.map(({ page, text }) => indexStatementsInSteps(ctx, pageEntry(id, page, text))),
      );
      await ctx.db.batch([
        ctx.db.run(sql`INSERT OR REPLACE INTO file_texts (owner, file_id, page, text)
          SELECT ${ctx.owner}, ${id}, value ->> 'page', value ->> 'text' FROM json_each(${JSON.stringify(group)})
          WHERE ${fileExists(ctx, id)}`),
        ...indexed.flat(),
        forgetErased(ctx, id),
      ]);
    });
    collectGarbageAfter(group.reduce((sum, { text }) => sum + text.length, 0));
  }
}

/** Stores the result and removes the file from the list, unless it was renamed meanwhile. Cleans up if it was erased. */
async function finishFile(ctx: Ctx, file: ReservedFile, read?: FileText): Promise<void> {
  const { id, name, alt } = file;
  const result = read && { text_state: read.state, text_note: read.note, pages: read.pages };
  await ctx.db.batch([
    ...indexStatements(ctx, nameEntry(file)),
    ...(result ? [ctx.db.update(files).set(result).where(ownedFile(ctx, id))] : []),
    ctx.db.run(sql`DELETE FROM file_words WHERE owner = ${ctx.owner} AND file_id = ${id}
      AND NOT EXISTS (SELECT 1 FROM files WHERE owner = ${ctx.owner} AND id = ${id} AND (name, alt) IS NOT (${name}, ${alt}))`),
    forgetErased(ctx, id),
  ]);
}

/** Reads the next file; returns whether there was one. */
export async function readNextFile(ctx: Ctx): Promise<boolean> {
  const file = await reserveNext(ctx);
  if (!file) return false;
  // A file that was read before is only reindexed under its new name.
  const read = file.text_state === "waiting" ? await readText(ctx, file) : undefined;
  await storePages(ctx, file.id, read?.texts ?? []);
  await finishFile(ctx, file, read);
  if (read) collectGarbageAfter(file.bytes);
  return true;
}
