import type { DocumentRow } from "../../contract/document.ts";

/** The fields that differ. Comparing a long content takes a while; in most changes it is the same object. */
export const changedFields = (row: DocumentRow, next: DocumentRow): (keyof DocumentRow)[] =>
  (Object.keys(next) as (keyof DocumentRow)[]).filter(
    (name) => row[name] !== next[name] && JSON.stringify(row[name]) !== JSON.stringify(next[name]),
  );

export const isUnchanged = (row: DocumentRow, next: DocumentRow): boolean =>
  changedFields(row, next).length === 0;
