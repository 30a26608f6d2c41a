import type { DocumentListQuery } from "../../../../src/contract/document.ts";
import { hasTag } from "../../state/tags.ts";
import type { Changeable } from "../../state/waiting-changes.ts";

export type ListQuery = Pick<DocumentListQuery, "folder_id" | "tag">;

/** Whether a list with this filter shows the document. */
export const fits = (
  { folder_id = "any", tag = [] }: Partial<ListQuery>,
  document: Pick<Changeable, "folder_id" | "tags">,
): boolean =>
  (folder_id === "any" || folder_id === (document.folder_id ?? "none")) &&
  tag.every((one) => hasTag(document.tags, one));
