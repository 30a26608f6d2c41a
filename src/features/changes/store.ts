import { and, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Change, ChangeList, ChangeListQuery } from "../../contract/changes.ts";
import { Timestamp, Uuid } from "../../contract/fields.ts";
import type { Kind, Verb } from "../../contract/ledger-words.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { gone } from "../../platform/core/errors.ts";
import { columnsBut } from "../../platform/db/columns.ts";
import { listOf } from "../../platform/db/list.ts";
import { documents, folders, memories } from "../../platform/db/tables.ts";
import { readCursor, writeCursor } from "../../platform/http/cursor.ts";
import {
  notTrashed as livingDocuments,
  present as presentDocument,
  columns as shownDocument,
} from "../documents/row-store.ts";
import {
  clockOf,
  NOT_TRASHED,
  present as presentMemory,
  columns as shownMemory,
} from "../memories/row-store.ts";

// A copy begins with every record, kind by kind, and then follows the ledger. Each item is the record as it is now, so
// that reading a page twice ends with the same copy.

/** How many bytes of documents a page has, unless a single one is larger. */
const PAGE_BYTES = 512 * 1024;
const ROW_BYTES = 500;

const KINDS_IN_ORDER = ["folder", "document", "memory"] as const;

/** The last entry that a copy has; while it is beginning, also the next kind and its last id. */
type Place = { number: number; at: string; kind?: Kind; after?: string };

const LIST = "changes";

const entry = [z.int(), z.int().min(0), z.union([z.literal(""), Timestamp])] as const;

const PlaceValues = z.union([
  z.tuple([...entry, z.null(), z.literal("")]),
  z.tuple([...entry, z.enum(["folder", "document"]), z.union([z.literal(""), Uuid])]),
  z.tuple([...entry, z.literal("memory"), z.string().regex(/^\d{0,15}$/)]),
]);

const writePlace = ({ owner }: Ctx, { number, at, kind, after }: Place) =>
  writeCursor(LIST, [owner, number, at, kind ?? null, after ?? ""]);

const tooOld = () =>
  gone("cursor: is too old: begin without a cursor, and delete what does not come again from your copy");

/** The place of a cursor. Throws 422 for one of another list, and 410 for one of another account. */
function readPlace({ owner }: Ctx, cursor: string): Place {
  const [of, number, at, kind, after] = readCursor(LIST, cursor, PlaceValues);
  if (of !== owner) throw tooOld();
  return kind === null ? { number, at } : { number, at, kind, after };
}

type Ends = { number: number; first: number | null; at: string; has_moved: number };

/**
 * The statement that reads the entry of a number, 0 if it is not there, and the number of the first entry. `has_moved`:
 * the entry was that of a sitting, which went on, and so it has a later number now.
 */
const endsStatement = ({ db, owner }: Ctx, number: SQL, at = "") =>
  db.all<Ends>(sql`
    SELECT coalesce(a.number, 0) AS number, coalesce(a.at, '') AS at,
      (SELECT min(number) FROM activity WHERE owner = ${owner}) AS first,
      CASE WHEN a.number IS NULL THEN EXISTS (SELECT 1 FROM activity
        WHERE owner = ${owner} AND number > asked.number AND began <= ${at}) ELSE 0 END AS has_moved
    FROM (SELECT ${number} AS number) AS asked
      LEFT JOIN activity AS a ON a.owner = ${owner} AND a.number = asked.number`);

/** Throws 410 unless the ledger has every entry after the place, and the same one at it if that is still kept. */
function mustFollow({ number, at }: Place, [ends]: Ends[]): void {
  const { number: found = 0, at: then = "", first, has_moved = 0 } = ends ?? {};
  const isThere = number > 0 && found === number && then === at;
  const hasMoved = has_moved === 1 && number >= (first ?? 1);
  const isBefore = number + 1 === (first ?? 1);
  if (!isThere && !hasMoved && !isBefore) throw tooOld();
}

const shownFolder = columnsBut(folders, "owner", "activity", "key");

const readers = {
  folder: ({ db, owner }: Ctx, which: SQL) =>
    db
      .select(shownFolder)
      .from(folders)
      .where(and(eq(folders.owner, owner), which)),
  document: (ctx: Ctx, which: SQL) =>
    ctx.db
      .select(shownDocument)
      .from(documents)
      .where(and(livingDocuments(ctx), which)),
  memory: (ctx: Ctx, which: SQL) =>
    ctx.db
      .select(shownMemory(ctx))
      .from(memories)
      .where(and(eq(memories.owner, ctx.owner), NOT_TRASHED, which)),
};

type Rows = {
  folder: Awaited<ReturnType<(typeof readers)["folder"]>>;
  document: Awaited<ReturnType<(typeof readers)["document"]>>;
  memory: Awaited<ReturnType<(typeof readers)["memory"]>>;
};

const keyOf = (kind: Kind, id: string | number) => `${kind} ${id}`;

async function itemsOf(ctx: Ctx, { folder, document, memory }: Rows): Promise<Map<string, Change>> {
  const clock = memory.length > 0 ? await clockOf(ctx) : { now: ctx.now, timezone: "UTC" };
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
  return new Map(items.map((item) => [keyOf(item.kind, item.id), item]));
}

const NONE: Rows = { folder: [], document: [], memory: [] };

const TABLES = { folder: sql`folders`, document: sql`documents`, memory: sql`memories` };

/** The next records of a kind, in SQL: rows of `id` and how many there would be without the limit of bytes. */
function nextIds({ owner }: Ctx, kind: Kind, after: string, limit: number): SQL {
  const size =
    kind === "document" ? sql`${ROW_BYTES} + coalesce(octet_length(content), 0)` : sql`${ROW_BYTES}`;
  const isLiving = kind === "folder" ? sql`true` : sql`trashed_at IS NULL`;
  const from = kind === "memory" ? sql`${Number(after)}` : sql`${after}`;
  return sql`SELECT id, found FROM (
      SELECT id, count(*) OVER () AS found, sum(size) OVER (ORDER BY id) - size AS before FROM (
        SELECT id, ${size} AS size FROM ${TABLES[kind]}
        WHERE owner = ${owner} AND id > ${from} AND ${isLiving} ORDER BY id LIMIT ${limit}))
    WHERE before < ${PAGE_BYTES}`;
}

type Listed = { id: string | number; found: number };

async function beginningPage(ctx: Ctx, place: Place | undefined, limit: number): Promise<ChangeList> {
  const { kind = "folder", after = "" } = place ?? {};
  const ids = nextIds(ctx, kind, after, limit);
  const began = place
    ? sql`${place.number}`
    : sql`(SELECT max(number) FROM activity WHERE owner = ${ctx.owner})`;
  const [ends, listed, rows] = await ctx.db.batch([
    endsStatement(ctx, began, place?.at),
    ctx.db.all<Listed>(ids),
    readers[kind](ctx, sql`${TABLES[kind]}.id IN (SELECT id FROM (${ids}))`),
  ]);
  if (place) mustFollow(place, ends);
  const { number, at } = place ?? ends[0] ?? { number: 0, at: "" };
  const items = [...(await itemsOf(ctx, { ...NONE, [kind]: rows })).values()];
  items.sort((a, b) => (a.id < b.id ? -1 : 1));
  const isLast = (listed[0]?.found ?? 0) <= listed.length && listed.length < limit;
  const following = isLast ? KINDS_IN_ORDER[KINDS_IN_ORDER.indexOf(kind) + 1] : kind;
  const last = isLast ? "" : String(listed.at(-1)?.id ?? "");
  const next: Place = following ? { number, at, kind: following, after: last } : { number, at };
  return { items, cursor: writePlace(ctx, next), has_more: true };
}

type Entry = { number: number; at: string; kind: Kind; record: string; verb: Verb; found: number };

const entriesStatement = ({ db, owner }: Ctx, number: number, limit: number) =>
  db.all<Entry>(sql`
    SELECT number, at, kind, record, verb, found FROM (
      SELECT *, count(*) OVER () AS found, sum(size) OVER (ORDER BY number) - size AS before FROM (
        SELECT a.number, a.at, a.kind, a.record, a.verb, ${ROW_BYTES} + coalesce((
            SELECT octet_length(content) FROM documents
            WHERE a.kind = 'document' AND id = a.record AND owner = ${owner} AND trashed_at IS NULL), 0) AS size
        FROM activity AS a WHERE a.owner = ${owner} AND a.number > ${number} ORDER BY a.number LIMIT ${limit}))
    WHERE before < ${PAGE_BYTES} ORDER BY number`);

const ARRIVALS: Verb[] = ["created", "restored"];

function changesOf(entries: Entry[], items: Map<string, Change>): Change[] {
  const byRecord = Map.groupBy(entries.toReversed(), ({ kind, record }) => keyOf(kind, record));
  return [...byRecord].reverse().map(([key, [last, ...others]]) => {
    const item = items.get(key);
    if (!item) {
      const { kind, record } = last as Entry;
      const id = kind === "memory" ? Number(record) : record;
      return { kind, id, change: "gone" } as Change;
    }
    const isNew = [last, ...others].some((entry) => entry && ARRIVALS.includes(entry.verb));
    return { ...item, change: isNew ? "new" : "changed" };
  });
}

async function followingPage(ctx: Ctx, place: Place, limit: number): Promise<ChangeList> {
  const [ends, entries] = await ctx.db.batch([
    endsStatement(ctx, sql`${place.number}`, place.at),
    entriesStatement(ctx, place.number, limit),
  ]);
  mustFollow(place, ends);
  const last = entries.at(-1);
  if (!last) return { items: [], cursor: writePlace(ctx, place), has_more: false };
  const idsOf = (kind: Kind) => entries.filter((entry) => entry.kind === kind).map(({ record }) => record);
  const [folder, document, memory] = await ctx.db.batch([
    readers.folder(ctx, sql`${folders.id} IN ${listOf(idsOf("folder"))}`),
    readers.document(ctx, sql`${documents.id} IN ${listOf(idsOf("document"))}`),
    readers.memory(ctx, sql`${memories.id} IN ${listOf(idsOf("memory").map(Number))}`),
  ]);
  const items = changesOf(entries, await itemsOf(ctx, { folder, document, memory }));
  const has_more = last.found > entries.length || last.found === limit;
  return { items, cursor: writePlace(ctx, { number: last.number, at: last.at }), has_more };
}

/** What is new, changed and gone since a cursor. Throws 410 when it is too old, 422 for one of another list. */
export async function listChanges(ctx: Ctx, { cursor, limit }: ChangeListQuery): Promise<ChangeList> {
  const place = cursor === undefined ? undefined : readPlace(ctx, cursor);
  return place && !place.kind ? followingPage(ctx, place, limit) : beginningPage(ctx, place, limit);
}
