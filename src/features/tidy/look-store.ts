import { sql } from "drizzle-orm";
import { localDay } from "../../contract/days.ts";
import type { TidyLook } from "../../contract/tidy.ts";
import { findingKey, TIDY_KINDS, type TidyFinding, type TidyItem } from "../../contract/tidy-kinds.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { sendBatch } from "../../platform/db/call.ts";
import type { JobRun } from "../../platform/jobs/run.ts";
import { type JobRow, progressStatements } from "../../platform/jobs/store.ts";
import { createYieldingRunner, runYielding } from "../../platform/queue/yielding.ts";
import { findAcross } from "../../shared/tidy/find.ts";
import { type Fingerprint, makeFingerprint } from "../../shared/tidy/fingerprint.ts";
import { findInSubject, secretInSubject } from "../../shared/tidy/single.ts";
import { packHashes, unpackHashes } from "../../shared/tidy/sketch.ts";
import { findingId, findingName } from "./kept-store.ts";
import {
  countStatement,
  documentsStatement,
  MAX_OPEN_ITEMS,
  MAX_READ_ITEMS,
  type ReadItem,
  type ReadVersion,
  readDocumentRows,
  readRecordRows,
  readStateRows,
  readVersionRows,
  recordsStatement,
  statesStatement,
  versionsStatement,
} from "./read-store.ts";

// A look through an account. It reduces what it reads to marks, which are stored in pieces until all of them are compared.

/**
 * The progress of a look: the last record, document and versions that it read, and their numbers. `records` and `documents`
 * count open ones, `searched` all others including versions.
 */
export type LookProgress = {
  record: number;
  state: [record: number, event: number];
  document: string;
  version: [document: string, version: number];
  pieces: number;
  records: number;
  documents: number;
  read: number;
  versions: number;
  searched: number;
};

type SizedItem = TidyItem & { size: number };
type CompactMark = ReturnType<typeof compactMark>;
type Piece = { marks: CompactMark[]; alone: TidyFinding<SizedItem>[] };

/** A mark as stored. `size` is computed by the database. */
function compactMark({ thing, size }: ReadItem) {
  const { words, pairs, topics, ...mark } = makeFingerprint(thing);
  return { ...mark, size, words: packHashes(words), pairs: packHashes(pairs), topics: packHashes(topics) };
}

const restoreMark = ({ words, pairs, topics, ...mark }: CompactMark): Fingerprint => ({
  ...mark,
  words: unpackHashes(words),
  pairs: unpackHashes(pairs),
  topics: unpackHashes(topics),
});

const withSize = ({ items, ...finding }: TidyFinding, size: number): TidyFinding<SizedItem> => ({
  ...finding,
  items: items.map((item) => ({ ...item, size })),
});

/** All kinds of findings for open items, only secrets for others. */
function findInItem({ thing, size, place }: ReadItem, today: string): TidyFinding<SizedItem>[] {
  if (place === "open") return findInSubject(thing, today).map((finding) => withSize(finding, size));
  const detail = secretInSubject(thing);
  if (detail === undefined) return [];
  const { type, id } = thing;
  return [{ kind: place === "trash" ? "trashed_secret" : "secret", items: [{ type, id, size }], detail }];
}

function findInVersion({ type, id, version, ...texts }: ReadVersion): TidyFinding<SizedItem>[] {
  const detail = secretInSubject(texts);
  return detail === undefined
    ? []
    : [{ kind: "old_secret", items: [{ type, id, size: 0 }], detail, versions: [version] }];
}

type ReadBatch = { read: ReadItem[]; versions: ReadVersion[] };

const isOpenItem = ({ place }: ReadItem) => place === "open";

/** Examines the texts of a piece, yielding to other requests in between. */
async function examine({ read, versions }: ReadBatch, today: string): Promise<Piece> {
  const piece: Piece = { marks: [], alone: [] };
  const turn = createYieldingRunner();
  for (const one of read)
    await turn(() => {
      if (isOpenItem(one)) piece.marks.push(compactMark(one));
      piece.alone.push(...findInItem(one, today));
    });
  for (const one of versions) await turn(() => void piece.alone.push(...findInVersion(one)));
  return piece;
}

const LAST = Number.MAX_SAFE_INTEGER;

const INITIAL_PROGRESS: LookProgress = {
  record: LAST,
  state: [LAST, 0],
  document: "~",
  version: ["~", 0],
  pieces: 0,
  records: 0,
  documents: 0,
  read: 0,
  versions: 0,
  searched: 0,
};

const partName = (piece: number) => `read:${String(piece).padStart(6, "0")}`;

type NextBatch = ReadBatch & { next: LookProgress };

/** How much has been read, open or not. */
const addRead = ({ read, versions }: LookProgress, rows: readonly unknown[], states: readonly unknown[]) => ({
  read: read + rows.length,
  versions: versions + states.length,
});

const isEnough = (open: number, read: number) => open >= MAX_OPEN_ITEMS || read >= MAX_READ_ITEMS;

async function readRecords(ctx: Ctx, looking: LookProgress): Promise<NextBatch> {
  const [rows, states] = await ctx.db.batch([
    recordsStatement(ctx, looking.record, MAX_OPEN_ITEMS - looking.records),
    statesStatement(ctx, looking.state, MAX_OPEN_ITEMS - looking.versions),
  ]);
  const read = readRecordRows(rows);
  const totals = addRead(looking, rows, states);
  const records = looking.records + read.filter(isOpenItem).length;
  const record = isEnough(records, totals.read) ? 0 : (rows.at(-1)?.id ?? 0);
  const last = totals.versions < MAX_OPEN_ITEMS ? states.at(-1) : undefined;
  const state: LookProgress["state"] = last ? [last.memory_id, last.event] : [0, 0];
  return { read, versions: readStateRows(states), next: { ...looking, ...totals, records, record, state } };
}

async function readDocuments(ctx: Ctx, looking: LookProgress): Promise<NextBatch> {
  const [rows, states] = await ctx.db.batch([
    documentsStatement(ctx, looking.document, MAX_OPEN_ITEMS - looking.documents),
    versionsStatement(ctx, looking.version, MAX_OPEN_ITEMS - looking.versions),
  ]);
  const read = readDocumentRows(rows);
  const totals = addRead(looking, rows, states);
  const documents = looking.documents + read.filter(isOpenItem).length;
  const document = isEnough(documents, totals.read) ? "" : (rows.at(-1)?.id ?? "");
  const last = totals.versions < MAX_OPEN_ITEMS ? states.at(-1) : undefined;
  const version: LookProgress["version"] = last ? [last.document_id, last.version] : ["", 0];
  return {
    read,
    versions: readVersionRows(states),
    next: { ...looking, ...totals, documents, document, version },
  };
}

/** The next piece, and the progress after it; undefined at the end. */
async function readNext(ctx: Ctx, looking: LookProgress): Promise<NextBatch | undefined> {
  if (looking.record > 0 || looking.state[0] > 0) {
    const { next, ...some } = await readRecords(ctx, looking);
    const isOver = next.record === 0 && next.state[0] === 0;
    return { ...some, next: isOver ? { ...next, read: 0, versions: 0 } : next };
  }
  if (looking.document !== "" || looking.version[0] !== "") return readDocuments(ctx, looking);
  return undefined;
}

export const deletePieces = (ctx: Ctx) =>
  ctx.db.run(sql`DELETE FROM tidy_looks WHERE owner = ${ctx.owner} AND part > 'read:' AND part < 'read;'`);

/** Reads the next piece of a look, or compares all pieces at the end. Returns whether the look has ended. */
export async function continueLook({ ctx, task, payload }: JobRun<Partial<LookProgress>>): Promise<boolean> {
  const looking = { ...INITIAL_PROGRESS, ...payload };
  const batch = await readNext(ctx, looking);
  if (!batch) {
    await compareAll(ctx, task, looking);
    return true;
  }
  const { timezone } = await ctx.user();
  const { read, versions } = batch;
  const done = read.filter(isOpenItem).length;
  const next = {
    ...batch.next,
    pieces: looking.pieces + 1,
    searched: looking.searched + read.length - done + versions.length,
  };
  const value = JSON.stringify(await examine(batch, localDay(ctx.now, timezone)));
  const beginning = looking.pieces === 0 ? [deletePieces(ctx)] : [];
  await sendBatch(ctx, [
    ...progressStatements(ctx, task, { done, payload: next }),
    ...beginning,
    ctx.db.run(
      sql`INSERT OR REPLACE INTO tidy_looks (owner, part, value) VALUES (${ctx.owner}, ${partName(looking.pieces)}, ${value})`,
    ),
  ]);
  Object.assign(payload, next);
  return false;
}

/** Bytes of pieces per database call, unless a single piece is larger. */
const CALL_BYTES = 4_000_000;

async function* readPieces(ctx: Ctx): AsyncGenerator<Piece> {
  for (let after = "read:"; ; ) {
    const from = sql`FROM tidy_looks WHERE owner = ${ctx.owner} AND part > ${after} AND part < 'read;' ORDER BY part`;
    const rows = await ctx.db.all<{ part: string; value: string }>(sql`SELECT part, value ${from}
      LIMIT max(1, (SELECT count(*) FROM (SELECT sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS sum
        FROM (SELECT octet_length(value) AS size ${from})) WHERE sum <= ${CALL_BYTES}))`);
    for (const { value } of rows) yield JSON.parse(value) as Piece;
    const last = rows.at(-1);
    if (!last) return;
    after = last.part;
  }
}

/** Maximum number of stored findings per kind. Others appear in a later look. */
const MAX_STORED_FINDINGS = 200;

export type FoundFindings = { total: number; items: TidyFinding<SizedItem>[] };

/** Merges versions of an item with a secret into one finding, or drops them if the item itself has a secret now. */
function mergeVersions(findings: readonly TidyFinding<SizedItem>[]): TidyFinding<SizedItem>[] {
  const old = new Map<string, TidyFinding<SizedItem>>();
  const isPresent = ({ kind }: TidyFinding) => kind === "secret" || kind === "trashed_secret";
  const present = new Set(findings.filter(isPresent).map(({ items }) => findingKey(items)));
  for (const finding of findings) {
    if (finding.kind !== "old_secret" || present.has(findingKey(finding.items))) continue;
    const known = old.get(findingKey(finding.items));
    const versions = [...(known?.versions ?? []), ...(finding.versions ?? [])];
    old.set(findingKey(finding.items), { ...(known ?? finding), versions });
  }
  return [...findings.filter(({ kind }) => kind !== "old_secret"), ...old.values()];
}

async function compareAll(ctx: Ctx, task: JobRow, { records, documents, searched }: LookProgress) {
  const [kept, [all]] = await ctx.db.batch([
    ctx.db.all<{ name: string }>(
      sql`SELECT kind || ' ' || key AS name FROM tidy_kept WHERE owner = ${ctx.owner}`,
    ),
    countStatement(ctx),
  ]);
  const [marks, alone]: [Fingerprint[], TidyFinding<SizedItem>[]] = [[], []];
  for await (const piece of readPieces(ctx)) {
    marks.push(...piece.marks.map(restoreMark));
    alone.push(...piece.alone);
  }
  const known = [...alone.flatMap(({ items }) => items), ...marks].filter(({ size }) => size > 0);
  const sizes = new Map(known.map((one) => [findingKey([one]), one.size]));
  const findings = (await runYielding(findAcross(mergeVersions(alone), marks))).map((finding) => ({
    ...finding,
    items: finding.items.map(({ type, id }) => ({
      type,
      id,
      size: sizes.get(findingKey([{ type, id }])) ?? 0,
    })),
  }));
  const left_out =
    Math.max(0, (all?.records ?? 0) - records) + Math.max(0, (all?.documents ?? 0) - documents);
  const ended: TidyLook = { looked_at: task.created_at, records, documents, searched, left_out };
  const keptNames = new Set(kept.map(({ name }) => name));
  const notKept = findings.filter((finding) => !keptNames.has(findingName(findingId(finding))));
  const parts = TIDY_KINDS.map((kind) => {
    const items = notKept.filter((finding) => finding.kind === kind);
    const found: FoundFindings = { total: items.length, items: items.slice(0, MAX_STORED_FINDINGS) };
    return [`found:${kind}`, JSON.stringify(found)];
  });
  const values = JSON.stringify(Object.fromEntries([...parts, ["ended", JSON.stringify(ended)]]));
  await sendBatch(ctx, [
    ...progressStatements(ctx, task, { done: 0 }),
    ctx.db.run(sql`DELETE FROM tidy_looks WHERE owner = ${ctx.owner}`),
    ctx.db.run(
      sql`INSERT INTO tidy_looks (owner, part, value) SELECT ${ctx.owner}, key, value FROM json_each(${values})`,
    ),
  ]);
}
