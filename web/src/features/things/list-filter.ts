import type { DocumentListQuery } from "../../../../src/contract/document.ts";
import type { ChangeableDocument } from "../../state/pending-changes.ts";
import { hasTag } from "../../state/tags.ts";

export type DocumentListFilter = Pick<DocumentListQuery, "folder_id" | "tag">;

/** Whether a list with this filter shows the document. */
export const matchesFilter = (
  { folder_id = "any", tag = [] }: Partial<DocumentListFilter>,
  document: Pick<ChangeableDocument, "folder_id" | "tags">,
): boolean =>
  (folder_id === "any" || folder_id === (document.folder_id ?? "none")) &&
  tag.every((one) => hasTag(document.tags, one));
