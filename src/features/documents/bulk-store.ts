import { type SQL, sql } from "drizzle-orm";
import { mustHaveRoom, roomLeft, usageStatement } from "../billing/quota-store.ts";
import type { Used } from "../billing/remaining-quota.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import { paced } from "../../core/fair.ts";
import { inGroups } from "../../platform/core/groups.ts";
import { untilWritten } from "../../platform/core/retry.ts";
import { must, unless } from "../../platform/db/call.ts";
import { documents } from "../../db/tables.ts";
import { type Idempotency, keptAnswer, keptStatement, writeOnce } from "../../idempotency/store.ts";
import { type Entry, recorded } from "../../platform/ledger/store.ts";
import { type Found, type Plan, planBulk } from "./bulk.ts";
import type { BulkOperation, DocumentBulkAnswer, DocumentBulkRequest } from "../../contract/document-bulk.ts";
import { type Indexing, newIndexing } from "../../documents/index-store.ts";
import type { DocumentRow } from "../../contract/document.ts";
import {
  changedDetails,
  changeOf,
  creationOf,
  detailStatements,
  insertStatement,
  keepStatement,
  living,
  newRow,
  rowStatement,
  shownInLists,
  type Writer,
} from "../../documents/store.ts";
import { trashStatements } from "./trash-store.ts";

type Operations = DocumentBulkRequest["operations"];

/** The total size of the documents of one bulk request: each is read, stored as a version and written. */
const MAX_BYTES = 8 * 1024 * 1024;

const tooMuch = (bytes: number) =>
  new AppError(
    413,
    `The documents of this request have ${bytes} bytes in total, and one request may change at most ${MAX_BYTES}: ` +
      "send fewer operations at a time. Nothing was changed",
  );

const inList = (ids: Iterable<string>) => sql`IN (SELECT value FROM json_each(${JSON.stringify([...ids])}))`;

/** How many bytes of content one call reads. */
const READ_AT_ONCE = 256 * 1024;

type Sized = DocumentRow & { bytes: number };

/** Documents with their contents, read in steps; undefined if one of them has changed since. */
async function withContents(ctx: Ctx, rows: Sized[]): Promise<DocumentRow[] | undefined> {
  const whole: DocumentRow[] = [];
  for (const some of inGroups(rows, ({ bytes }) => bytes, READ_AT_ONCE)) {
    const read = await paced(() =>
      ctx.db
        .select({ id: documents.id, version: documents.version, content: documents.content })
        .from(documents)
        .where(sql`${living(ctx)} AND ${documents.id} ${inList(some.map(({ id }) => id))}`),
    );
    for (const { bytes: _, ...row } of some) {
      const now = read.find(({ id }) => id === row.id);
      if (now?.version !== row.version) return undefined;
      whole.push({ ...row, content: now.content });
    }
  }
  return whole;
}

/**
 * The caller's documents and folders that the operations refer to, read in one transaction, apart from long contents.
 * Undefined if one of these has changed since. Throws 413 before reading them if the documents are too large in total.
 */
async function find(ctx: Ctx, operations: Operations, once: Idempotency | undefined) {
  const ids = new Set(operations.flatMap((operation) => ("id" in operation ? [operation.id] : [])));
  const folderIds = new Set(
    operations.flatMap((operation) =>
      "folder_id" in operation && operation.folder_id ? [operation.folder_id] : [],
    ),
  );
  const named = sql`${living(ctx)} AND ${documents.id} ${inList(ids)}`;
  const size = sql`(SELECT coalesce(sum(octet_length(content)), 0) FROM documents WHERE ${named})`;
  const content = sql`CASE WHEN ${size} <= ${READ_AT_ONCE} THEN ${documents.content} END`;
  const [rows, [{ bytes = 0 } = {}], folders, usage, kept = []] = await ctx.db.batch([
    ctx.db
      .select({
        ...shownInLists,
        content: content.mapWith(documents.content) as SQL<DocumentRow["content"]>,
        bytes: sql<number>`coalesce(octet_length(${documents.content}), 0)`,
      })
      .from(documents)
      .where(named),
    ctx.db.all<{ bytes: number }>(sql`SELECT ${size} AS bytes`),
    ctx.db.all<{ id: string }>(
      sql`SELECT id FROM folders WHERE owner = ${ctx.owner} AND id ${inList(folderIds)}`,
    ),
    usageStatement(ctx),
    ...(once ? [keptStatement(ctx, once)] : []),
  ]);
  const answer = once && keptAnswer(once, kept);
  if (answer !== undefined) return { answer };
  if (bytes > MAX_BYTES) throw tooMuch(bytes);
  const whole =
    bytes <= READ_AT_ONCE ? rows.map(({ bytes: _, ...row }) => row) : await withContents(ctx, rows);
  if (!whole) return undefined;
  const room = roomLeft(ctx, usage);
  const found: Found = { documents: whole, folders: new Set(folders.map(({ id }) => id)), room };
  return { found };
}

/** Refuses the batch as stale unless everything that the plan is based on is unchanged. */
function mustBeStillSo(ctx: Ctx, plans: Map<string, Plan>) {
  const changes = [...plans.values()];
  const versions = changes.flatMap(({ before }) => (before ? [[before.id, before.version]] : []));
  const folders = new Set(changes.flatMap(({ after }) => after?.folder_id ?? []));
  const documentsAreSo = sql`
    (SELECT count(*) FROM json_each(${JSON.stringify(versions)}) AS read CROSS JOIN documents AS d
      ON d.id = read.value ->> 0 AND d.owner = ${ctx.owner} AND d.version = read.value ->> 1
      AND d.trashed_at IS NULL) = ${versions.length}`;
  const foldersAreThere = sql`
    (SELECT count(*) FROM folders WHERE owner = ${ctx.owner} AND id ${inList(folders)}) = ${folders.size}`;
  return [must(ctx, documentsAreSo, "stale"), must(ctx, foldersAreThere, "stale")];
}

/** The statements that write a document's new state. */
function stateStatements(ctx: Ctx, { before, after }: Plan, writer: Writer) {
  if (!after) return [];
  if (!before) return [insertStatement(ctx, after, writer)];
  return [
    keepStatement(ctx, sql`documents.id = ${after.id}`),
    rowStatement(ctx, { row: before, next: after }, writer),
  ];
}

/** The ledger's entry for what the plan does to one document. */
function entryOf({ before, after, trashed }: Plan): Entry {
  const next = after ?? before;
  if (!next) throw new Error("A plan has a document");
  const entry = before ? changeOf(before, next) : creationOf(next);
  return trashed ? { ...entry, verb: "deleted" } : entry;
}

/** The statements for the tags and the search entry of a document that is not trashed. */
async function planDetails(ctx: Ctx, { before, after, trashed }: Plan, indexing: Indexing) {
  if (!after || trashed) return [];
  return before
    ? changedDetails(ctx, { row: before, next: after }, indexing)
    : detailStatements(ctx, after, indexing);
}

type By = { writer: Writer; indexing: Indexing };

/** The statements that carry out the plan for one document. */
async function planStatements(ctx: Ctx, [id, plan]: [string, Plan], { writer, indexing }: By) {
  const { trashed } = plan;
  return [
    ...recorded(ctx, entryOf(plan), writer),
    ...stateStatements(ctx, plan, writer),
    ...(await planDetails(ctx, plan, indexing)),
    ...(trashed ? trashStatements(ctx, id) : []),
  ];
}

type Planned = { plans: Map<string, Plan>; added: Used };

/**
 * Carries out the plan in one transaction, which long texts are indexed after; returns undefined when a document has changed since, or others have taken the
 * room that it needs.
 */
async function write(
  ctx: Ctx,
  { plans, added }: Planned,
  answer: DocumentBulkAnswer,
  writer: Writer,
): Promise<DocumentBulkAnswer | undefined> {
  const indexing = newIndexing(ctx);
  const each = await Promise.all([...plans].map((plan) => planStatements(ctx, plan, { writer, indexing })));
  const conditions = [...mustBeStillSo(ctx, plans), ...mustHaveRoom(ctx, added)];
  const written = writeOnce(ctx, writer.once, answer, [...conditions, ...each.flat()]);
  const done = await unless(written, "stale", "quota");
  if (done.answer) await indexing.finish();
  return done.answer;
}

/** The answer of a dry run: no document was created, so new ones have no id. */
const hypothetical = (operations: Operations, results: DocumentBulkAnswer["results"]) =>
  results.map(({ id, ...result }) => {
    const isNew = operations[result.index]?.operation === "create";
    return isNew || id === undefined ? result : { ...result, id };
  });

/**
 * Carries out up to 100 operations in order, each with its own result; one that fails does not undo the others. The
 * successful ones are one transaction, written in one batch after one that reads. A dry run returns the same answer
 * without writing.
 */
export const bulkDocuments = (
  ctx: Ctx,
  { operations, dry_run }: DocumentBulkRequest,
  writer: Writer,
): Promise<DocumentBulkAnswer> =>
  untilWritten("request's documents", async () => {
    const read = await find(ctx, operations, writer.once);
    if (!read?.found) return read && (JSON.parse(read.answer) as DocumentBulkAnswer);
    const { found } = read;
    const make = (input: Extract<BulkOperation, { operation: "create" }>) =>
      newRow(ctx, input, writer.source_type);
    const planned = planBulk(operations, found, make, ctx.now.toISOString());
    const results = dry_run ? hypothetical(operations, planned.results) : planned.results;
    const succeeded = results.filter(({ ok }) => ok).length;
    const summary = { results, succeeded, failed: results.length - succeeded, dry_run };
    return dry_run ? summary : write(ctx, { ...planned, added: found.room.taken() }, summary, writer);
  });
