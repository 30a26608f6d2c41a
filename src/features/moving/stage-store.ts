import type { BatchItem } from "drizzle-orm/batch";
import { longIndexStatements } from "../../engine/index.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
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

/** The sides differ: what was copied cannot be used. */
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

const KINDS = { documents: "document", memories: "memory" } as const;
type Indexed = keyof typeof KINDS;

const INDEXED_AT_ONCE = 50;

const indexing = (moved: MovedTable, table: Indexed): Stage => ({
  name: `index ${table}`,
  step: async ({ to }, after) => {
    const rows = await readRows(to, moved, after, INDEXED_AT_ONCE);
    const living = objectsOf(moved, rows).filter(({ trashed_at }) => trashed_at === null);
    const write: BatchItem<"sqlite">[] = [];
    for (const row of living) {
      const entry = { kind: KINDS[table], record: String(row.id), ...storedEntry(KINDS[table], row) };
      write.push(...(await longIndexStatements(to, entry)));
    }
    return { write, after: lastKey(moved, rows) };
  },
});

const textOf = (rows: Row[]) => JSON.stringify(rows);

const comparing = (moved: MovedTable): Stage => ({
  name: `compare ${nameOf(moved)}`,
  step: async ({ from, to }, after) => {
    const [rows, copied] = await Promise.all([readRows(from, moved, after), readRows(to, moved, after)]);
    if (textOf(rows) !== textOf(copied)) throw new Differs(`The copy of ${nameOf(moved)} differs`);
    return { write: [], after: lastKey(moved, rows) };
  },
});

const indexed = MOVED.flatMap((moved) => {
  const name = nameOf(moved);
  return name in KINDS ? [indexing(moved, name as Indexed)] : [];
});

export const STAGES: Stage[] = [
  ...MOVED.flatMap((moved) => (moved.later ? [copying(moved), referring(moved)] : [copying(moved)])),
  ...indexed,
  ...MOVED.map(comparing),
];
