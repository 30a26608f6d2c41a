import { type SQL, sql } from "drizzle-orm";
import type { DocumentCreateRequest, DocumentRow } from "../../contract/document.ts";
import type { DocumentBulkAnswer, DocumentBulkRequest } from "../../contract/document-bulk.ts";
import { type ActivityEntry, recordActivity } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, catchRefusal } from "../../platform/db/call.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { documents } from "../../platform/db/tables.ts";
import { readWithKey, writeOnce } from "../../platform/idempotency/store.ts";
import { createYieldingRunner, withRest } from "../../platform/queue/yielding.ts";
import { assertQuotaLeft, remainingQuota, usageStatement } from "../billing/quota-store.ts";
import type { QuotaUse } from "../billing/remaining-quota.ts";
import { type DocumentIndexing, newDocumentIndexing } from "./index-store.ts";
import { leadRenamedStatement, linkingDocumentsStatement } from "./link-rename-store.ts";
import { type DocumentPlan, planBulk, planRenamedLinks, type RenamedLinks } from "./plan-bulk.ts";
import { documentListColumns, notTrashed } from "./row-store.ts";
import {
  changedDetailStatements,
  changeEntry,
  creationEntry,
  type DocumentWriter,
  documentDetailStatements,
  insertDocumentStatement,
  newDocumentRow,
  storeVersionStatement,
  updateDocumentStatement,
} from "./statement-store.ts";
import { trashDocumentStatements } from "./trash-store.ts";

type Operations = DocumentBulkRequest["operations"];

/** Total size of the documents of one bulk request. Each is read, stored as a version and written. */
const MAX_BYTES = 8 * 1024 * 1024;

const tooLargeError = (bytes: number) =>
  new AppError(
    413,
    `The documents of this request have ${bytes} bytes in total, and one request can change at most ${MAX_BYTES}: ` +
      "send fewer operations per request. Nothing was changed",
  );

const BYTES_PER_READ = 256 * 1024;

type SizedRow = DocumentRow & { bytes: number };

/** Adds the contents to documents, in steps; undefined if one of them has changed since. */
async function readContents(ctx: Ctx, rows: SizedRow[]): Promise<DocumentRow[] | undefined> {
  const whole: DocumentRow[] = [];
  for (const some of groupBySize(rows, ({ bytes }) => bytes, BYTES_PER_READ)) {
    const read = await withRest(() =>
      ctx.db
        .select({ id: documents.id, version: documents.version, content: documents.content })
        .from(documents)
        .where(sql`${notTrashed(ctx)} AND ${documents.id} IN ${sqlList(some.map(({ id }) => id))}`),
    );
    for (const { bytes: _, ...row } of some) {
      const now = read.find(({ id }) => id === row.id);
      if (now?.version !== row.version) return undefined;
      whole.push({ ...row, content: now.content });
    }
  }
  return whole;
}

/** Reads what the operations refer to; undefined if a document changed meanwhile. Throws 413. */
async function readReferenced(ctx: Ctx, operations: Operations, writer: DocumentWriter) {
  const ids = new Set(operations.flatMap((operation) => ("id" in operation ? [operation.id] : [])));
  const folderIds = new Set(
    operations.flatMap((operation) =>
      "folder_id" in operation && operation.folder_id ? [operation.folder_id] : [],
    ),
  );
  const named = sql`${notTrashed(ctx)} AND ${documents.id} IN ${sqlList(ids)}`;
  const size = sql`(SELECT coalesce(sum(octet_length(content)), 0) FROM documents WHERE ${named})`;
  const content = sql`CASE WHEN ${size} <= ${BYTES_PER_READ} THEN ${documents.content} END`;
  const titles = operations.flatMap((operation) =>
    operation.operation === "update" && operation.title !== undefined
      ? [[operation.id, operation.title]]
      : [],
  );
  const newTitles = sql`SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(titles)})`;
  const { results, earlier } = await readWithKey(ctx, writer.once, [
    ctx.db
      .select({
        ...documentListColumns,
        content: content.mapWith(documents.content) as SQL<DocumentRow["content"]>,
        bytes: sql<number>`coalesce(octet_length(${documents.content}), 0)`,
      })
      .from(documents)
      .where(named),
    ctx.db.all<{ bytes: number }>(sql`SELECT ${size} AS bytes`),
    ctx.db.all<{ id: string }>(
      sql`SELECT id FROM folders WHERE owner = ${ctx.owner} AND id IN ${sqlList(folderIds)}`,
    ),
    usageStatement(ctx),
    ...(titles.length > 0 ? [linkingDocumentsStatement(ctx, newTitles, writer)] : []),
  ]);
  if (earlier) return { earlier: earlier as DocumentBulkAnswer };
  const [rows, [{ bytes = 0 } = {}], folders, usage, linking = []] = results;
  if (bytes > MAX_BYTES) throw tooLargeError(bytes);
  const whole =
    bytes <= BYTES_PER_READ ? rows.map(({ bytes: _, ...row }) => row) : await readContents(ctx, rows);
  if (!whole) return undefined;
  const folderSet = new Set(folders.map(({ id }) => id));
  return { found: { documents: whole, folders: folderSet, room: remainingQuota(ctx, usage), linking } };
}

/** Fails the batch as stale unless everything that the plan is based on is unchanged. */
function assertUnchanged(ctx: Ctx, plans: Map<string, DocumentPlan>) {
  const changes = [...plans.values()];
  const versions = changes.flatMap(({ before }) => (before ? [[before.id, before.version]] : []));
  const folders = new Set(changes.flatMap(({ after }) => after?.folder_id ?? []));
  const documentsAreSo = sql`
    (SELECT count(*) FROM json_each(${JSON.stringify(versions)}) AS read CROSS JOIN documents AS d
      ON d.id = read.value ->> 0 AND d.owner = ${ctx.owner} AND d.version = read.value ->> 1
      AND d.trashed_at IS NULL) = ${versions.length}`;
  const foldersAreThere = sql`
    (SELECT count(*) FROM folders WHERE owner = ${ctx.owner} AND id IN ${sqlList(folders)}) = ${folders.size}`;
  return [assertInBatch(ctx, documentsAreSo, "stale"), assertInBatch(ctx, foldersAreThere, "stale")];
}

function stateStatements(ctx: Ctx, { before, after }: DocumentPlan, writer: DocumentWriter) {
  if (!after) return [];
  if (!before) return [insertDocumentStatement(ctx, after, writer)];
  return [
    storeVersionStatement(ctx, { row: before, next: after }),
    updateDocumentStatement(ctx, { row: before, next: after }, writer),
  ];
}

function activityEntry({ before, after, trashed }: DocumentPlan): ActivityEntry {
  const next = after ?? before;
  if (!next) throw new Error("A plan has a document");
  const entry = before ? changeEntry(before, next) : creationEntry(next);
  return trashed ? { ...entry, verb: "deleted" } : entry;
}

async function planDetails(ctx: Ctx, { before, after, trashed }: DocumentPlan, indexing: DocumentIndexing) {
  if (!after || trashed) return [];
  return before
    ? changedDetailStatements(ctx, { row: before, next: after }, indexing)
    : documentDetailStatements(ctx, after, indexing);
}

async function planStatements(
  ctx: Ctx,
  [id, plan]: [string, DocumentPlan],
  writer: DocumentWriter,
  indexing: DocumentIndexing,
) {
  return [
    ...recordActivity(ctx, activityEntry(plan), writer),
    ...stateStatements(ctx, plan, writer),
    ...(await planDetails(ctx, plan, indexing)),
    ...(plan.trashed ? trashDocumentStatements(ctx, id) : []),
  ];
}

type BulkPlan = { plans: Map<string, DocumentPlan>; added: QuotaUse; renamed: RenamedLinks };

/** One transaction; long texts are indexed afterwards. Undefined if a document has changed or the account is full. */
async function write(
  ctx: Ctx,
  { plans, added, renamed }: BulkPlan,
  answer: DocumentBulkAnswer,
  writer: DocumentWriter,
): Promise<DocumentBulkAnswer | undefined> {
  const indexing = newDocumentIndexing(ctx);
  const turn = createYieldingRunner();
  const statements: BatchItem[] = [];
  for (const plan of plans)
    statements.push(...(await turn(() => planStatements(ctx, plan, writer, indexing))));
  statements.push(...renamed.map(({ from, to }) => leadRenamedStatement(ctx, from, to)));
  const conditions = [...assertUnchanged(ctx, plans), ...assertQuotaLeft(ctx, added)];
  const repeatable = {
    answer: () => answer,
    stored: answer,
    again: async (_: Ctx, stored: DocumentBulkAnswer) => stored,
  };
  const written = writeOnce(ctx, writer.once, repeatable, [...conditions, ...statements]);
  const done = await catchRefusal(written, "stale", "quota");
  if (done.answer) await indexing.finish();
  return done.answer;
}

/** The results of a dry run: no document was created, so new ones have no id. */
const withoutNewIds = (operations: Operations, results: DocumentBulkAnswer["results"]) =>
  results.map(({ id, ...result }) => {
    const isNew = operations[result.index]?.operation === "create";
    return isNew || id === undefined ? result : { ...result, id };
  });

/** Runs up to 100 operations, each with its result; the successful ones are one transaction. A dry run writes nothing. */
export const bulkDocuments = (
  ctx: Ctx,
  { operations, dry_run }: DocumentBulkRequest,
  writer: DocumentWriter,
): Promise<DocumentBulkAnswer> =>
  retryUntilWritten("request's documents", async () => {
    const read = await readReferenced(ctx, operations, writer);
    if (!read?.found) return read?.earlier;
    const { found } = read;
    const make = (input: DocumentCreateRequest) => newDocumentRow(ctx, input, writer.source_type);
    const planned = planBulk(operations, found, make, ctx.now.toISOString());
    const results = dry_run ? withoutNewIds(operations, planned.results) : planned.results;
    const succeeded = results.filter(({ ok }) => ok).length;
    const summary = { results, succeeded, failed: results.length - succeeded, dry_run };
    if (dry_run) return summary;
    const renamed = planRenamedLinks(planned.plans, found, ctx.now.toISOString());
    return write(ctx, { ...planned, renamed, added: found.room.taken() }, summary, writer);
  });
