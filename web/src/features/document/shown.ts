import { useMemo } from "react";
import type { Document } from "../../api/documents.ts";
import type { Kept } from "../../state/document-drafts.ts";
import { useTicked } from "./tick.ts";
import { documentWith } from "./with-draft.ts";

/**
 * A document as it is read, with the draft that waits and with what was just ticked: merged with what the service has by
 * now, because a change that is based on what is shown must not take anything back.
 */
export function useShown(document: Document, draft: Kept | undefined): Document {
  const ticked = useTicked(document.id);
  return useMemo(() => documentWith(documentWith(document, draft), ticked), [document, draft, ticked]);
}
