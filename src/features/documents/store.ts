import { type SQL, sql } from "drizzle-orm";
import type { DocumentCreateRequest, DocumentRow, ReadDocument } from "../../contract/document.ts";
import { DocumentLinksQuery } from "../../contract/document-links.ts";
import { sameBodyKeys } from "../../engine/index.ts";
import { recordActivity } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound, unprocessable } from "../../platform/core/errors.ts";
import { writeWithKnownSpellings } from "../../platform/db/known-spellings.ts";
import { documents } from "../../platform/db/tables.ts";
import { writeOnce } from "../../platform/idempotency/store.ts";
import { searchableText } from "../../shared/markdown/content-text.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { newDocumentBytes } from "./document-size.ts";
import { invalidTimesReason } from "./document-state.ts";
import { newDocumentIndexing } from "./index-store.ts";
import { linkBytes } from "./link-bytes.ts";
import { type LinkListRows, linkListStatements, toLinkList } from "./link-list-store.ts";
import {
  documentColumns,
  ownedDocument,
  ownedDocumentOrTrashed,
  presentDocument,
  repeatableDocument,
} from "./row-store.ts";
import {
  assertOwnFolder,
  creationEntry,
  type DocumentWriter,
  documentDetailStatements,
  insertDocumentStatement,
  newDocumentRow,
  type Statements,
} from "./statement-store.ts";

/** A new document's row and statements, after those in `ahead`. Throws 413 if it is too large, 422 for invalid times. */
async function documentCreation(
  ctx: Ctx,
  input: DocumentCreateRequest,
  writer: DocumentWriter,
  ahead: Statements = [],
) {
  const row = newDocumentRow(ctx, input, writer.source_type);
  const problem = invalidTimesReason(row, ctx.now.toISOString());
  if (problem) throw unprocessable(problem);
  const indexing = newDocumentIndexing(ctx);
  const statements = [
    ...ahead,
    ...assertQuotaLeft(ctx, { documents: 1, bytes: newDocumentBytes(row) + linkBytes(row) }),
    ...assertOwnFolder(ctx, row.folder_id),
    ...recordActivity(ctx, creationEntry(row), writer),
    insertDocumentStatement(ctx, row, writer),
    ...(await documentDetailStatements(ctx, row, indexing)),
  ];
  return { row, statements, indexing };
}

/** Creates a document. With `once`, a repeated request gets the first response. Throws 404 for an unknown folder, 413, 422. */
export async function createDocument(ctx: Ctx, input: DocumentCreateRequest, writer: DocumentWriter) {
  const { row, statements, indexing } = await documentCreation(ctx, input, writer);
  const created = await writeOnce(ctx, writer.once, repeatableDocument(row), statements);
  await indexing.finish();
  return created;
}

const MAX_SIMILAR = 3;
const MAX_COMPARED = 6;

type SimilarRow = { id: string; title: string; same_text: number; same_title: number };

/** Reads documents that a new one may duplicate, after it was written. Reads a dozen rows at most. */
function similarStatement(ctx: Ctx, { id, title, content }: DocumentRow) {
  const owned = sql`owner = ${ctx.owner} AND trashed_at IS NULL`;
  const sameTitle = sql`SELECT id FROM (SELECT id FROM documents
    WHERE ${owned} AND title = ${title} COLLATE NOCASE ORDER BY id DESC LIMIT ${MAX_COMPARED})`;
  const alike = sameBodyKeys(ctx, "document", { body: searchableText(content), limit: MAX_COMPARED });
  const candidates: SQL = alike ? sql`${sameTitle} UNION SELECT record FROM (${alike})` : sameTitle;
  return ctx.db.all<SimilarRow>(sql`
    SELECT d.id, d.title, d.content IS NOT NULL AND d.content = made.content AS same_text,
      d.title = made.title COLLATE NOCASE AS same_title
    FROM (${candidates}) AS candidate
      CROSS JOIN documents AS made ON made.id = ${id}
      CROSS JOIN documents AS d ON d.id = candidate.id AND d.owner = ${ctx.owner} AND d.trashed_at IS NULL
    WHERE d.id <> ${id}`);
}

function toSimilarDocuments(found: readonly SimilarRow[]) {
  const telling = found
    .filter((one) => one.same_text === 1 || one.same_title === 1)
    .sort((a, b) => b.same_text - a.same_text || b.same_title - a.same_title || (a.id < b.id ? 1 : -1));
  return telling.slice(0, MAX_SIMILAR).map(({ id, title, same_text, same_title }) => {
    const [text, name] = [same_text === 1 ? ["same text"] : [], same_title === 1 ? ["same title"] : []];
    return { id, title, why: [...text, ...name].join(", ") };
  });
}

/** Creates a document and finds similar ones in the same call. `note`: a remark about its tags. */
export const createWithSimilar = (
  ctx: Ctx,
  input: DocumentCreateRequest,
  writer: DocumentWriter,
  ahead: Statements,
) =>
  writeWithKnownSpellings(ctx, [input], async ([spelled = input], naming) => {
    const first = [...ahead, ...naming.statements];
    const { row, statements, indexing } = await documentCreation(ctx, spelled, writer, first);
    const last = similarStatement(ctx, row);
    const results = await ctx.db.batch([...statements, last]);
    await indexing.finish();
    const similar = toSimilarDocuments(results.at(-1) as SimilarRow[]);
    return { document: presentDocument(row), similar, note: naming.noteFor(input) };
  });

type Reading = { trashed?: boolean; include?: "links" | undefined };

const FIRST_LINKS = DocumentLinksQuery.parse({});

/** One of the caller's documents; with `trashed`, also from the trash. Throws 404. */
export async function getDocument(
  ctx: Ctx,
  id: string,
  { trashed = false, include }: Reading = {},
): Promise<ReadDocument> {
  const read = ctx.db
    .select({ ...documentColumns, trashed_at: documents.trashed_at })
    .from(documents)
    .where(trashed ? ownedDocumentOrTrashed(ctx, id) : ownedDocument(ctx, id));
  const [[row], ...linked] = await ctx.db.batch([
    read,
    ...(include ? linkListStatements(ctx, id, FIRST_LINKS) : []),
  ]);
  if (!row) throw notFound();
  const { trashed_at, ...document } = row;
  return {
    ...presentDocument(document),
    ...(trashed_at !== null && { trashed_at }),
    ...(include && { links: toLinkList(linked as unknown as LinkListRows, FIRST_LINKS) }),
  };
}
