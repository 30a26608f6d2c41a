import { type SQL, sql } from "drizzle-orm";
import type {
  Document,
  DocumentEditRequest,
  DocumentRow,
  DocumentUpdateRequest,
} from "../../contract/document.ts";
import { omit } from "../../contract/omit.ts";
import type { TagChange } from "../../contract/tag-rule.ts";
import { continueEditSession, editSessionStatement } from "../../platform/activity/edit-session-store.ts";
import { recordActivity, rejectEmptyUndo } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound, preconditionFailed, unavailable } from "../../platform/core/errors.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { writeWithKnownSpellings } from "../../platform/db/known-spellings.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { documents } from "../../platform/db/tables.ts";
import { allowsChange } from "../../platform/http/etag.ts";
import { readWithKey, writeOnce } from "../../platform/idempotency/store.ts";
import { MAX_QUEUED } from "../../platform/queue/account-queue.ts";
import { createQueues } from "../../platform/queue/queue.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { documentChangeBytes } from "./document-size.ts";
import { type FieldsToWrite, hasSameText, nextDocumentState } from "./document-state.ts";
import { editText } from "./edit-text.ts";
import { type DocumentIndexing, newDocumentIndexing } from "./index-store.ts";
import { addedLinkBytes } from "./link-bytes.ts";
import {
  type LinkingRow,
  leadRenamedStatement,
  linkingDocumentsStatement,
  type Renaming,
  renamedLinkChanges,
} from "./link-rename-store.ts";
import {
  documentColumns,
  ownedDocument,
  presentDocument,
  readDocumentAgain,
  repeatableDocument,
  type StoredDocumentVersion,
} from "./row-store.ts";
import {
  assertOwnFolder,
  assertVersion,
  changedDetailStatements,
  changeEntry,
  type DocumentWriter,
  type Statements,
  storeVersionStatement,
  updateDocumentStatement,
  type VersionChange,
} from "./statement-store.ts";

/** `make` returns the fields to change, or throws. `read`: sent along with the read. `ahead`: first in the transaction. */
export type DocumentChange<Found = never> = {
  make: (row: DocumentRow, found: Found[]) => FieldsToWrite | Promise<FieldsToWrite>;
  read?: BatchItem;
  /** The next title in SQL, which the texts that link to the document get, too. */
  title?: SQL | undefined;
  ahead?: Statements;
};

/** Reads a document, or the response to an earlier request with this idempotency key. Throws 404, or 412 for If-Match. */
async function readForUpdate<Found>(
  ctx: Ctx,
  id: string,
  { read, title }: DocumentChange<Found>,
  writer: DocumentWriter,
) {
  const { ifMatch, once, editSession } = writer;
  const { results, earlier } = await readWithKey(ctx, once, [
    ctx.db.select(documentColumns).from(documents).where(ownedDocument(ctx, id)),
    ...(editSession ? [editSessionStatement(ctx, id, writer)] : []),
    ...(read ? [read] : []),
    ...(title === undefined ? [] : [linkingDocumentsStatement(ctx, sql`SELECT ${id}, ${title}`, writer)]),
  ]);
  const [[row], ...others] = results as [DocumentRow[], ...unknown[][]];
  if (earlier) return { again: await readDocumentAgain(ctx, earlier as StoredDocumentVersion, row) };
  if (!row) throw notFound();
  if (!allowsChange(ifMatch, row.version)) throw preconditionFailed();
  const [begun] = (editSession ? others.shift() : []) as { number: number }[];
  const linking = (title === undefined ? [] : others.pop()) as LinkingRow[];
  return { row, begun: begun?.number, found: (others[0] ?? []) as Found[], linking };
}

/** `begun`: the activity entry of the edit session that this change continues, if any. */
type SessionChange = VersionChange & { begun?: number | undefined };

/** A session begins with a text: the version before it is the text that the session replaces. */
function historyStatements(ctx: Ctx, { row, next, begun }: SessionChange, writer: DocumentWriter) {
  const entry = changeEntry(row, next);
  return begun !== undefined && entry.verb === "changed"
    ? continueEditSession(ctx, entry, begun, writer)
    : [
        ...recordActivity(ctx, entry, hasSameText(row, next) ? omit(writer, "editSession") : writer),
        storeVersionStatement(ctx, { row, next }),
      ];
}

/** The statements that write a new state and keep the previous one as a version. Fail as stale if another write came first. */
export const versionStatements = async (
  ctx: Ctx,
  version: SessionChange,
  writer: DocumentWriter,
  indexing: DocumentIndexing,
): Promise<BatchItem[]> => [
  assertVersion(ctx, version.row.id, version.row.version),
  ...assertQuotaLeft(ctx, {
    bytes: documentChangeBytes(version.row, version.next) + addedLinkBytes(version.row, version.next),
  }),
  ...assertOwnFolder(ctx, version.next.folder_id),
  ...historyStatements(ctx, version, writer),
  updateDocumentStatement(ctx, version, writer),
  ...(await changedDetailStatements(ctx, version, indexing)),
];

/** The statements that write the new title of a document in the texts that link to it, each with an entry of its own. */
async function renamedLinkStatements(
  ctx: Ctx,
  { row, next, linking = [] }: Renaming & { linking?: readonly LinkingRow[] | undefined },
  { undoOf: _, restoredVersion: __, restored, ...writer }: DocumentWriter,
  indexing: DocumentIndexing,
): Promise<BatchItem[]> {
  const statements: BatchItem[] = [];
  const others = linking.filter(({ id }) => !restored?.has(id));
  for (const change of renamedLinkChanges({ row, next }, others, ctx.now.toISOString())) {
    statements.push(
      ...(await versionStatements(ctx, change, writer, indexing)),
      leadRenamedStatement(ctx, change.row.id, next),
    );
  }
  return statements;
}

/** With more documents in one step of an import, only the rows lead there. */
const MAX_RENAMED = 20;

/**
 * Writes the titles of documents that an import has overwritten, in the texts that link to them, except in those that it has
 * overwritten as well. `ids`: all overwritten. A text that changes at the same moment stays as it is.
 */
export async function renameOverwritten(
  ctx: Ctx,
  ids: readonly string[],
  writer: DocumentWriter,
): Promise<void> {
  if (ids.length === 0) return;
  const renamed = await ctx.db.all<{ id: string; title: string; earlier: string }>(sql`
    SELECT d.id, d.title, v.title AS earlier FROM ${sqlList(ids)} AS w
      CROSS JOIN documents AS d ON d.id = w.value AND d.owner = ${ctx.owner} AND d.trashed_at IS NULL
      CROSS JOIN document_versions AS v ON v.document_id = d.id AND v.version = d.version - 1 AND v.title <> d.title
    LIMIT ${MAX_RENAMED}`);
  for (const { id, title, earlier } of renamed) {
    const indexing = newDocumentIndexing(ctx);
    const linking = await linkingDocumentsStatement(ctx, sql`SELECT ${id}, ${earlier}`, writer);
    const renaming = { row: { id, title: earlier }, next: { id, title }, linking };
    const restored = new Set(ids);
    const statements = await renamedLinkStatements(ctx, renaming, { ...writer, restored }, indexing);
    if (statements.length === 0) continue;
    const { refusal } = await catchRefusal(sendBatch(ctx, statements), "stale", "quota");
    if (!refusal) await indexing.finish();
    await yieldToOthers();
  }
}

/** Writes a new version in one transaction; undefined if another write came first. Throws 404, 413. */
async function replaceVersion(
  ctx: Ctx,
  {
    ahead = [],
    linking,
    ...version
  }: SessionChange & { ahead?: Statements | undefined; linking?: readonly LinkingRow[] | undefined },
  writer: DocumentWriter,
): Promise<Document | undefined> {
  const indexing = newDocumentIndexing(ctx);
  const statements = [
    ...(await versionStatements(ctx, version, writer, indexing)),
    ...(await renamedLinkStatements(ctx, { ...version, linking }, writer, indexing)),
  ];
  const write = writeOnce(ctx, writer.once, repeatableDocument(version.next), [...ahead, ...statements]);
  const { answer } = await catchRefusal(write, "stale");
  if (answer) await indexing.finish();
  return answer;
}

/** Writes to one document queue up; otherwise all but one would prepare a version for nothing. */
const queueForDocument = createQueues({
  most: MAX_QUEUED,
  refusal: () => unavailable("Too many changes of this document at once: try again"),
});

/**
 * Changes a document, and retries if another isolate's write came first. A change of nothing keeps the version. Throws 404,
 * 412, 503 while 150 other changes of the document are queued.
 */
export const changeDocument = <Found>(
  ctx: Ctx,
  id: string,
  change: DocumentChange<Found>,
  writer: DocumentWriter,
): Promise<Document> =>
  queueForDocument(id)(() =>
    retryUntilWritten("document", async () => {
      const { row, again, begun, found, linking } = await readForUpdate(ctx, id, change, writer);
      if (again) return again;
      const next = nextDocumentState(row, await change.make(row, found), ctx.now.toISOString());
      if (!next) {
        await rejectEmptyUndo(ctx, writer);
        return presentDocument(row);
      }
      return replaceVersion(ctx, { row, next, begun, linking, ahead: change.ahead }, writer);
    }),
  );

/** `make` returns the fields to change for a row and the tags in their existing spelling. */
type ChangeWithTags = {
  title: string | undefined;
  tagging: TagChange;
  make: (row: DocumentRow, tagging: TagChange) => DocumentUpdateRequest;
  ahead: Statements;
};

/** As `changeDocument`, with tags in their existing spelling. `note`: a remark about the tags. */
export const changeWithKnownTags = (
  ctx: Ctx,
  id: string,
  { tagging, make, ahead, title }: ChangeWithTags,
  writer: DocumentWriter,
) =>
  writeWithKnownSpellings(ctx, [tagging], async ([spelled = tagging], naming) => {
    const change = {
      make: (row: DocumentRow) => make(row, spelled),
      ahead: [...ahead, ...naming.statements],
      ...titleOf({ title }),
    };
    const document = await changeDocument(ctx, id, change, writer);
    return { document, note: naming.noteFor(tagging) };
  });

const titleOf = ({ title }: DocumentUpdateRequest) => title !== undefined && { title: sql`${title}` };

/** Changes the given fields of a document. Throws 404 for a document or folder that is not the caller's, 412. */
export const updateDocument = (ctx: Ctx, id: string, fields: DocumentUpdateRequest, writer: DocumentWriter) =>
  changeDocument(ctx, id, { make: () => fields, ...titleOf(fields) }, writer);

/** The content after an edit of its text. Throws 400 if it has no text to edit, 413 if the text becomes too long. */
export function editContent({ content }: DocumentRow, edit: DocumentEditRequest): Record<string, unknown> {
  const { text } = content ?? {};
  if (typeof text === "string") return { ...content, text: editText(text, edit) };
  if (text !== undefined) throw badRequest("content.text is not text: change it with PUT");
  if (edit.operation === "find_replace" || edit.section !== undefined) {
    throw badRequest("The document has no text: use append or replace_all, without section");
  }
  return { ...(content ?? { format: "markdown" }), text: editText("", edit) };
}

/** Edits `content.text`. Throws 400 for an edit that changes nothing or cannot be applied, 404, 412, 413. */
export const editDocument = (ctx: Ctx, id: string, edit: DocumentEditRequest, writer: DocumentWriter) =>
  changeDocument(ctx, id, { make: (row) => ({ content: editContent(row, edit) }) }, writer);
