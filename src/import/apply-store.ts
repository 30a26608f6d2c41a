import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { mustHaveRoom, roomLeft, usageStatement } from "../features/billing/quota-store.ts";
import { type Room, sumOf, type Used } from "../features/billing/remaining-quota.ts";
import { documentBytes, eventBytes, folderBytes, recordBytes } from "../features/billing/sizes.ts";
import type { Ctx, CtxUser } from "../platform/core/ctx.ts";
import { must, send, unless } from "../platform/db/call.ts";
import { folders, import_pieces, type imports, users } from "../db/tables.ts";
import { ctxUserColumns } from "../platform/db/user-columns.ts";
import {
  type ImportedDocument,
  importStatements,
  overwriteStatements,
  versionStatement,
} from "../features/documents/import-store.ts";
import { type Indexing, newIndexing } from "../documents/index-store.ts";
import { isRecord, type Line, type RecordLine, readLine } from "../features/export/format.ts";
import { FOLDER_STATE } from "../folders/store.ts";
import { type Entry, lastNumber, recorded } from "../platform/ledger/store.ts";
import {
  existingMemories,
  importEventStatement,
  importMemoryStatements,
  overwriteMemoryStatements,
  wakingAt,
} from "../features/memories/import-store.ts";
import { FIRST_IMPORTED_ID, keepsNumber } from "../features/memories/numbers.ts";
import { moveToZoneStatements } from "../features/memories/wake-store.ts";
import { remap, remapNumber } from "../features/import/remap.ts";
import type { ImportMode, NotStored } from "../contract/import-state.ts";
import { NO_STATE, type State } from "../features/import/state.ts";

type AnyId = string | number;
type NotStoredLine = Omit<NotStored["items"][number], "detail">;

/** How many lines one step applies. Each step is one transaction that also moves the cursor. */
const LINES_AT_ONCE = 100;

type Row = typeof imports.$inferSelect;
type Kind = "folder" | "document" | "memory";
type OfType<Type extends Line["type"]> = Extract<Line, { type: Type }>;

/** A record that has an id: its owner, whether it is in the trash, and the bytes of its state as a version. */
type Existing = { owner: number; is_trashed: number; bytes: number };

/** The id that a record gets, and which record already has it. */
type Target<Id extends AnyId> = { id: Id; existing: Existing | undefined };

/** The state of a step while it builds its statements. */
type Step = {
  ctx: Ctx;
  user: CtxUser;
  mode: ImportMode;
  salt: string;
  owners: Record<Kind, Map<AnyId, Existing>>;
  /** Ids that were free when the step began and that it uses. */
  taken: Record<Kind, AnyId[]>;
  state: State;
  room: Room;
  indexing: Indexing;
  statements: Promise<readonly BatchItem<"sqlite">[]>[];
};

const TABLES: Record<Kind, SQL> = {
  folder: sql`folders`,
  document: sql`documents`,
  memory: sql`memories`,
};

/** The documents or folders with the given ids. */
async function existing(ctx: Ctx, kind: "folder" | "document", ids: AnyId[]): Promise<Map<AnyId, Existing>> {
  const trashed = kind === "document" ? sql`trashed_at IS NOT NULL` : sql`0`;
  const rows = await ctx.db.all<{ id: AnyId } & Existing>(sql`
    SELECT id, owner, ${trashed} AS is_trashed, 0 AS bytes FROM ${TABLES[kind]}
    WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** The target of a document or folder. An id that belongs to somebody else is replaced. */
function targetOf(
  { ctx, mode, salt, owners }: Step,
  kind: "folder" | "document",
  id: string,
): Target<string> {
  const existing = owners[kind].get(id);
  if (mode !== "copy" && (!existing || existing.owner === ctx.owner)) return { id, existing };
  const other = remap(salt, kind, id);
  return { id: other, existing: owners[kind].get(other) };
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

/** How many of the things that were not stored are named. */
const MAX_NAMED = 100;

/** Whether the caller's plan has room for a line; one that does not fit is noted and left out. */
function hasRoom(step: Step, more: Used, line: NotStoredLine): boolean {
  const detail = step.room.take(more);
  if (detail === undefined) return true;
  const { total, items } = step.state.not_stored;
  const named = items.length < MAX_NAMED ? [...items, { ...line, detail }] : items;
  step.state.not_stored = { total: total + 1, items: named };
  return false;
}

type Decision = "create" | "overwrite" | "skip";

/** What to do with a record: one with an id that is taken is overwritten or skipped. */
function choose({ ctx, mode }: Step, { existing }: Target<AnyId>): Decision {
  if (!existing) return "create";
  return mode === "overwrite" && existing.owner === ctx.owner ? "overwrite" : "skip";
}

/** Counts what is done with a record. Replaced ids are not counted, because that would reveal that they exist. */
function count(step: Step, kind: Kind, id: AnyId, what: Decision): void {
  const counts = step.state.counts[kind];
  if (what !== "create") {
    counts[what === "overwrite" ? "overwritten" : "skipped"]++;
    return;
  }
  counts.created++;
  if (step.mode === "copy") counts.remapped++;
  step.owners[kind].set(id, { owner: step.ctx.owner, is_trashed: 0, bytes: 0 });
  step.taken[kind].push(id);
}

/** Whether a record of a file is added to those outside of the trash: 1, or 0. */
const addsOne = (trashed_at: string | null, existing: Existing | undefined) =>
  trashed_at === null && (!existing || existing.is_trashed === 1) ? 1 : 0;

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
  const target = targetOf(step, "folder", line.id);
  const { id } = target;
  const what = choose(step, target);
  const about = { type: "folder", id: line.id, title: line.name } as const;
  if (what === "create" && !hasRoom(step, { bytes: folderBytes(line.name) }, about)) return;
  count(step, "folder", id, what);
  if (what === "skip") return;
  // An existing folder keeps its parent: moving it could create a cycle.
  const { id: __, parent_id, created_at: ___, ...fields } = line;
  const activity = lastNumber(ctx);
  const parent = reference(step, "folder", parent_id);
  const statement =
    what === "overwrite"
      ? ctx.db
          .update(folders)
          .set({ ...fields, activity })
          .where(and(eq(folders.id, id), eq(folders.owner, ctx.owner)))
      : ctx.db.insert(folders).values({ ...line, id, owner: ctx.owner, parent_id: parent, activity });
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
  const what = choose(step, target);
  const documents = addsOne(line.trashed_at, target.existing);
  const about = { type: "document", id: line.id, title: line.title } as const;
  step.state.document = null;
  if (what !== "skip" && !hasRoom(step, { documents, bytes: documentBytes(line) }, about)) return;
  count(step, "document", target.id, what);
  step.state.document = what === "create" ? target.id : null;
  step.state.versions = { after: 0, before: line.version };
  if (what === "skip") return;
  const document: ImportedDocument = { ...line, id: target.id };
  const folder = reference(step, "folder", line.folder_id);
  const make = what === "create" ? importStatements : overwriteStatements;
  step.statements.push(make(ctx, document, { folder, indexing: step.indexing }));
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
  const about = { type: "document_version", id: line.document_id, title: line.title } as const;
  if (!hasRoom(step, { bytes: documentBytes(line) }, about)) return;
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
  const existing = step.owners.memory.get(id);
  const what = choose(step, { id, existing });
  const records = addsOne(line.trashed_at, existing);
  const bytes = recordBytes(line) + (existing ? existing.bytes + eventBytes({ state: null, note: null }) : 0);
  const about = { type: "memory", id: String(line.id), title: line.topic } as const;
  step.state.memory = null;
  if (what !== "skip" && !hasRoom(step, { records, bytes }, about)) return;
  count(step, "memory", id, what);
  step.state.memory = what === "create" ? id : null;
  step.state.memory_version = line.version;
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

/**
 * Events are imported only for records that this import created, as versions are for documents, and the states that they
 * keep are older than the record's own.
 */
function applyEvent(step: Step, { type: _, ...line }: OfType<"memory_event">): void {
  const counts = step.state.counts.memory_event;
  const { memory, memory_version } = step.state;
  if (memory === null || (line.state && line.state.version >= memory_version)) {
    counts.skipped++;
    return;
  }
  const about = { type: "memory_event", id: String(line.memory_id), title: line.event } as const;
  if (!hasRoom(step, { bytes: eventBytes(line) }, about)) return;
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
  const state: State = { ...NO_STATE, ...(JSON.parse(row.state) as State) };
  const step: Step = {
    ctx,
    user,
    mode: row.mode,
    salt,
    owners: {
      folder: await existing(ctx, "folder", idsOf(records, "folder", salt)),
      document: await existing(ctx, "document", idsOf(records, "document", salt)),
      memory: await existingMemories(ctx, numbers),
    },
    taken: { folder: [], document: [], memory: [] },
    state,
    room: roomLeft(ctx, await usageStatement(ctx), state.added),
    indexing: newIndexing(ctx),
    statements: [],
  };
  for (const line of records) apply(step, line);
  if (row.dry_run) state.added = sumOf(state.added, step.room.taken());
  return step;
}

/** True in SQL while an import's cursor has not moved since it was read. */
const isAt = (ctx: Ctx, { id, piece, line }: Row) =>
  sql`EXISTS (SELECT 1 FROM imports WHERE id = ${id} AND owner = ${ctx.owner}
    AND status = 'applying' AND piece = ${piece} AND line = ${line})`;

/** The statement that deletes a piece whose lines have been applied. */
const dropPiece = (ctx: Ctx, { id, piece }: Row) =>
  ctx.db.delete(import_pieces).where(and(eq(import_pieces.import_id, id), eq(import_pieces.number, piece)));

/**
 * Applies the next lines of a piece in one transaction that also moves the cursor. If a concurrent request has already
 * applied these lines, used one of their ids, or taken the room for them, it changes nothing, and the next attempt starts from a new read.
 */
export async function applySome(ctx: Ctx, row: Row, lines: string[]): Promise<void> {
  const end = Math.min(row.line + LINES_AT_ONCE, lines.length);
  const records = lines
    .slice(row.line, end)
    .map(readLine)
    .filter((line): line is RecordLine => typeof line !== "string" && isRecord(line));
  const { state, statements, taken, room, indexing } = await plan(ctx, row, records);
  const made = row.dry_run ? [] : (await Promise.all(statements)).flat();
  const isDone = end >= lines.length;
  const cursor = isDone ? { piece: row.piece + 1, line: 0 } : { piece: row.piece, line: end };
  const drop = isDone ? [dropPiece(ctx, row)] : [];
  const move = ctx.db.run(sql`UPDATE imports SET piece = ${cursor.piece}, line = ${cursor.line},
    state = ${JSON.stringify(state)}, updated_at = ${ctx.now.toISOString()}
    WHERE id = ${row.id} AND owner = ${ctx.owner}`);
  const conditions = [must(ctx, isAt(ctx, row), "stale"), must(ctx, areFree(ctx, taken), "stale")];
  const quota = row.dry_run ? [] : mustHaveRoom(ctx, room.taken());
  const { refusal } = await unless(
    send(ctx, [...conditions, ...quota, ...made, ...drop, move]),
    "stale",
    "quota",
  );
  if (!refusal) await indexing.finish();
}
