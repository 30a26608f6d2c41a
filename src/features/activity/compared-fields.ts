import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { DOCUMENT_FIELDS } from "../../contract/document-fields.ts";
import { type FieldSpec, fieldNamesWith } from "../../contract/field-spec.ts";
import { MEMORY_FIELDS } from "../../contract/memory-fields.ts";
import { documents, memories } from "../../platform/db/tables.ts";

const FIELDS: Record<VersionedKind, Record<string, FieldSpec>> = {
  document: DOCUMENT_FIELDS,
  memory: MEMORY_FIELDS,
};
const TABLES = { document: documents, memory: memories };

export type VersionedKind = "document" | "memory";

/** The text is compared separately, because it can be long. */
export const TEXT_FIELD = "content";

const differenceKindsOf = (kind: VersionedKind) =>
  fieldNamesWith(FIELDS[kind], "difference").map(
    (name) => [FIELDS[kind][name]?.label ?? name, FIELDS[kind][name]?.difference] as const,
  );

export const DIFFERENCE_KINDS: Record<VersionedKind, Map<string, FieldSpec["difference"]>> = {
  document: new Map(differenceKindsOf("document")),
  memory: new Map(differenceKindsOf("memory")),
};

function columnJson(kind: VersionedKind, name: string, of: string): string {
  const columns: Record<string, { dataType: string }> = getTableColumns(TABLES[kind]);
  return columns[name]?.dataType === "json" ? `json(${of}${name})` : `${of}${name}`;
}

/** The columns whose differences are listed, as arguments of json_object. `of`: the table's alias. */
export const differenceColumns = (of: string): SQL =>
  sql.raw(
    fieldNamesWith(DOCUMENT_FIELDS, "difference")
      .filter((name) => name !== TEXT_FIELD)
      .map((name) => `'${FIELDS.document[name]?.label ?? name}', ${columnJson("document", name, `${of}.`)}`)
      .join(", "),
  );

/** The fields shown when an undo conflicts, as arguments of json_object. */
export const conflictColumns = (kind: VersionedKind): SQL =>
  sql.raw(
    fieldNamesWith(FIELDS[kind], "compared")
      .map((name) => `'${name}', ${columnJson(kind, name, "")}`)
      .join(", "),
  );

/** The same for the state stored with a record's event. */
export const conflictColumnsInState: SQL = sql.raw(
  fieldNamesWith(MEMORY_FIELDS, "compared")
    .map((name) => `'${name}', state -> '$.${name}'`)
    .join(", "),
);
