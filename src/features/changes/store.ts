import { and, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { ActivityVerb, RecordKind } from "../../contract/activity-words.ts";
import type { Change, ChangeList, ChangeListQuery } from "../../contract/changes.ts";
import { Timestamp, Uuid } from "../../contract/fields.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { permanentlyGone } from "../../platform/core/errors.ts";
import { columnsExcept } from "../../platform/db/columns.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { type activity, documents, folders, memories } from "../../platform/db/tables.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/cursor.ts";
import {
  documentColumns,
  notTrashed as notTrashedDocuments,
  presentDocument,
} from "../documents/row-store.ts";
import {
  currentColumns as memoryColumns,
  NOT_TRASHED,
  presentMemory,
  userClock,
} from "../memories/row-store.ts";

// A copy starts with all records, kind by kind, and then follows the activity. Each item is the record as it is now, so
// reading a page twice gives the same copy.

/** Maximum bytes of documents per page, unless a single one is larger. */
const PAGE_BYTES = 512 * 1024;
const ROW_BYTES = 500;

const KINDS_IN_ORDER = ["folder", "document", "memory"] as const;

/** The last activity entry that a copy has; during the initial listing also the next kind and its last id. */
type Position = { number: number; at: string; kind?: RecordKind; after?: string };

const LIST = "changes";

const entry = [z.int(), z.int().min(0), z.union([z.literal(""), Timestamp])] as const;

const CursorValues = z.union([
  z.tuple([...entry, z.null(), z.literal("")]),
  z.tuple([...entry, z.enum(["folder", "document"]), z.union([z.literal(""), Uuid])]),
  z.tuple([...entry, z.literal("memory"), z.string().regex(/^\d{0,15}$/)]),
]);

const writePosition = ({ owner }: Ctx, { number, at, kind, after }: Position) =>
  encodeCursor(LIST, [owner, number, at, kind ?? null, after ?? ""]);

const expiredCursor = () =>
  permanentlyGone(
    "cursor: has expired: start without a cursor, and delete from your copy what is no longer listed",
  );

/** The position in a cursor. Throws 422 for a cursor of another list, 410 for one of another account. */
function readPosition({ owner }: Ctx, cursor: string): Position {
  const [cursorOwner, number, at, kind, after] = decodeCursor(LIST, cursor, CursorValues);
  if (cursorOwner !== owner) throw expiredCursor();
  return kind === null ? { number, at } : { number, at, kind, after };
}

type PositionCheck = { number: number; first: number | null; at: string; has_moved: number };

/**
 * Reads the entry with a number (0 if it is missing) and the number of the first entry. `has_moved`: the entry belonged
 * to an edit session that continued, so it has a later number now.
 */
const positionStatement = ({ db, owner }: Ctx, number: SQL, at = "") =>
  db.all<PositionCheck>(sql`
    SELECT coalesce(a.number, 0) AS number, coalesce(a.at, '') AS at,
      (SELECT min(number) FROM activity WHERE owner = ${owner}) AS first,
      CASE WHEN a.number IS NULL THEN EXISTS (SELECT 1 FROM activity
        WHERE owner = ${owner} AND number > position.number AND began <= ${at}) ELSE 0 END AS has_moved
    FROM (SELECT ${number} AS number) AS position
      LEFT JOIN activity AS a ON a.owner = ${owner} AND a.number = position.number`);

/** Throws 410 unless every entry after the position is kept, and the entry at it is unchanged or no longer kept. */
function requireContinuous({ number, at }: Position, [ends]: PositionCheck[]): void {
  const { number: found = 0, at: then = "", first, has_moved = 0 } = ends ?? {};
  const isSame = number > 0 && found === number && then === at;
  const hasMoved = has_moved === 1 && number >= (first ?? 1);
  const isBefore = number + 1 === (first ?? 1);
  if (!isSame && !hasMoved && !isBefore) throw expiredCursor();
}

const folderColumns = columnsExcept(folders, "owner", "activity", "key");

const readers = {
  folder: ({ db, owner }: Ctx, which: SQL) =>
    db
      .select(folderColumns)
      .from(folders)
      .where(and(eq(folders.owner, owner), which)),
  document: (ctx: Ctx, which: SQL) =>
    ctx.db
      .select(documentColumns)
      .from(documents)
      .where(and(notTrashedDocuments(ctx), which)),
  memory: (ctx: Ctx, which: SQL) =>
    ctx.db
      .select(memoryColumns(ctx))
      .from(memories)
      .where(and(eq(memories.owner, ctx.owner), NOT_TRASHED, which)),
};

type Rows = { [Kind in RecordKind]: Awaited<ReturnType<(typeof readers)[Kind]>> };

const recordKey = (kind: RecordKind, id: string | number) => `${kind} ${id}`;

async function currentItems(ctx: Ctx, { folder, document, memory }: Rows): Promise<Map<string, Change>> {
  const clock = memory.length > 0 ? await userClock(ctx) : { now: ctx.now, timezone: "UTC" };
  const change = "new";
  const items: Change[] = [
    ...folder.map((row) => ({ kind: "folder", id: row.id, change, folder: row }) as const),
    ...document.map(
      (row) => ({ kind: "document", id: row.id, change, document: presentDocument(row) }) as const,
    ),
    ...memory.map(
      (row) => ({ kind: "memory", id: row.id, change, memory: presentMemory(row, clock) }) as const,
    ),
  ];
  return new Map(items.map((item) => [recordKey(item.kind, item.id), item]));
}

const NO_ROWS: Rows = { folder: [], document: [], memory: [] };

const TABLES = { folder: sql`folders`, document: sql`documents`, memory: sql`memories` };

/** The next records of a kind, in SQL: `id`, and `found`: how many there are without the limit of bytes. */
function nextIds({ owner }: Ctx, kind: RecordKind, after: string, limit: number): SQL {
  const size =
    kind === "document" ? sql`${ROW_BYTES} + coalesce(octet_length(content), 0)` : sql`${ROW_BYTES}`;
  const isPresent = kind === "folder" ? sql`true` : sql`trashed_at IS NULL`;
  const from = kind === "memory" ? sql`${Number(after)}` : sql`${after}`;
  return sql`SELECT id, found FROM (
      SELECT id, count(*) OVER () AS found, sum(size) OVER (ORDER BY id) - size AS before FROM (
        SELECT id, ${size} AS size FROM ${TABLES[kind]}
        WHERE owner = ${owner} AND id > ${from} AND ${isPresent} ORDER BY id LIMIT ${limit}))
    WHERE before < ${PAGE_BYTES}`;
}

type IdRow = { id: string | number; found: number };

async function initialPage(ctx: Ctx, position: Position | undefined, limit: number): Promise<ChangeList> {
  const { kind = "folder", after = "" } = position ?? {};
  const ids = nextIds(ctx, kind, after, limit);
  const began = position
    ? sql`${position.number}`
    : sql`(SELECT max(number) FROM activity WHERE owner = ${ctx.owner})`;
  const [ends, listed, rows] = await ctx.db.batch([
    positionStatement(ctx, began, position?.at),
    ctx.db.all<IdRow>(ids),
    readers[kind](ctx, sql`${TABLES[kind]}.id IN (SELECT id FROM (${ids}))`),
  ]);
  if (position) requireContinuous(position, ends);
  const { number, at } = position ?? ends[0] ?? { number: 0, at: "" };
  const items = [...(await currentItems(ctx, { ...NO_ROWS, [kind]: rows })).values()];
  items.sort((a, b) => (a.id < b.id ? -1 : 1));
  const isLast = (listed[0]?.found ?? 0) <= listed.length && listed.length < limit;
  const following = isLast ? KINDS_IN_ORDER[KINDS_IN_ORDER.indexOf(kind) + 1] : kind;
  const last = isLast ? "" : String(listed.at(-1)?.id ?? "");
  const next: Position = following ? { number, at, kind: following, after: last } : { number, at };
  return { items, cursor: writePosition(ctx, next), has_more: true };
}

type ActivityEntry = Pick<typeof activity.$inferSelect, "number" | "at" | "kind" | "record" | "verb"> & {
  found: number;
};

const entriesStatement = ({ db, owner }: Ctx, number: number, limit: number) =>
  db.all<ActivityEntry>(sql`
    SELECT number, at, kind, record, verb, found FROM (
      SELECT *, count(*) OVER () AS found, sum(size) OVER (ORDER BY number) - size AS before FROM (
        SELECT a.number, a.at, a.kind, a.record, a.verb, ${ROW_BYTES} + coalesce((
            SELECT octet_length(content) FROM documents
            WHERE a.kind = 'document' AND id = a.record AND owner = ${owner} AND trashed_at IS NULL), 0) AS size
        FROM activity AS a WHERE a.owner = ${owner} AND a.number > ${number} ORDER BY a.number LIMIT ${limit}))
    WHERE before < ${PAGE_BYTES} ORDER BY number`);

const CREATING_VERBS: ActivityVerb[] = ["created", "restored"];

function toChanges(entries: ActivityEntry[], items: Map<string, Change>): Change[] {
  const byRecord = Map.groupBy(entries.toReversed(), ({ kind, record }) => recordKey(kind, record));
  return [...byRecord].reverse().map(([key, [last, ...others]]) => {
    const item = items.get(key);
    if (!item) {
      const { kind, record } = last as ActivityEntry;
      const id = kind === "memory" ? Number(record) : record;
      return { kind, id, change: "gone" } as Change;
    }
    const isNew = [last, ...others].some((entry) => entry && CREATING_VERBS.includes(entry.verb));
    return { ...item, change: isNew ? "new" : "changed" };
  });
}

async function followingPage(ctx: Ctx, position: Position, limit: number): Promise<ChangeList> {
  const [ends, entries] = await ctx.db.batch([
    positionStatement(ctx, sql`${position.number}`, position.at),
    entriesStatement(ctx, position.number, limit),
  ]);
  requireContinuous(position, ends);
  const last = entries.at(-1);
  if (!last) return { items: [], cursor: writePosition(ctx, position), has_more: false };
  const idsOf = (kind: RecordKind) =>
    entries.filter((entry) => entry.kind === kind).map(({ record }) => record);
  const [folder, document, memory] = await ctx.db.batch([
    readers.folder(ctx, sql`${folders.id} IN ${sqlList(idsOf("folder"))}`),
    readers.document(ctx, sql`${documents.id} IN ${sqlList(idsOf("document"))}`),
    readers.memory(ctx, sql`${memories.id} IN ${sqlList(idsOf("memory").map(Number))}`),
  ]);
  const items = toChanges(entries, await currentItems(ctx, { folder, document, memory }));
  const has_more = last.found > entries.length || last.found === limit;
  return { items, cursor: writePosition(ctx, { number: last.number, at: last.at }), has_more };
}

/** New, changed and deleted records since a cursor. Throws 410 if it has expired, 422 for one of another list. */
export async function listChanges(ctx: Ctx, { cursor, limit }: ChangeListQuery): Promise<ChangeList> {
  const position = cursor === undefined ? undefined : readPosition(ctx, cursor);
  return position && !position.kind ? followingPage(ctx, position, limit) : initialPage(ctx, position, limit);
}
