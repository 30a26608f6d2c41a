import type { BatchItem } from "drizzle-orm/batch";
import { longIndexStatements } from "../../engine/index.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { nameEntry, pageEntry } from "../file-text/entry.ts";
import { storedEntry } from "../indexed/entry.ts";
import {
  lastKey,
  MOVED,
  type MovedTable,
  nameOf,
  objectsOf,
  type Row,
  readRows,
  referStatements,
  type Value,
  writeStatements,
} from "./rows-store.ts";

export type Side = BaseCtx & { owner: number };
export type Sides = { from: Side; to: Side };

export type Step = { write: BatchItem<"sqlite">[]; after?: Value[] | undefined };

export type Stage = { name: string; step: (sides: Sides, after: Value[]) => Promise<Step> };

/** The copy differs from the original and cannot be used. */
export class Differs extends Error {}

const copying = (moved: MovedTable): Stage => ({
  name: `copy ${nameOf(moved)}`,
  step: async ({ from, to }, after) => {
    const rows = await readRows(from, moved, after);
    return { write: rows.length > 0 ? writeStatements(to, moved, rows) : [], after: lastKey(moved, rows) };
  },
});

const referring = (moved: MovedTable): Stage => ({
  name: `link ${nameOf(moved)}`,
  step: async ({ from, to }, after) => {
    const rows = await readRows(from, moved, after);
    return { write: rows.length > 0 ? referStatements(to, moved, rows) : [], after: lastKey(moved, rows) };
  },
});

type Stored = Record<string, Value>;

const isNotTrashed = ({ trashed_at }: Stored) => trashed_at === null;
const recordIn = (kind: "document" | "memory") => (row: Stored) => ({
  kind,
  record: String(row.id),
  ...storedEntry(kind, row),
});

/** Search entries of the rows of a table; undefined for rows that search does not find. */
const ENTRIES: Record<string, (row: Stored) => Parameters<typeof longIndexStatements>[1] | undefined> = {
  documents: (row) => (isNotTrashed(row) ? recordIn("document")(row) : undefined),
  memories: (row) => (isNotTrashed(row) ? recordIn("memory")(row) : undefined),
  files: ({ id, name, alt }) =>
    nameEntry({ id: String(id), name: String(name), alt: alt === null ? null : String(alt) }),
  file_texts: ({ file_id, page, text }) => pageEntry(String(file_id), Number(page), String(text)),
};

const INDEXED_PER_STEP = 50;

const indexing = (moved: MovedTable): Stage => ({
  name: `index ${nameOf(moved)}`,
  step: async ({ to }, after) => {
    const rows = await readRows(to, moved, after, INDEXED_PER_STEP);
    const write: BatchItem<"sqlite">[] = [];
    for (const row of objectsOf(moved, rows)) {
      const entry = ENTRIES[nameOf(moved)]?.(row);
      if (entry) write.push(...(await longIndexStatements(to, entry)));
    }
    return { write, after: lastKey(moved, rows) };
  },
});

const toText = (rows: Row[]) => JSON.stringify(rows);

const comparing = (moved: MovedTable): Stage => ({
  name: `compare ${nameOf(moved)}`,
  step: async ({ from, to }, after) => {
    const [rows, copied] = await Promise.all([readRows(from, moved, after), readRows(to, moved, after)]);
    if (toText(rows) !== toText(copied)) throw new Differs(`The copy of ${nameOf(moved)} differs`);
    return { write: [], after: lastKey(moved, rows) };
  },
});

const indexed = MOVED.filter((moved) => nameOf(moved) in ENTRIES).map(indexing);

export const STAGES: Stage[] = [
  ...MOVED.flatMap((moved) => (moved.later ? [copying(moved), referring(moved)] : [copying(moved)])),
  ...indexed,
  ...MOVED.map(comparing),
];
