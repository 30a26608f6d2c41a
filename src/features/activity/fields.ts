import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { DOCUMENT } from "../../contract/document-fields.ts";
import { type Field, namesOf } from "../../contract/field.ts";
import { MEMORY } from "../../contract/memory-fields.ts";
import { documents, memories } from "../../platform/db/tables.ts";

const FIELDS: Record<Versioned, Record<string, Field>> = { document: DOCUMENT, memory: MEMORY };
const TABLES = { document: documents, memory: memories };

export type Versioned = "document" | "memory";

/** The text is compared separately, because it can be long. */
export const TEXT = "content";

const differenceKindsOf = (kind: Versioned) =>
  namesOf(FIELDS[kind], "difference").map(
    (name) => [FIELDS[kind][name]?.label ?? name, FIELDS[kind][name]?.difference] as const,
  );

export const DIFFERENCES: Record<Versioned, Map<string, Field["difference"]>> = {
  document: new Map(differenceKindsOf("document")),
  memory: new Map(differenceKindsOf("memory")),
};

function columnJson(kind: Versioned, name: string, of: string): string {
  const columns: Record<string, { dataType: string }> = getTableColumns(TABLES[kind]);
  return columns[name]?.dataType === "json" ? `json(${of}${name})` : `${of}${name}`;
}

/** The columns whose differences are listed, as arguments of json_object. `of`: the table's alias. */
export const differingJson = (of: string): SQL =>
  sql.raw(
    namesOf(DOCUMENT, "difference")
      .filter((name) => name !== TEXT)
      .map((name) => `'${FIELDS.document[name]?.label ?? name}', ${columnJson("document", name, `${of}.`)}`)
      .join(", "),
  );

/** The fields shown when an undo conflicts, as arguments of json_object. */
export const comparedJson = (kind: Versioned): SQL =>
  sql.raw(
    namesOf(FIELDS[kind], "compared")
      .map((name) => `'${name}', ${columnJson(kind, name, "")}`)
      .join(", "),
  );

/** The same for the state stored with a record's event. */
export const comparedInState: SQL = sql.raw(
  namesOf(MEMORY, "compared")
    .map((name) => `'${name}', state -> '$.${name}'`)
    .join(", "),
);
