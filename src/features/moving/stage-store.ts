import type { BatchItem } from "drizzle-orm/batch";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { contentText } from "../../contract/markdown/content-text.ts";
import { entryOf } from "../../memories/search-entry.ts";
import { longIndexStatements } from "../../engine/index-store.ts";
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

// The stages of a copy, each of which goes through one table: copying it, indexing it, and comparing both sides.

/** An account in one home. */
export type Side = BaseCtx & { owner: number };
export type Sides = { from: Side; to: Side };

/** What a step of a stage writes on the new side, and where the next one begins; without that, the stage is finished. */
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

/** How many records a step indexes. */
const INDEXED_AT_ONCE = 50;

function textsOf(table: Indexed, row: Record<string, Value>) {
  const tags = JSON.parse(String(row.tags)) as string[];
  if (table === "documents") {
    const content = row.content === null ? null : JSON.parse(String(row.content));
    return { title: String(row.title), tags, text: contentText(content) };
  }
  const textOrNull = (value: Value | undefined) =>
    value === null || value === undefined ? null : String(value);
  return entryOf({
    topic: String(row.topic),
    content: String(row.content),
    tags,
    project: textOrNull(row.project),
    memory_type: String(row.memory_type),
    due_date: textOrNull(row.due_date),
  });
}

const indexing = (moved: MovedTable, table: Indexed): Stage => ({
  name: `index ${table}`,
  step: async ({ to }, after) => {
    const rows = await readRows(to, moved, after, INDEXED_AT_ONCE);
    const living = objectsOf(moved, rows).filter(({ trashed_at }) => trashed_at === null);
    const write: BatchItem<"sqlite">[] = [];
    for (const row of living) {
      const entry = { kind: KINDS[table], record: String(row.id), ...textsOf(table, row) };
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

/** Every stage, in order. */
export const STAGES: Stage[] = [
  ...MOVED.flatMap((moved) => (moved.later ? [copying(moved), referring(moved)] : [copying(moved)])),
  ...indexed,
  ...MOVED.map(comparing),
];
