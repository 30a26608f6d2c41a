import { sql } from "drizzle-orm";
import { truncateText } from "../../contract/fields.ts";
import { lastAttendedSql } from "../../contract/life-cycle.ts";
import { omit } from "../../contract/omit.ts";
import {
  type Finding,
  type FindingList,
  type FindingListQuery,
  type KeepRequest,
  type TidyItem,
  TidyLook,
} from "../../contract/tidy.ts";
import {
  findingKey,
  type TidyItem as ItemReference,
  TIDY_KIND_INFO,
  TIDY_KINDS,
  type TidyFinding,
  type TidyKind,
} from "../../contract/tidy-kinds.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { sendBatch } from "../../platform/db/call.ts";
import { secretKindIn } from "../../shared/text/secrets.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { keepDecisionBytes } from "../billing/sizes.ts";
import {
  findingId,
  findingName,
  type KeptFinding,
  keepStatement,
  parseFindingKey,
  readKeptNames,
} from "./kept-store.ts";
import type { FoundFindings } from "./look-store.ts";
import {
  DOCUMENT_PLACE,
  DOCUMENT_SIZE,
  hasLinks,
  type ItemPlace,
  RECORD_PLACE,
  RECORD_SIZE,
} from "./read-store.ts";

const EXCERPT_LENGTH = 200;

const NEVER_LOOKED = { looked_at: null, records: 0, documents: 0, searched: 0, left_out: 0 };

export async function readLastLook(ctx: Ctx): Promise<TidyLook> {
  const [row] = await ctx.db.all<{ value: string }>(
    sql`SELECT value FROM tidy_looks WHERE owner = ${ctx.owner} AND part = 'ended'`,
  );
  if (!row) throw new Error("The last look has no stored result");
  return TidyLook.parse(JSON.parse(row.value));
}

const partsStatement = (ctx: Ctx) =>
  ctx.db.all<{ part: string; value: string }>(sql`SELECT part, value FROM tidy_looks
    WHERE owner = ${ctx.owner} AND (part = 'ended' OR (part >= 'found:' AND part < 'found;'))`);

type LookParts = Awaited<ReturnType<typeof partsStatement>>;
type StoredFinding = FoundFindings["items"][number];

function lastLook(parts: LookParts) {
  const ended = parts.find(({ part }) => part === "ended");
  return ended ? TidyLook.parse(JSON.parse(ended.value)) : NEVER_LOOKED;
}

/** The findings of the last look, ordered by kind. */
function parseFindings(parts: LookParts): StoredFinding[] {
  const values = new Map(parts.map(({ part, value }) => [part, value]));
  return TIDY_KINDS.flatMap((kind) => {
    const value = values.get(`found:${kind}`);
    return value === undefined ? [] : (JSON.parse(value) as FoundFindings).items;
  });
}

type Row = Omit<TidyItem, "tags"> & {
  tags: string;
  size: number;
  place: ItemPlace;
  has_links: number | null;
};

const itemIdsJson = (findings: readonly TidyFinding[], type: ItemReference["type"]) =>
  JSON.stringify([
    ...new Set(findings.flatMap(({ items }) => items.flatMap((item) => (item.type === type ? item.id : [])))),
  ]);

const rowsStatements = (ctx: Ctx, findings: readonly TidyFinding[]) =>
  [
    ctx.db.all<Row>(sql`SELECT 'memory' AS type, CAST(m.id AS TEXT) AS id, topic AS title, substr(content, 1, ${EXCERPT_LENGTH}) AS excerpt,
        memory_type, project, status, due_date, tags, version, created_at, updated_at,
        ${sql.raw(lastAttendedSql("m"))} AS changed_at, ${RECORD_SIZE} AS size, ${RECORD_PLACE} AS place, NULL AS has_links
      FROM json_each(${itemIdsJson(findings, "memory")}) AS named
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = CAST(named.value AS INTEGER)`),
    ctx.db.all<Row>(sql`SELECT 'document' AS type, d.id, title, excerpt, NULL AS memory_type, NULL AS project, NULL AS status, NULL AS due_date, tags,
        version, created_at, updated_at, changed_at, ${DOCUMENT_SIZE} AS size, ${DOCUMENT_PLACE} AS place,
        ${hasLinks("d")} AS has_links
      FROM json_each(${itemIdsJson(findings, "document")}) AS named
      CROSS JOIN documents AS d ON d.id = named.value AND d.owner = ${ctx.owner}`),
  ] as const;

/** The earlier versions that the items of findings still have. */
function versionsStatements(ctx: Ctx, findings: readonly TidyFinding[]) {
  const old = findings.filter(({ versions }) => versions !== undefined);
  return [
    ctx.db.all<{ name: string }>(sql`SELECT 'mem:' || e.memory_id || ' ' || (e.state ->> '$.version') AS name
      FROM json_each(${itemIdsJson(old, "memory")}) AS named CROSS JOIN memory_events AS e
        ON e.owner = ${ctx.owner} AND e.memory_id = CAST(named.value AS INTEGER) AND e.state IS NOT NULL`),
    ctx.db.all<{ name: string }>(sql`SELECT 'doc:' || v.document_id || ' ' || v.version AS name
      FROM json_each(${itemIdsJson(old, "document")}) AS named CROSS JOIN document_versions AS v
        ON v.document_id = named.value AND v.owner = ${ctx.owner}`),
  ] as const;
}

/** The minimum number of items by kind; 1 for others. */
const MIN_ITEMS: Partial<Record<TidyKind, number>> = {
  double_record: 2,
  double_document: 2,
  contradiction: 2,
  old_preference: 2,
};

/** The places of items with secrets. Other findings only concern open items. */
const SECRET_PLACES: Partial<Record<TidyKind, readonly ItemPlace[]>> = {
  secret: ["open", "closed"],
  old_secret: ["open", "closed", "trash"],
  trashed_secret: ["trash"],
};

type CurrentState = { rows: ReadonlyMap<string, Row>; versions: ReadonlySet<string> };

/** Whether a document has been changed, pinned or linked since a look found it unused or unlinked. */
function isUsed(row: Row | undefined, { kind, detail: day }: TidyFinding): boolean {
  if (kind !== "unused_document" && kind !== "unlinked_document") return false;
  const tags = JSON.parse(row?.tags ?? "[]") as string[];
  const isLinked = kind === "unlinked_document" && row?.has_links !== 0;
  return (
    isLinked || row?.changed_at.slice(0, 10) !== day || tags.some((tag) => tag.toLowerCase() === "pinned")
  );
}

/** A finding with the items that have not changed since the look; empty if too few are left. */
function currentFinding(finding: StoredFinding, { rows, versions: there }: CurrentState): StoredFinding[] {
  const { kind, versions } = finding;
  const items = finding.items.filter((item) => {
    const row = rows.get(findingKey([item]));
    const isSame = versions !== undefined || row?.size === item.size;
    return row !== undefined && isSame && (SECRET_PLACES[kind] ?? ["open"]).includes(row.place);
  });
  const [first] = items;
  if (isUsed(first && rows.get(findingKey([first])), finding)) return [];
  if (items.length < (MIN_ITEMS[kind] ?? 1)) return [];
  if (versions === undefined) return [{ ...finding, items }];
  const left = versions.filter((version) => there.has(`${findingKey(items)} ${version}`));
  return left.length > 0 ? [{ ...finding, items, versions: left }] : [];
}

function presentItem(found: Row, kind: TidyKind): TidyItem {
  const row = omit(found, "size", "place", "has_links");
  const item = { ...row, excerpt: row.excerpt || null, tags: JSON.parse(row.tags) as string[] };
  if (!(kind in SECRET_PLACES)) return item;
  return {
    ...item,
    title: secretKindIn(item.title) === undefined ? item.title : "(a secret)",
    excerpt: null,
  };
}

const MAX_LISTED_VERSIONS = 5;

function listVersions(versions: readonly number[]): string {
  if (versions.length === 0) return "";
  const left = versions.length - MAX_LISTED_VERSIONS;
  const listed = `${versions.slice(0, MAX_LISTED_VERSIONS).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
  return ` (version${versions.length === 1 ? "" : "s"} ${listed})`;
}

function presentFinding(
  { kind, items, detail, versions }: TidyFinding,
  rows: ReadonlyMap<string, Row>,
): Finding {
  const { actions, reason } = TIDY_KIND_INFO[kind];
  const found = items.flatMap((item) => rows.get(findingKey([item])) ?? []);
  const details = `${truncateText(detail, EXCERPT_LENGTH)}${listVersions(versions ?? [])}`;
  return {
    kind,
    reason: reason(details),
    actions: [...actions],
    items: found.map((row) => presentItem(row, kind)),
    ...(versions && { versions }),
  };
}

const byKey = (rows: readonly Row[]) => new Map(rows.map((row) => [findingKey([row]), row]));

/** The types of items that a caller may read. Findings with other items are left out. */
export type ReadableTypes = readonly ItemReference["type"][];

const isReadable = ({ items }: TidyFinding, types: ReadableTypes) =>
  items.every(({ type }) => types.includes(type));

/** The findings of the last look that still apply. Reads only their items, not the whole account. */
async function listFoundFindings(
  ctx: Ctx,
  query: FindingListQuery,
  types: ReadableTypes,
): Promise<FindingList> {
  const parts = await partsStatement(ctx);
  const readable = parseFindings(parts).filter((finding) => isReadable(finding, types));
  const [records, documents, states, versions] = await ctx.db.batch([
    ...rowsStatements(ctx, readable),
    ...versionsStatements(ctx, readable),
  ]);
  const rows = byKey([...records, ...documents]);
  const now = { rows, versions: new Set([...states, ...versions].map(({ name }) => name)) };
  const current = readable.flatMap((finding) => currentFinding(finding, now));
  const keptNames = await readKeptNames(ctx, current.map(findingId));
  const left = current.filter((finding) => !keptNames.has(findingName(findingId(finding))));
  const totals = Map.groupBy(left, ({ kind }) => kind);
  const counts = TIDY_KINDS.map((kind) => ({ kind, total: totals.get(kind)?.length ?? 0 }));
  const ofKind = left.filter(({ kind }) => query.kind === undefined || kind === query.kind);
  const page = ofKind.slice(query.offset, query.offset + query.limit);
  return {
    items: page.map((finding) => presentFinding(finding, rows)),
    total: ofKind.length,
    counts: counts.filter(({ total }) => total > 0),
    ...lastLook(parts),
  };
}

/** The kept findings, with the items that still exist. */
async function listKeptFindings(ctx: Ctx, { kind, limit, offset }: FindingListQuery): Promise<FindingList> {
  const which = sql`FROM tidy_kept WHERE owner = ${ctx.owner} AND kind = coalesce(${kind ?? null}, kind)`;
  const [kept, counts, parts] = await ctx.db.batch([
    ctx.db.all<Omit<KeptFinding, "kept_at">>(
      sql`SELECT kind, key, detail ${which} ORDER BY kept_at DESC, kind, key LIMIT ${limit} OFFSET ${offset}`,
    ),
    ctx.db.all<FindingList["counts"][number]>(
      sql`SELECT kind, count(*) AS total ${which} GROUP BY kind ORDER BY kind`,
    ),
    partsStatement(ctx),
  ]);
  const findings = kept.map(({ kind, key, detail }) => ({ kind, items: parseFindingKey(key), detail }));
  const [records, documents] = await ctx.db.batch(rowsStatements(ctx, findings));
  const rows = byKey([...records, ...documents]);
  return {
    items: findings.map((finding) => presentFinding(finding, rows)),
    total: counts.reduce((sum, { total }) => sum + total, 0),
    counts,
    ...lastLook(parts),
  };
}

/** A page of findings, or of findings that are kept as they are. */
export const listFindings = (
  ctx: Ctx,
  query: FindingListQuery,
  types: ReadableTypes = ["memory", "document"],
): Promise<FindingList> => (query.kept ? listKeptFindings(ctx, query) : listFoundFindings(ctx, query, types));

/** Keeps a finding as it is: it is not reported again while it concerns the same items. Throws 404 if it was not found. */
async function keepFinding(ctx: Ctx, { kind, items }: KeepRequest): Promise<void> {
  const requestedKeys = new Set(items.map((item) => findingKey([item])));
  const found = parseFindings(await partsStatement(ctx)).find(
    (finding) =>
      finding.kind === kind &&
      [...requestedKeys].every((key) => finding.items.some((item) => findingKey([item]) === key)),
  );
  if (!found) throw notFound();
  const keptFinding = { kind, key: findingKey(items), detail: found.detail, kept_at: ctx.now.toISOString() };
  await sendBatch(ctx, [
    ...assertQuotaLeft(ctx, { bytes: keepDecisionBytes(keptFinding) }),
    keepStatement(ctx, keptFinding),
  ]);
}

/** Keeps a finding as it is, or lets it be reported again. Idempotent. */
export async function setFindingKept(ctx: Ctx, request: KeepRequest): Promise<void> {
  if (request.keep) return keepFinding(ctx, request);
  const { kind, items } = request;
  await ctx.db.run(
    sql`DELETE FROM tidy_kept WHERE owner = ${ctx.owner} AND kind = ${kind} AND key = ${findingKey(items)}`,
  );
}
