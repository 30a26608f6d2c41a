import { and, desc, eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import {
  type FileKind,
  MAX_UPLOADS,
  type StoredFile,
  type TextState,
  UNUSED_FILE_DAYS,
  UPLOAD_EXPIRY_HOURS,
  UPLOAD_PART_BYTES,
  type Upload,
  type UploadBeginRequest,
} from "../../contract/file.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest, notFound, unprocessable } from "../../platform/core/errors.ts";
import { assertInBatch, sendBatch } from "../../platform/db/call.ts";
import { file_uploads, files } from "../../platform/db/tables.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { fileBytes } from "../billing/sizes.ts";
import { digestStoredFile, type FileDigest, putBytes, storeBytes } from "./bytes.ts";
import { sanitizeFileName } from "./disposition.ts";
import { deleteUploads } from "./erase-store.ts";
import { assertHolder, attachStatements, type FileHolder, restoreStatement } from "./link-store.ts";
import {
  bucketKeyOf,
  columns,
  daysFromNow,
  type FileRow,
  ownedByIdOrTrashed,
  presentFile,
  requireAccess,
  requireBucket,
} from "./row-store.ts";
import { detectMediaType, fileKindOf } from "./sniff.ts";

// A row of file_uploads is created before the first byte is stored, and deleted in the transaction that creates the file.
// Wherever this is interrupted, bytes in the bucket have a row by which they are found and deleted.

type UploadRow = typeof file_uploads.$inferSelect;
/** `isNew`: false if the account already has a file with these bytes, which is returned. */
type UploadedFile = { file: StoredFile; isNew: boolean };

/** How long an upload in a single request may take. */
const SINGLE_REQUEST_HOURS = 1;

const inHours = (ctx: Ctx, hours: number) => daysFromNow(ctx, hours / 24);

const inProgress = (ctx: Ctx) => sql`FROM file_uploads WHERE owner = ${ctx.owner} AND state = 'receiving'`;

/** Bytes of uploads in progress. They count as used, so that parallel uploads cannot exceed the limit together. */
const pendingBytes = (ctx: Ctx) => sql`(SELECT coalesce(sum(bytes), 0) ${inProgress(ctx)})`;

type NewUpload = { name: string; bytes: number; sha256?: string | undefined } & FileHolder;

/** Reserves quota for a file and creates its row. Throws 403 over the quota, 404 for the holder, 429 for too many. */
async function createUpload(
  ctx: Ctx,
  { name, bytes, sha256, ...holder }: NewUpload,
  hours: number,
): Promise<UploadRow> {
  if (holder.memory_id) await requireAccess(ctx, "memory:write");
  const row: UploadRow = {
    id: uuid(),
    owner: ctx.owner,
    state: "receiving",
    name: sanitizeFileName(name),
    bytes,
    sha256: sha256 ?? null,
    multipart_id: null,
    parts: {},
    document_id: holder.document_id ?? null,
    memory_id: holder.memory_id ?? null,
    due_at: inHours(ctx, hours),
    created_at: ctx.now.toISOString(),
  };
  await sendBatch(ctx, [
    ...assertHolder(ctx, holder),
    assertInBatch(ctx, sql`(SELECT count(*) ${inProgress(ctx)}) < ${MAX_UPLOADS}`, "too-many-uploads"),
    ...assertQuotaLeft(ctx, { bytes: sql`${fileBytes({ bytes })} + ${pendingBytes(ctx)}` }),
    ctx.db.insert(file_uploads).values(row),
  ]);
  return row;
}

/** Text is extracted from all files but images, audio and video. */
const textStateOf = (kind: FileKind): TextState =>
  kind === "image" || kind === "audio" || kind === "video" ? "none" : "waiting";

/**
 * Creates the file of an upload whose bytes are in the bucket, or returns the account's file with the same bytes, restored
 * from the trash if necessary. Throws 400 if the digest differs, 404 if the upload was cancelled meanwhile.
 */
async function finishUpload(
  ctx: Ctx,
  upload: UploadRow,
  { sha256, start }: FileDigest,
): Promise<UploadedFile> {
  if (upload.sha256 !== null && upload.sha256 !== sha256)
    throw badRequest("The bytes do not match the digest: send the file again", "wrong_digest");
  const { id, name, bytes } = upload;
  const type = detectMediaType(start, name);
  const now = ctx.now.toISOString();
  const same = sql`files.owner = ${ctx.owner} AND files.sha256 = ${sha256}`;
  const isKnown = sql`EXISTS (SELECT 1 FROM files WHERE ${same})`;
  const isUpload = sql`id = ${id} AND owner = ${ctx.owner}`;
  const results = await ctx.db.batch([
    assertInBatch(
      ctx,
      sql`EXISTS (SELECT 1 FROM file_uploads WHERE ${isUpload} AND state = 'receiving')`,
      "not-found",
    ),
    ...assertQuotaLeft(ctx, { bytes: sql`iif(${isKnown}, 0, ${fileBytes({ bytes })})` }),
    restoreStatement(ctx, same),
    ctx.db.run(sql`INSERT INTO files (id, owner, sha256, bytes, type, kind, text_state, name, unused_since, due_at, created_at, updated_at)
      SELECT ${id}, ${ctx.owner}, ${sha256}, ${bytes}, ${type}, ${fileKindOf(type)}, ${textStateOf(fileKindOf(type))}, ${name}, ${now},
        ${daysFromNow(ctx, UNUSED_FILE_DAYS)}, ${now}, ${now} WHERE NOT ${isKnown}`),
    ...attachStatements(ctx, same, upload),
    ctx.db.run(
      sql`DELETE FROM file_uploads WHERE ${isUpload} AND EXISTS (SELECT 1 FROM files WHERE files.id = ${id})`,
    ),
    ctx.db.run(sql`UPDATE file_uploads SET state = 'erasing', due_at = ${now} WHERE ${isUpload}`),
    ctx.db.select(columns).from(files).where(same),
  ]);
  const [row] = results.at(-1) as FileRow[];
  if (!row) throw notFound();
  if (row.id !== id) await deleteUploads(ctx, [upload]);
  // Its text is extracted after the answer.
  wakeAccount(ctx);
  return { file: await presentFile(ctx, row), isNew: row.id === id };
}

/** Deletes a rejected or cancelled upload with its bytes. */
async function discard(ctx: Ctx, upload: UploadRow): Promise<void> {
  const now = ctx.now.toISOString();
  await ctx.db.run(sql`UPDATE file_uploads SET state = 'erasing', due_at = ${now}
    WHERE id = ${upload.id} AND owner = ${ctx.owner}`);
  await deleteUploads(ctx, [upload]);
}

type FileUpload = NewUpload & { body: ReadableStream<Uint8Array> | null };

/** Stores a file sent in a single request, and attaches it. Throws 400 (short body, other digest), 403, 404, 429, 501, 503. */
export async function storeFile(ctx: Ctx, { body, ...newUpload }: FileUpload): Promise<UploadedFile> {
  const bucket = requireBucket(ctx);
  const upload = await createUpload(ctx, newUpload, SINGLE_REQUEST_HOURS);
  const key = await bucketKeyOf(ctx, upload.id);
  return storeBytes(bucket, key, { body, bytes: newUpload.bytes })
    .then((digest) => finishUpload(ctx, upload, digest))
    .catch(async (problem: unknown) => {
      // If this fails too, the bytes are deleted later.
      if (problem instanceof AppError && problem.code !== "outcome_unknown")
        await discard(ctx, upload).catch(() => undefined);
      throw problem;
    });
}

const countParts = ({ bytes }: { bytes: number }) => Math.ceil(bytes / UPLOAD_PART_BYTES);

const presentUpload = ({ id, name, bytes, parts, due_at, created_at }: UploadRow): Upload => ({
  id,
  name,
  bytes,
  part_bytes: UPLOAD_PART_BYTES,
  parts: countParts({ bytes }),
  received: Object.keys(parts)
    .map(Number)
    .sort((one, other) => one - other),
  created_at,
  expires_at: due_at,
});

const isCallersUpload = (ctx: Ctx, id: string) =>
  and(eq(file_uploads.id, id), eq(file_uploads.owner, ctx.owner), eq(file_uploads.state, "receiving"));

/** Renews the deadline of an upload in parts. Fails while the account is being moved. */
async function renewUpload(ctx: Ctx, id: string): Promise<UploadRow | undefined> {
  const due_at = inHours(ctx, UPLOAD_EXPIRY_HOURS);
  const [row] = await ctx.db.update(file_uploads).set({ due_at }).where(isCallersUpload(ctx, id)).returning();
  return row?.multipart_id ? row : undefined;
}

/** An upload in parts. Throws 404. */
async function findUpload(ctx: Ctx, id: string): Promise<UploadRow> {
  requireBucket(ctx);
  const [row] = await ctx.db.select().from(file_uploads).where(isCallersUpload(ctx, id));
  if (!row?.multipart_id) throw notFound();
  return row;
}

/** Starts an upload in parts. Throws 403 over the quota, 404 for the holder, 429, 501. */
export async function beginUpload(ctx: Ctx, input: UploadBeginRequest): Promise<Upload> {
  const bucket = requireBucket(ctx);
  const row = await createUpload(ctx, input, UPLOAD_EXPIRY_HOURS);
  const { uploadId } = await bucket.createMultipartUpload(await bucketKeyOf(ctx, row.id));
  await ctx.db.update(file_uploads).set({ multipart_id: uploadId }).where(isCallersUpload(ctx, row.id));
  return presentUpload(row);
}

export async function listUploads(ctx: Ctx): Promise<{ items: Upload[]; total: number }> {
  requireBucket(ctx);
  const rows = await ctx.db
    .select()
    .from(file_uploads)
    .where(sql`owner = ${ctx.owner} AND state = 'receiving' AND multipart_id IS NOT NULL`)
    .orderBy(desc(file_uploads.created_at), desc(file_uploads.id));
  return { items: rows.map(presentUpload), total: rows.length };
}

export const getUpload = async (ctx: Ctx, id: string): Promise<Upload> =>
  presentUpload(await findUpload(ctx, id));

/** The length of a part in bytes. Throws 422 for a part that does not exist. */
function partLength({ bytes }: UploadRow, part: number): number {
  const last = countParts({ bytes });
  if (part > last) throw unprocessable(`part: there are only ${last} parts`);
  return part === last ? bytes - (last - 1) * UPLOAD_PART_BYTES : UPLOAD_PART_BYTES;
}

export type UploadPart = { part: number; bytes: number; body: ReadableStream<Uint8Array> | null };

/** Stores or replaces a part. Throws 404, 422 for a wrong length, 400 when the body ends early, 503. */
export async function storePart(ctx: Ctx, id: string, { part, bytes, body }: UploadPart): Promise<Upload> {
  const bucket = requireBucket(ctx);
  const row = await renewUpload(ctx, id);
  if (!row?.multipart_id) throw notFound();
  const parts = bucket.resumeMultipartUpload(await bucketKeyOf(ctx, id), row.multipart_id);
  const length = partLength(row, part);
  if (bytes !== length) throw unprocessable(`content-length: part ${part} has ${length} bytes, not ${bytes}`);
  const { etag } = await putBytes(body, bytes, (stream) => parts.uploadPart(part, stream));
  const [stored] = await ctx.db
    .update(file_uploads)
    .set({
      parts: sql`json_set(parts, ${`$."${part}"`}, ${etag})`,
      due_at: inHours(ctx, UPLOAD_EXPIRY_HOURS),
    })
    .where(isCallersUpload(ctx, id))
    .returning();
  if (!stored) throw notFound();
  return presentUpload(stored);
}

function requireAllParts({ bytes, parts }: UploadRow): R2UploadedPart[] {
  const numbers = Array.from({ length: countParts({ bytes }) }, (_, index) => index + 1);
  const missing = numbers.filter((number) => parts[number] === undefined);
  if (missing.length > 0)
    throw new AppError(409, `These parts are missing: ${missing.slice(0, 20).join(", ")}`, {}, "incomplete");
  return numbers.map((partNumber) => ({ partNumber, etag: parts[partNumber] ?? "" }));
}

/** The file of a completed upload, for a client that lost the answer. Throws 404. */
async function findCompleted(ctx: Ctx, id: string): Promise<UploadedFile> {
  const [row] = await ctx.db.select(columns).from(files).where(ownedByIdOrTrashed(ctx, id));
  return { file: await presentFile(ctx, row), isNew: false };
}

/** Creates the file of an upload in parts. Throws 409 when parts are missing, 400 if the digest differs. */
export async function completeUpload(ctx: Ctx, id: string): Promise<UploadedFile> {
  const bucket = requireBucket(ctx);
  const known = await renewUpload(ctx, id);
  if (!known?.multipart_id) return findCompleted(ctx, id);
  const all = requireAllParts(known);
  const key = await bucketKeyOf(ctx, id);
  // An interrupted request may already have joined the parts.
  if (!(await bucket.head(key)))
    await bucket
      .resumeMultipartUpload(key, known.multipart_id)
      .complete(all)
      .catch(() => {
        // A part was replaced by a request that was interrupted before it recorded that.
        throw new AppError(409, "The parts do not match: send them again", {}, "incomplete");
      });
  const digest = await digestStoredFile(bucket, key, known.bytes);
  if (!digest) throw notFound();
  return finishUpload(ctx, known, digest).catch(async (problem: unknown) => {
    if (problem instanceof AppError && problem.code === "wrong_digest")
      await discard(ctx, known).catch(() => undefined);
    throw problem;
  });
}

/** Cancels an upload and deletes its bytes. Throws 404. */
export async function abortUpload(ctx: Ctx, id: string): Promise<void> {
  await discard(ctx, await findUpload(ctx, id));
}
