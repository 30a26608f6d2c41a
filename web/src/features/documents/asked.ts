import type { DocumentQuery } from "../../state/copied-lists.ts";
import { type Place, queryOf } from "./place.ts";

// What the list of documents asks first. The early script (web/src/shell/early.ts) has all of this in it: nothing large
// belongs here.

export const PAGE = 100;

/** A page of the documents of a place. */
export const pageOf = (place: Place, offset: number): DocumentQuery => ({
  ...queryOf(place),
  limit: PAGE,
  offset,
});
