import { useMemo } from "react";
import type { Document } from "../../api/documents.ts";
import type { StoredDraft } from "../../state/document-drafts.ts";
import { usePendingTick } from "./tick.ts";
import { documentWithDraft } from "./with-draft.ts";

/**
 * A document with its pending draft and ticks, merged with the newest version: a change based on what is on screen must not
 * revert anything.
 */
export function usePendingDocument(document: Document, draft: StoredDraft | undefined): Document {
  const ticked = usePendingTick(document.id);
  return useMemo(
    () => documentWithDraft(documentWithDraft(document, draft), ticked),
    [document, draft, ticked],
  );
}
