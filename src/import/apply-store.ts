import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Ctx, CtxUser } from "../core/ctx.ts";
import { must, send, unless } from "../db/call.ts";
import { folders, type imports, users } from "../db/tables.ts";
import { ctxUserColumns } from "../db/user-columns.ts";
import {
  type ImportedDocument,
  importStatements,
  overwriteStatements,
  versionStatement,
} from "../documents/import-store.ts";
import { isRecord, type Line, type RecordLine, readLine } from "../export/format.ts";
import { FOLDER_STATE } from "../folders/store.ts";
import { type Entry, recorded } from "../ledger/store.ts";
import {
  importEventStatement,
  importMemoryStatements,
  overwriteMemoryStatements,
  wakingAt,
} from "../memories/import-store.ts";
import { FIRST_IMPORTED_ID, keepsNumber } from "../memories/numbers.ts";
import { moveToZoneStatements } from "../memories/wake-store.ts";
import { remap, remapNumber } from "./remap.ts";
import type { ImportMode } from "./schema.ts";
import { NO_STATE, type State } from "./state.ts";

type AnyId = string | number;

/** How many lines one step applies. Each step is one transaction that also moves the cursor. */
const LINES_AT_ONCE = 100;

type Row = typeof imports.$inferSelect;
type Kind = "folder" | "document" | "memory";
type OfType<Type extends Line["type"]> = Extract<Line, { type: Type }>;

/** The id that a record gets, and who already owns that id. */
type Target<Id extends AnyId> = { id: Id; owner: number | undefined };

/** The state of a step while it builds its statements. */
type Step = {
  ctx: Ctx;
  user: CtxUser;
  mode: ImportMode;
  salt: string;
  owners: Record<Kind, Map<AnyId, number>>;
  /** Ids that were free when the step began and that it uses. */
  taken: Record<Kind, AnyId[]>;
  state: State;
  statements: Promise<readonly BatchItem<"sqlite">[]>[];
};

const TABLES: Record<Kind, SQL> = {
  folder: sql`folders`,
  document: sql`documents`,
  memory: sql`memories`,
};

/** The owners of the given ids of documents or folders. */
async function ownersOf(ctx: Ctx, kind: "folder" | "document", ids: AnyId[]): Promise<Map<AnyId, number>> {
  const rows = await ctx.db.all<{ id: AnyId; owner: number }>(
    sql`SELECT id, owner FROM ${TABLES[kind]} WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  );
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}

/** The same for records, whose numbers are per owner, so that only the caller's matter. */
async function ownNumbers(ctx: Ctx, ids: number[]): Promise<Map<AnyId, number>> {
  const rows = await ctx.db.all<{ id: number; owner: number }>(sql`SELECT id, owner FROM memories
    WHERE owner = ${ctx.owner} AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}

/** The target of a document or folder. An id that belongs to somebody else is replaced. */
function targetOf(
  { ctx, mode, salt, owners }: Step,
  kind: "folder" | "document",
  id: string,
): Target<string> {
  const owner = owners[kind].get(id);
  if (mode !== "copy" && (owner === undefined || owner === ctx.owner)) return { id, owner };
  const other = remap(salt, kind, id);
  return { id: other, owner: owners[kind].get(other) };
}

/** The number that a record of the file gets here. It depends only on the file and the mode. */
const numberOf = ({ mode, salt }: Pick<Step, "mode" | "salt">, id: number): number =>
  mode !== "copy" && keepsNumber(id) ? id : remapNumber(salt, id, FIRST_IMPORTED_ID);

/** The target of a reference, in SQL, because this transaction may create it. A missing target becomes NULL. */
function reference({ ctx, mode, salt }: Step, kind: "folder" | "document", id: string | null): SQL {
  if (id === null) return sql`NULL`;
  const other = remap(salt, kind, id);
  const own = mode === "copy" ? other : id;
  return sql`(SELECT id FROM ${TABLES[kind]} WHERE owner = ${ctx.owner} AND id IN (${own}, ${other})
    ORDER BY id = ${own} DESC LIMIT 1)`;
}

/**
 * Counts a record and decides what to do with it. Replaced ids are not counted, because that would reveal that they
 * exist.
 */
function decide(step: Step, kind: Kind, { id, owner }: Target<AnyId>): "create" | "overwrite" | "skip" {
  const counts = step.state.counts[kind];
  if (owner === undefined) {
    counts.created++;
    if (step.mode === "copy") counts.remapped++;
    step.owners[kind].set(id, step.ctx.owner);
    step.taken[kind].push(id);
    return "create";
  }
  const what = step.mode === "overwrite" && owner === step.ctx.owner ? "overwrite" : "skip";
  counts[what === "overwrite" ? "overwritten" : "skipped"]++;
  return what;
}

type Settings = Pick<CtxUser, "name" | "timezone" | "stale_after_days">;

const daysOf = ({ commitment, blocker }: Settings["stale_after_days"]) => ({ commitment, blocker });
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The settings after an import: replaces those that still have their initial values or, with `all`, all of them. */
function settingsAfter(now: Settings, line: Settings, all: boolean): Settings {
  const isUnset = {
    timezone: now.timezone === "UTC",
    days: isSame(daysOf(now.stale_after_days), DEFAULT_DAYS),
  };
  return {
    name: all ? line.name : (now.name ?? line.name),
    timezone: all || isUnset.timezone ? line.timezone : now.timezone,
    stale_after_days: daysOf(all || isUnset.days ? line.stale_after_days : now.stale_after_days),
  };
}

const DEFAULT_DAYS = { commitment: 14, blocker: 7 };

/** Applies settings: `skip` replaces only initial values, `overwrite` everything, `copy` nothing. */
function applySettings(step: Step, line: OfType<"settings">): void {
  const { ctx, mode } = step;
  const { name, timezone, stale_after_days } = step.user;
  const now = { name, timezone, stale_after_days: daysOf(stale_after_days) };
  const next = mode === "copy" ? now : settingsAfter(now, line, mode === "overwrite");
  const changes = !isSame(now, next);
  step.state.counts.settings[changes ? "overwritten" : "skipped"]++;
  if (!changes) return;
  const statement = ctx.db.run(sql`UPDATE users SET name = ${next.name}, timezone = ${next.timezone},
    stale_after_days = ${JSON.stringify(next.stale_after_days)} WHERE number = ${ctx.owner}`);
  step.user = { ...step.user, ...next };
  const moved = timezone === next.timezone ? Promise.resolve([]) : moveToZoneStatements(ctx, next.timezone);
  step.statements.push(moved.then((statements) => [statement, ...statements]));
}

const IMPORT = { source_type: "import" } as const;

function applyFolder(step: Step, { type: _, ...line }: OfType<"folder">): void {
  const { ctx } = step;
  const { id, owner } = targetOf(step, "folder", line.id);
  const what = decide(step, "folder", { id, owner });
  if (what === "skip") return;
  // An existing folder keeps its parent: moving it could create a cycle.
  const { id: __, parent_id, created_at: ___, ...fields } = line;
  const parent = reference(step, "folder", parent_id);
  const statement =
    what === "overwrite"
      ? ctx.db
          .update(folders)
          .set(fields)
          .where(and(eq(folders.id, id), eq(folders.owner, ctx.owner)))
      : ctx.db.insert(folders).values({ ...line, id, owner: ctx.owner, parent_id: parent });
  const existing = sql`FROM folders WHERE id = ${id} AND owner = ${ctx.owner}`;
  const entry: Entry = {
    ...{ verb: what === "create" ? "created" : "changed", kind: "folder", record: id, title: line.name },
    ...(what === "overwrite" && { state: FOLDER_STATE, from: existing }),
  };
  step.statements.push(Promise.resolve([...recorded(ctx, entry, IMPORT), statement]));
}

function applyDocument(step: Step, { type: _, ...line }: OfType<"document">): void {
  const { ctx } = step;
  const target = targetOf(step, "document", line.id);
  const what = decide(step, "document", target);
  step.state.document = what === "create" ? target.id : null;
  step.state.versions = { after: 0, before: line.version };
  if (what === "skip") return;
  const document: ImportedDocument = { ...line, id: target.id };
  const folder = reference(step, "folder", line.folder_id);
  const make = what === "create" ? importStatements : overwriteStatements;
  step.statements.push(make(ctx, document, folder));
}

/**
 * Versions are imported only for documents that this import created, because others have their own history. They must
 * be in order and lower than the document's own version.
 */
function applyVersion(step: Step, { type: _, ...line }: OfType<"document_version">): void {
  const counts = step.state.counts.document_version;
  const { document, versions } = step.state;
  if (document === null || line.version <= versions.after || line.version >= versions.before) {
    counts.skipped++;
    return;
  }
  counts.created++;
  step.state.versions = { ...versions, after: line.version };
  // A version may refer to a deleted folder, but not to the original of a copied one.
  const folder = sql`coalesce(${reference(step, "folder", line.folder_id)}, ${line.folder_id})`;
  step.statements.push(
    Promise.resolve([versionStatement(step.ctx, { ...line, document_id: document }, folder)]),
  );
}

function applyMemory(step: Step, { type: _, document_id, ...line }: OfType<"memory">): void {
  const { ctx } = step;
  const id = numberOf(step, line.id);
  const what = decide(step, "memory", { id, owner: step.owners.memory.get(id) });
  step.state.memory = what === "create" ? id : null;
  if (what === "skip") return;
  // A referenced record may come later in the file, so use the number that it will get.
  const named = (id: number | null) => id && numberOf(step, id);
  const memory = {
    ...wakingAt(line, step.user.timezone),
    id,
    supersedes_id: named(line.supersedes_id),
    superseded_by_id: named(line.superseded_by_id),
  };
  const make = what === "create" ? importMemoryStatements : overwriteMemoryStatements;
  step.statements.push(Promise.resolve(make(ctx, memory, reference(step, "document", document_id))));
}

/** Events are imported only for records that this import created, as versions are for documents. */
function applyEvent(step: Step, { type: _, ...line }: OfType<"memory_event">): void {
  const counts = step.state.counts.memory_event;
  const { memory } = step.state;
  if (memory === null) {
    counts.skipped++;
    return;
  }
  counts.created++;
  const event = { ...line, memory_id: memory };
  const document = reference(step, "document", line.state?.document_id ?? null);
  step.statements.push(Promise.resolve([importEventStatement(step.ctx, event, document)]));
}

function apply(step: Step, line: RecordLine): void {
  if (line.type === "settings") applySettings(step, line);
  else if (line.type === "folder") applyFolder(step, line);
  else if (line.type === "document") applyDocument(step, line);
  else if (line.type === "document_version") applyVersion(step, line);
  else if (line.type === "memory") applyMemory(step, line);
  else applyEvent(step, line);
}

/** The ids of documents or folders that the lines may use. */
const idsOf = (records: RecordLine[], kind: "folder" | "document", salt: string) =>
  records.flatMap((line) => (line.type === kind ? [line.id, remap(salt, kind, line.id)] : []));

/** True in SQL while the ids that a step found free are still free: another import may run at the same time. */
function areFree(ctx: Ctx, taken: Step["taken"]): SQL {
  const isTaken = (kind: Kind, owned = sql``) =>
    sql`EXISTS (SELECT 1 FROM ${TABLES[kind]}
      WHERE ${owned} id IN (SELECT value FROM json_each(${JSON.stringify(taken[kind])})))`;
  const mine = sql`owner = ${ctx.owner} AND`;
  return sql`NOT ${isTaken("folder")} AND NOT ${isTaken("document")} AND NOT ${isTaken("memory", mine)}`;
}

/** The caller's account after the previous steps: `ctx.user()` is from before this request's first step. */
async function readUser(ctx: Ctx): Promise<CtxUser> {
  const [user] = await ctx.db.select(ctxUserColumns).from(users).where(eq(users.number, ctx.owner));
  return user ?? ctx.user();
}

/** Collects the statements to run, and counts the results. */
async function plan(ctx: Ctx, row: Row, records: RecordLine[]): Promise<Step> {
  const user = await readUser(ctx);
  const salt = row.mode === "copy" ? row.id : user.id;
  const numbers = records.flatMap((line) =>
    line.type === "memory" ? [numberOf({ mode: row.mode, salt }, line.id)] : [],
  );
  const step: Step = {
    ctx,
    user,
    mode: row.mode,
    salt,
    owners: {
      folder: await ownersOf(ctx, "folder", idsOf(records, "folder", salt)),
      document: await ownersOf(ctx, "document", idsOf(records, "document", salt)),
      memory: await ownNumbers(ctx, numbers),
    },
    taken: { folder: [], document: [], memory: [] },
    state: { ...NO_STATE, ...(JSON.parse(row.state) as State) },
    statements: [],
  };
  for (const line of records) apply(step, line);
  return step;
}

/** True in SQL while an import's cursor has not moved since it was read. */
const isAt = (ctx: Ctx, { id, piece, line }: Row) =>
  sql`EXISTS (SELECT 1 FROM imports WHERE id = ${id} AND owner = ${ctx.owner}
    AND status = 'applying' AND piece = ${piece} AND line = ${line})`;

/**
 * Applies the next lines of a piece in one transaction that also moves the cursor. If a concurrent request has already
 * applied these lines or used one of their ids, it changes nothing, and the next attempt starts from a new read.
 */
export async function applySome(ctx: Ctx, row: Row, lines: string[]): Promise<void> {
  const end = Math.min(row.line + LINES_AT_ONCE, lines.length);
  const records = lines
    .slice(row.line, end)
    .map(readLine)
    .filter((line): line is RecordLine => typeof line !== "string" && isRecord(line));
  const { state, statements, taken } = await plan(ctx, row, records);
  const made = row.dry_run ? [] : (await Promise.all(statements)).flat();
  const cursor = end < lines.length ? { piece: row.piece, line: end } : { piece: row.piece + 1, line: 0 };
  const move = ctx.db.run(sql`UPDATE imports SET piece = ${cursor.piece}, line = ${cursor.line},
    state = ${JSON.stringify(state)}, updated_at = ${ctx.now.toISOString()}
    WHERE id = ${row.id} AND owner = ${ctx.owner}`);
  const conditions = [must(ctx, isAt(ctx, row), "stale"), must(ctx, areFree(ctx, taken), "stale")];
  await unless(send(ctx, [...conditions, ...made, move]), "stale");
}
