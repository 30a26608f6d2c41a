import { type SQL, sql } from "drizzle-orm";
import type { Document, DocumentCreateRequest, DocumentRow } from "../../contract/document.ts";
import { sameBodyKeys } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { writeWithKnownSpellings } from "../../platform/db/known-spellings.ts";
import { searchableText } from "../../shared/markdown/content-text.ts";
import { presentDocument } from "./row-store.ts";
import type { DocumentWriter } from "./statement-store.ts";
import { documentCreation } from "./store.ts";

const MAX_SIMILAR = 3;
const MAX_COMPARED = 6;

export type SimilarDocument = { id: string; title: string; why: string };

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

function toSimilarDocuments(found: readonly SimilarRow[]): SimilarDocument[] {
  const telling = found
    .filter((one) => one.same_text === 1 || one.same_title === 1)
    .sort((a, b) => b.same_text - a.same_text || b.same_title - a.same_title || (a.id < b.id ? 1 : -1));
  return telling.slice(0, MAX_SIMILAR).map(({ id, title, same_text, same_title }) => {
    const [text, name] = [same_text === 1 ? ["same text"] : [], same_title === 1 ? ["same title"] : []];
    return { id, title, why: [...text, ...name].join(", ") };
  });
}

type CreatedWithSimilar = { document: Document; similar: SimilarDocument[]; note?: string | undefined };

/** Creates a document and finds similar ones in the same call. `note`: a remark about its tags. */
export const createWithSimilar = (
  ctx: Ctx,
  input: DocumentCreateRequest,
  writer: DocumentWriter,
  ahead: readonly BatchItem[],
): Promise<CreatedWithSimilar> =>
  writeWithKnownSpellings(ctx, [input], async ([spelled = input], naming) => {
    const first = [...ahead, ...naming.statements];
    const { row, statements, indexing } = await documentCreation(ctx, spelled, writer, first);
    const last = similarStatement(ctx, row);
    const results = await ctx.db.batch([...statements, last]);
    await indexing.finish();
    const similar = toSimilarDocuments(results.at(-1) as SimilarRow[]);
    return { document: presentDocument(row), similar, note: naming.noteFor(input) };
  });
