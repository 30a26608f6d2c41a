import type { Document, DocumentRow, DocumentUpdateRequest } from "../../contract/document.ts";
import type { TagChange } from "../../contract/tag-rule.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { writeWithKnownSpellings } from "../../platform/db/known-spellings.ts";
import { changeDocument } from "./change-store.ts";
import type { DocumentWriter } from "./statement-store.ts";

/** `make` returns the fields to change for a row and the tags in their existing spelling. `ahead`: first in the transaction. */
type ChangeWithTags = {
  tagging: TagChange;
  make: (row: DocumentRow, tagging: TagChange) => DocumentUpdateRequest;
  ahead: readonly BatchItem[];
};

/** As `changeDocument`, with tags in their existing spelling. `note`: a remark about the tags. */
export const changeWithKnownTags = (
  ctx: Ctx,
  id: string,
  { tagging, make, ahead }: ChangeWithTags,
  writer: DocumentWriter,
): Promise<{ document: Document; note?: string | undefined }> =>
  writeWithKnownSpellings(ctx, [tagging], async ([spelled = tagging], naming) => {
    const change = {
      make: (row: DocumentRow) => make(row, spelled),
      ahead: [...ahead, ...naming.statements],
    };
    const document = await changeDocument(ctx, id, change, writer);
    return { document, note: naming.noteFor(tagging) };
  });
