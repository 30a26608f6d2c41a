import { indexStatementsInSteps } from "../../engine/index.ts";
import type { OwnerCtx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { nameEntry, pageEntry } from "../file-text/search-entry.ts";
import { entryOfRow } from "../indexed/entry.ts";
import {
  insertRowsStatements,
  lastRowKey,
  MIGRATED_TABLES,
  type MigratedRow,
  type MigratedTable,
  type RowValue,
  readRows,
  rowsToObjects,
  setReferencesStatements,
  tableName,
} from "./rows-store.ts";

export type BothShards = { from: OwnerCtx; to: OwnerCtx };

type CopyStep = { write: BatchItem[]; after?: RowValue[] | undefined };

type CopyStage = { name: string; step: (sides: BothShards, after: RowValue[]) => Promise<CopyStep> };

/** The copy differs from the original and cannot be used. */
export class CopyDiffersError extends Error {}

type RowStatements = (to: OwnerCtx, moved: MigratedTable, rows: MigratedRow[]) => BatchItem[];

const writing = (verb: "copy" | "link", statements: RowStatements, moved: MigratedTable): CopyStage => ({
  name: `${verb} ${tableName(moved)}`,
  step: async ({ from, to }, after) => {
    const rows = await readRows(from, moved, after);
    return { write: rows.length > 0 ? statements(to, moved, rows) : [], after: lastRowKey(moved, rows) };
  },
});

type Stored = Record<string, RowValue>;

const isNotTrashed = ({ trashed_at }: Stored) => trashed_at === null;
const recordIn = (kind: "document" | "memory") => (row: Stored) => ({
  kind,
  record: String(row.id),
  ...entryOfRow(kind, row),
});

/** Search entries of the rows of a table; undefined for rows that search does not find. */
const ENTRIES: Record<string, (row: Stored) => Parameters<typeof indexStatementsInSteps>[1] | undefined> = {
  documents: (row) => (isNotTrashed(row) ? recordIn("document")(row) : undefined),
  memories: (row) => (isNotTrashed(row) ? recordIn("memory")(row) : undefined),
  files: ({ id, name, alt }) =>
    nameEntry({ id: String(id), name: String(name), alt: alt === null ? null : String(alt) }),
  file_texts: ({ file_id, page, text }) => pageEntry(String(file_id), Number(page), String(text)),
};

const INDEXED_PER_STEP = 50;

const indexing = (moved: MigratedTable): CopyStage => ({
  name: `index ${tableName(moved)}`,
  step: async ({ to }, after) => {
    const rows = await readRows(to, moved, after, INDEXED_PER_STEP);
    const write: BatchItem[] = [];
    for (const row of rowsToObjects(moved, rows)) {
      const entry = ENTRIES[tableName(moved)]?.(row);
      if (entry) write.push(...(await indexStatementsInSteps(to, entry)));
    }
    return { write, after: lastRowKey(moved, rows) };
  },
});

const comparing = (moved: MigratedTable): CopyStage => ({
  name: `compare ${tableName(moved)}`,
  step: async ({ from, to }, after) => {
    const [rows, copied] = await Promise.all([readRows(from, moved, after), readRows(to, moved, after)]);
    if (JSON.stringify(rows) !== JSON.stringify(copied))
      throw new CopyDiffersError(`The copy of ${tableName(moved)} differs`);
    return { write: [], after: lastRowKey(moved, rows) };
  },
});

const indexed = MIGRATED_TABLES.filter((moved) => tableName(moved) in ENTRIES).map(indexing);

export const COPY_STAGES: CopyStage[] = [
  ...MIGRATED_TABLES.flatMap((moved) => [
    writing("copy", insertRowsStatements, moved),
    ...(moved.selfReference ? [writing("link", setReferencesStatements, moved)] : []),
  ]),
  ...indexed,
  ...MIGRATED_TABLES.map(comparing),
];
