import type { DocumentRow } from "../../contract/document.ts";

/** The fields that differ. Comparing long contents is slow, but mostly they are the same object. */
export const changedFields = (row: DocumentRow, next: DocumentRow): (keyof DocumentRow)[] =>
  (Object.keys(next) as (keyof DocumentRow)[]).filter(
    (name) => row[name] !== next[name] && JSON.stringify(row[name]) !== JSON.stringify(next[name]),
  );

export const isUnchanged = (row: DocumentRow, next: DocumentRow): boolean =>
  changedFields(row, next).length === 0;
