import { useMemo } from "react";
import type { Document } from "../../api/documents.ts";
import type { Kept } from "../../state/document-drafts.ts";
import { useTicked } from "./tick.ts";
import { documentWith } from "./with-draft.ts";

/**
 * A document with its pending draft and ticks, merged with the newest version: a change based on what is on screen must not
 * revert anything.
 */
export function useShown(document: Document, draft: Kept | undefined): Document {
  const ticked = useTicked(document.id);
  return useMemo(() => documentWith(documentWith(document, draft), ticked), [document, draft, ticked]);
}
