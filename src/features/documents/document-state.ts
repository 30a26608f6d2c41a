import type { DocumentCreateRequest, DocumentRow, DocumentUpdateRequest } from "../../contract/document.ts";

// The next state of a document, and its timestamps, which a caller can set. All have the same format, so they sort as strings.

type GivenTimes = Pick<DocumentCreateRequest, "created_at" | "updated_at">;

/** The fields that differ. Comparing long contents is slow, but mostly they are the same object. */
export const changedFields = (row: DocumentRow, next: DocumentRow): (keyof DocumentRow)[] =>
  (Object.keys(next) as (keyof DocumentRow)[]).filter(
    (name) => row[name] !== next[name] && JSON.stringify(row[name]) !== JSON.stringify(next[name]),
  );

/** A new document's timestamps. If one is given, it is used for all; if none is, all are now. */
export const newDocumentTimes = ({ created_at, updated_at }: GivenTimes, now: string) => ({
  created_at: created_at ?? updated_at ?? now,
  updated_at: updated_at ?? created_at ?? now,
  changed_at: updated_at ?? created_at ?? now,
});

/** The fields to change. `changed_at` is only given for a restored text, which keeps its age. */
export type FieldsToWrite = DocumentUpdateRequest & GivenTimes & { changed_at?: string };

/** Fields that count as a change of the text. Filing (tags, folder) does not. */
const TEXT_FIELDS: readonly (keyof DocumentRow)[] = ["title", "content"];

export const hasSameText = (row: DocumentRow, next: DocumentRow): boolean =>
  !changedFields(row, next).some((name) => TEXT_FIELDS.includes(name));

function textChangedAt(
  row: DocumentRow,
  { changed_at, updated_at }: FieldsToWrite,
  changed: (keyof DocumentRow)[],
  now: string,
) {
  if (updated_at !== undefined) return updated_at;
  return changed.some((name) => TEXT_FIELDS.includes(name)) ? (changed_at ?? now) : row.changed_at;
}

/** The next state of a document, or undefined if nothing changes. Decides `changed_at` for all changes of a row. */
export function nextDocumentState(
  row: DocumentRow,
  fields: FieldsToWrite,
  now: string,
): DocumentRow | undefined {
  const { changed_at: _, ...given } = fields;
  const next = { ...row, ...given };
  const changed = changedFields(row, next);
  if (changed.length === 0) return undefined;
  const at = textChangedAt(row, fields, changed, now);
  return {
    ...next,
    version: row.version + 1,
    updated_at: given.updated_at ?? now,
    changed_at: at < next.created_at ? next.created_at : at,
  };
}

export function invalidTimesReason(
  { created_at, updated_at }: Pick<DocumentRow, "created_at" | "updated_at">,
  now: string,
): string | undefined {
  if (created_at > now) return "created_at: must not be in the future";
  if (updated_at > now) return "updated_at: must not be in the future";
  return updated_at < created_at ? "updated_at: must not be before created_at" : undefined;
}
