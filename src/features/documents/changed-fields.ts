import type { DocumentRow } from "../../contract/document.ts";

/**
 * The names of the fields that differ between two states of a document. To compare a long content takes a while, and in
 * most changes it is the same object.
 */
export const changedFields = (row: DocumentRow, next: DocumentRow): (keyof DocumentRow)[] =>
  (Object.keys(next) as (keyof DocumentRow)[]).filter(
    (name) => row[name] !== next[name] && JSON.stringify(row[name]) !== JSON.stringify(next[name]),
  );

/** Whether two states of a document are the same. */
export const isUnchanged = (row: DocumentRow, next: DocumentRow): boolean =>
  changedFields(row, next).length === 0;
