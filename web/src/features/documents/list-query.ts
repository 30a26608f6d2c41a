import type { DocumentQuery } from "../../state/cached-lists.ts";
import { type DocumentsView, documentsQuery } from "./view.ts";

// The first request of the document list. Part of the early script (web/src/shell/early.ts), so keep it small.

export const PAGE_SIZE = 100;

export const documentsPageQuery = (place: DocumentsView, offset: number): DocumentQuery => ({
  ...documentsQuery(place),
  limit: PAGE_SIZE,
  offset,
});
