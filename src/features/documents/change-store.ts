import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Document, DocumentRow, DocumentUpdateRequest } from "../../contract/document.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound, preconditionFailed, unavailable } from "../../platform/core/errors.ts";
import { untilWritten } from "../../platform/core/retry.ts";
import { unless } from "../../platform/db/call.ts";
import { documents } from "../../platform/db/tables.ts";
import { allowsChange } from "../../platform/http/etag.ts";
import {
  type Row as Stored,
  storedOf,
  storedStatement,
  writeOnce,
} from "../../platform/idempotency/store.ts";
import { continued, sittingStatement } from "../../platform/ledger/sitting-store.ts";
import { mustChange, recorded } from "../../platform/ledger/store.ts";
import { MOST_WAITING } from "../../platform/turns/account-turns.ts";
import { queuesOf } from "../../platform/turns/queue.ts";
import { mustHaveRoom } from "../billing/quota-store.ts";
import { bytesOfChange } from "./document-size.ts";
import { editText, type TextEdit } from "./edit-text.ts";
import { type Indexing, newIndexing } from "./index-store.ts";
import { columns, documentAgain, ownedById, present, repeatable, type StoredDocument } from "./row-store.ts";
import {
  changedDetails,
  changeOf,
  keepStatement,
  mustBeAtVersion,
  mustOwnFolder,
  rowStatement,
  type Statements,
  type Writer,
} from "./statement-store.ts";
import { type NewFields, nextState } from "./times.ts";

/** `make` returns the fields to change, or throws. `read`: sent along with the read. `ahead`: first in the transaction. */
export type Change<Found = never> = {
  make: (row: DocumentRow, found: Found[]) => NewFields | Promise<NewFields>;
  read?: BatchItem<"sqlite">;
  ahead?: Statements;
};

/** Reads a document, or the response to an earlier request with this idempotency key. Throws 404, or 412 for If-Match. */
async function readForUpdate<Found>(ctx: Ctx, id: string, { read }: Change<Found>, writer: Writer) {
  const { ifMatch, once, sitting } = writer;
  const [[row], ...others] = (await ctx.db.batch([
    ctx.db.select(columns).from(documents).where(ownedById(ctx, id)),
    ...(once ? [storedStatement(ctx, once)] : []),
    ...(sitting ? [sittingStatement(ctx, id, writer)] : []),
    ...(read ? [read] : []),
  ])) as [DocumentRow[], ...unknown[][]];
  const earlier = once && storedOf<StoredDocument>(ctx, once, others.shift() as Stored[]);
  if (earlier) return { again: await documentAgain(ctx, earlier, row) };
  if (!row) throw notFound();
  if (!allowsChange(ifMatch, row.version)) throw preconditionFailed();
  const [begun] = (sitting ? others.shift() : []) as { number: number }[];
  return { row, begun: begun?.number, found: (others[0] ?? []) as Found[] };
}

/** `begun`: the activity entry of the edit session that this change continues, if any. */
type VersionChange = { row: DocumentRow; next: DocumentRow; begun?: number | undefined };

function historyStatements(ctx: Ctx, { row, next, begun }: VersionChange, writer: Writer) {
  const entry = changeOf(row, next);
  return begun !== undefined && entry.verb === "changed"
    ? continued(ctx, entry, begun, writer)
    : [...recorded(ctx, entry, writer), keepStatement(ctx, sql`documents.id = ${next.id}`)];
}

/** The statements that write a new state and keep the previous one as a version. Fail as stale if another write came first. */
export const versionStatements = async (
  ctx: Ctx,
  version: VersionChange,
  writer: Writer,
  indexing: Indexing,
): Promise<BatchItem<"sqlite">[]> => [
  mustBeAtVersion(ctx, version.row.id, version.row.version),
  ...mustHaveRoom(ctx, { bytes: bytesOfChange(version.row, version.next) }),
  ...mustOwnFolder(ctx, version.next.folder_id),
  ...historyStatements(ctx, version, writer),
  rowStatement(ctx, version, writer),
  ...(await changedDetails(ctx, version, indexing)),
];

/** Writes a new version in one transaction; undefined if another write came first. Throws 404, 413. */
async function replaceVersion(
  ctx: Ctx,
  { ahead = [], ...version }: VersionChange & { ahead?: Statements | undefined },
  writer: Writer,
): Promise<Document | undefined> {
  const indexing = newIndexing(ctx);
  const statements = await versionStatements(ctx, version, writer, indexing);
  const write = writeOnce(ctx, writer.once, repeatable(version.next), [...ahead, ...statements]);
  const { answer } = await unless(write, "stale");
  if (answer) await indexing.finish();
  return answer;
}

/** Writes to one document queue up; otherwise all but one would prepare a version for nothing. */
const queueForDocument = queuesOf({
  most: MOST_WAITING,
  refusal: () => unavailable("Too many changes of this document at once: try again"),
});

/**
 * Changes a document, and retries if another isolate's write came first. A change of nothing keeps the version. Throws 404,
 * 412, 503 while 150 other changes of the document are queued.
 */
export const changeDocument = <Found>(
  ctx: Ctx,
  id: string,
  change: Change<Found>,
  writer: Writer,
): Promise<Document> => queueForDocument(id)(() => changeNow(ctx, id, change, writer));

const changeNow = <Found>(ctx: Ctx, id: string, change: Change<Found>, writer: Writer): Promise<Document> =>
  untilWritten("document", async () => {
    const { row, again, begun, found } = await readForUpdate(ctx, id, change, writer);
    if (again) return again;
    const next = nextState(row, await change.make(row, found), ctx.now.toISOString());
    if (!next) {
      await mustChange(ctx, writer);
      return present(row);
    }
    return replaceVersion(ctx, { row, next, begun, ahead: change.ahead }, writer);
  });

/** Changes the given fields of a document. Throws 404 for a document or folder that is not the caller's, 412. */
export const updateDocument = (ctx: Ctx, id: string, fields: DocumentUpdateRequest, writer: Writer) =>
  changeDocument(ctx, id, { make: () => fields }, writer);

/** The content after an edit of its text. Throws 400 if it has no text to edit, 413 if the text becomes too long. */
export function editContent({ content }: DocumentRow, edit: TextEdit): Record<string, unknown> {
  const { text } = content ?? {};
  if (typeof text === "string") return { ...content, text: editText(text, edit) };
  if (text !== undefined) throw badRequest("content.text is not text: change it with PUT");
  if (edit.operation === "find_replace" || edit.section !== undefined) {
    throw badRequest("The document has no text: use append or replace_all, without section");
  }
  return { ...(content ?? { format: "markdown" }), text: editText("", edit) };
}

/** Edits `content.text`. Throws 400 for an edit that changes nothing or cannot be applied, 404, 412, 413. */
export const editDocument = (ctx: Ctx, id: string, edit: TextEdit, writer: Writer): Promise<Document> =>
  changeDocument(ctx, id, { make: (row) => ({ content: editContent(row, edit) }) }, writer);
