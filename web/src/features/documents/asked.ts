import type { DocumentQuery } from "../../state/copied-lists.ts";
import { type Place, queryOf } from "./place.ts";

// The first request of the document list. Part of the early script (web/src/shell/early.ts), so keep it small.

export const PAGE = 100;

export const pageOf = (place: Place, offset: number): DocumentQuery => ({
  ...queryOf(place),
  limit: PAGE,
  offset,
});
