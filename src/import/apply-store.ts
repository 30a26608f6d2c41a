import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Ctx } from "../core/ctx.ts";
import type { imports } from "../db/tables.ts";
import {
  type ImportedDocument,
  importStatements,
  overwriteStatements,
  versionStatement,
} from "../documents/import-store.ts";
import { isRecord, type Line, type RecordLine, readLine } from "../export/format.ts";
import {
  FIRST_REMAPPED_ID,
  importEventStatement,
  importMemoryStatements,
  overwriteMemoryStatements,
} from "../memories/import-store.ts";
import { remap, remapNumber } from "./remap.ts";
import type { ImportMode } from "./schema.ts";
import type { State } from "./state.ts";

type AnyId = string | number;

/** How many lines one step applies: one transaction, with the cursor that says how far it came. */
const LINES_AT_ONCE = 100;

type Row = typeof imports.$inferSelect;
type Kind = "folder" | "document" | "memory";
type OfType<Type extends Line["type"]> = Extract<Line, { type: Type }>;

/** Where a record goes: under which id, and what is there already. */
type Target<Id extends AnyId> = { id: Id; exists: boolean; remapped: boolean };

/** Everything that a step knows while it makes its statements. */
type Step = {
  ctx: Ctx;
  mode: ImportMode;
  salt: string;
  owners: Record<Kind, Map<AnyId, number>>;
  state: State;
  statements: Promise<readonly BatchItem<"sqlite">[]>[];
  when: SQL;
};

const TABLES: Record<Kind, SQL> = {
  folder: sql`folders`,
  document: sql`documents`,
  memory: sql`memories`,
};

/** The id that a record gets where its own is taken. */
const otherId = <Id extends AnyId>(salt: string, kind: Kind, id: Id): Id =>
  (typeof id === "number" ? remapNumber(salt, id, FIRST_REMAPPED_ID) : remap(salt, kind, id)) as Id;

/** Who owns the ids that the lines name, and those that would take their place. */
async function ownersOf(ctx: Ctx, kind: Kind, ids: AnyId[]): Promise<Map<AnyId, number>> {
  const rows = await ctx.db.all<{ id: AnyId; owner: number }>(
    sql`SELECT id, owner FROM ${TABLES[kind]} WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  );
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}

function targetOf<Id extends AnyId>({ ctx, mode, salt, owners }: Step, kind: Kind, id: Id): Target<Id> {
  const owner = owners[kind].get(id);
  if (mode !== "copy" && owner === ctx.owner) return { id, exists: true, remapped: false };
  if (mode !== "copy" && owner === undefined) return { id, exists: false, remapped: false };
  const other = otherId(salt, kind, id);
  return { id: other, exists: owners[kind].get(other) === ctx.owner, remapped: true };
}

/** The record that a reference means, in SQL: it may be made in this very transaction. One that is not there is none. */
function reference({ ctx, mode, salt }: Step, kind: "folder" | "document", id: string | null): SQL {
  if (id === null) return sql`NULL`;
  const other = remap(salt, kind, id);
  const own = mode === "copy" ? other : id;
  return sql`(SELECT id FROM ${TABLES[kind]} WHERE owner = ${ctx.owner} AND id IN (${own}, ${other})
    ORDER BY id = ${own} DESC LIMIT 1)`;
}

/** Counts a record, and says what to do with it. */
function decide(
  step: Step,
  kind: Kind,
  { exists, remapped }: Target<AnyId>,
): "create" | "overwrite" | "skip" {
  const counts = step.state.counts[kind];
  if (!exists) {
    counts.created++;
    if (remapped) counts.remapped++;
    return "create";
  }
  if (step.mode === "overwrite") counts.overwritten++;
  else counts.skipped++;
  return step.mode === "overwrite" ? "overwrite" : "skip";
}

const DEFAULTS = { timezone: "UTC", stale_after_days: '{"commitment":14,"blocker":7}' };

/** Settings replace what is still as it was at registration; with `overwrite` everything; a copy has none. */
function applySettings(step: Step, line: OfType<"settings">): void {
  const { ctx, mode, when } = step;
  step.state.counts.settings[mode === "copy" ? "skipped" : "overwritten"]++;
  if (mode === "copy") return;
  const all = mode === "overwrite" ? 1 : 0;
  const stale = JSON.stringify(line.stale_after_days);
  const statement = ctx.db.run(sql`UPDATE users SET
    name = CASE WHEN ${all} OR name IS NULL THEN ${line.name} ELSE name END,
    timezone = CASE WHEN ${all} OR timezone = ${DEFAULTS.timezone} THEN ${line.timezone} ELSE timezone END,
    stale_after_days = CASE WHEN ${all} OR stale_after_days = ${DEFAULTS.stale_after_days} THEN ${stale}
      ELSE stale_after_days END
    WHERE number = ${ctx.owner} AND ${when}`);
  step.statements.push(Promise.resolve([statement]));
}

function applyFolder(step: Step, line: OfType<"folder">): void {
  const { ctx, when } = step;
  const target = targetOf(step, "folder", line.id);
  const what = decide(step, "folder", target);
  if (what === "skip") return;
  // A folder that is there stays where it is: another place could make a cycle.
  const statement =
    what === "overwrite"
      ? sql`UPDATE folders SET name = ${line.name}, updated_at = ${line.updated_at}
          WHERE id = ${target.id} AND owner = ${ctx.owner} AND ${when}`
      : sql`INSERT INTO folders (id, owner, name, parent_id, created_at, updated_at)
          SELECT ${target.id}, ${ctx.owner}, ${line.name}, ${reference(step, "folder", line.parent_id)},
            ${line.created_at}, ${line.updated_at} WHERE ${when}`;
  step.owners.folder.set(target.id, ctx.owner);
  step.statements.push(Promise.resolve([ctx.db.run(statement)]));
}

function applyDocument(step: Step, { type: _, ...line }: OfType<"document">): void {
  const { ctx, when } = step;
  const target = targetOf(step, "document", line.id);
  const what = decide(step, "document", target);
  step.state.document = what === "create" ? target.id : null;
  step.owners.document.set(target.id, ctx.owner);
  if (what === "skip") return;
  const document: ImportedDocument = { ...line, id: target.id };
  const folder = reference(step, "folder", line.folder_id);
  const make = what === "create" ? importStatements : overwriteStatements;
  step.statements.push(make(ctx, document, folder, when));
}

/** A version goes with its document: only one that was made by this import has the same history. */
function applyVersion(step: Step, line: OfType<"document_version">): void {
  const counts = step.state.counts.document_version;
  const { document } = step.state;
  if (document === null) {
    counts.skipped++;
    return;
  }
  counts.created++;
  // A version may name a folder that is gone, but not the original of one that was copied.
  const folder = sql`coalesce(${reference(step, "folder", line.folder_id)}, ${line.folder_id})`;
  step.statements.push(
    Promise.resolve([versionStatement(step.ctx, { ...line, document_id: document }, folder, step.when)]),
  );
}

function applyMemory(step: Step, { type: _, document_id, ...line }: OfType<"memory">): void {
  const { ctx, when } = step;
  const target = targetOf(step, "memory", line.id);
  const what = decide(step, "memory", target);
  step.state.memory = what === "create" ? target.id : null;
  step.owners.memory.set(target.id, ctx.owner);
  if (what === "skip") return;
  // The record that another one names may come later in the file: it gets the id that it will have.
  const named = (id: number | null) => id && targetOf(step, "memory", id).id;
  const memory = {
    ...line,
    id: target.id,
    supersedes_id: named(line.supersedes_id),
    superseded_by_id: named(line.superseded_by_id),
  };
  const make = what === "create" ? importMemoryStatements : overwriteMemoryStatements;
  step.statements.push(Promise.resolve(make(ctx, memory, reference(step, "document", document_id), when)));
}

/** An event goes with its record, like a version with its document. */
function applyEvent(step: Step, { type: _, ...line }: OfType<"memory_event">): void {
  const counts = step.state.counts.memory_event;
  const { memory } = step.state;
  if (memory === null) {
    counts.skipped++;
    return;
  }
  counts.created++;
  const event = { ...line, memory_id: memory };
  step.statements.push(Promise.resolve([importEventStatement(step.ctx, event, step.when)]));
}

function apply(step: Step, line: RecordLine): void {
  if (line.type === "settings") applySettings(step, line);
  else if (line.type === "folder") applyFolder(step, line);
  else if (line.type === "document") applyDocument(step, line);
  else if (line.type === "document_version") applyVersion(step, line);
  else if (line.type === "memory") applyMemory(step, line);
  else applyEvent(step, line);
}

/** The ids of a kind that the lines name. */
function idsOf(records: RecordLine[], kind: Kind, salt: string): AnyId[] {
  const ids = records.flatMap((line): AnyId[] => {
    if (line.type !== kind) return [];
    if (line.type !== "memory") return [line.id];
    return [line.id, line.supersedes_id, line.superseded_by_id].filter((id) => id !== null);
  });
  return ids.flatMap((id) => [id, otherId(salt, kind, id)]);
}

/** Applies the next lines of a piece, in one transaction that also moves the cursor. */
export async function applySome(ctx: Ctx, row: Row, lines: string[]): Promise<void> {
  const end = Math.min(row.line + LINES_AT_ONCE, lines.length);
  const records = lines
    .slice(row.line, end)
    .map(readLine)
    .filter((line): line is RecordLine => typeof line !== "string" && isRecord(line));
  const salt = row.mode === "copy" ? row.id : (await ctx.user()).id;
  const when = sql`EXISTS (SELECT 1 FROM imports WHERE id = ${row.id} AND owner = ${ctx.owner}
    AND status = 'applying' AND piece = ${row.piece} AND line = ${row.line})`;
  const owners = {
    folder: await ownersOf(ctx, "folder", idsOf(records, "folder", salt)),
    document: await ownersOf(ctx, "document", idsOf(records, "document", salt)),
    memory: await ownersOf(ctx, "memory", idsOf(records, "memory", salt)),
  };
  const state = JSON.parse(row.state) as State;
  const step: Step = { ctx, mode: row.mode, salt, owners, state, statements: [], when };
  for (const line of records) apply(step, line);
  const cursor = end < lines.length ? { piece: row.piece, line: end } : { piece: row.piece + 1, line: 0 };
  const move = ctx.db.run(sql`UPDATE imports SET piece = ${cursor.piece}, line = ${cursor.line},
    state = ${JSON.stringify(step.state)}, updated_at = ${ctx.now.toISOString()} WHERE id = ${row.id} AND ${when}`);
  const made = row.dry_run ? [] : (await Promise.all(step.statements)).flat();
  const [first = move, ...others] = made;
  await ctx.db.batch(first === move ? [move] : [first, ...others, move]);
}
