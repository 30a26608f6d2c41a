import { sql } from "drizzle-orm";
import { truncateText } from "../../contract/fields.ts";
import { lastAttendedSql } from "../../contract/life-cycle.ts";
import { omit } from "../../contract/omit.ts";
import {
  type FindingList,
  type FindingListQuery,
  type Finding as Shown,
  type TidyItem,
  TidyLook,
} from "../../contract/tidy.ts";
import {
  findingKey,
  type TidyItem as Named,
  TIDY_KIND_INFO,
  TIDY_KINDS,
  type TidyFinding,
  type TidyKind,
} from "../../contract/tidy-kinds.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { secretKindIn } from "../../shared/text/secrets.ts";
import { type KeptFinding, parseFindingKey } from "./kept-finding.ts";
import type { FoundFindings } from "./look-store.ts";
import { DOCUMENT_PLACE, DOCUMENT_SIZE, type ItemPlace, RECORD_PLACE, RECORD_SIZE } from "./read-store.ts";

const EXCERPT_LENGTH = 200;

const NEVER_LOOKED = { looked_at: null, records: 0, documents: 0, searched: 0, left_out: 0 };

const parseLook = (value: string | undefined) =>
  value === undefined ? undefined : TidyLook.parse(JSON.parse(value));

export async function readLastLook(ctx: Ctx): Promise<TidyLook> {
  const [row] = await ctx.db.all<{ value: string }>(
    sql`SELECT value FROM tidy_looks WHERE owner = ${ctx.owner} AND part = 'ended'`,
  );
  const ended = parseLook(row?.value);
  if (!ended) throw new Error("The last look has no stored result");
  return ended;
}

const partsStatement = (ctx: Ctx) =>
  ctx.db.all<{ part: string; value: string }>(sql`SELECT part, value FROM tidy_looks
    WHERE owner = ${ctx.owner} AND (part = 'ended' OR (part >= 'found:' AND part < 'found;'))`);

type LookParts = Awaited<ReturnType<typeof partsStatement>>;
type StoredFinding = FoundFindings["items"][number];

/** The findings of the last look, ordered by kind. */
function parseFindings(parts: LookParts): StoredFinding[] {
  const values = new Map(parts.map(({ part, value }) => [part, value]));
  return TIDY_KINDS.flatMap((kind) => {
    const value = values.get(`found:${kind}`);
    return value === undefined ? [] : (JSON.parse(value) as FoundFindings).items;
  });
}

export const readFoundFindings = async (ctx: Ctx): Promise<StoredFinding[]> =>
  parseFindings(await partsStatement(ctx));

type Row = Omit<TidyItem, "tags"> & { tags: string; size: number; place: ItemPlace };

const itemIdsJson = (findings: readonly TidyFinding[], type: Named["type"]) =>
  JSON.stringify([
    ...new Set(findings.flatMap(({ items }) => items.flatMap((item) => (item.type === type ? item.id : [])))),
  ]);

const rowsStatements = (ctx: Ctx, findings: readonly TidyFinding[]) =>
  [
    ctx.db.all<Row>(sql`SELECT 'memory' AS type, CAST(m.id AS TEXT) AS id, topic AS title, substr(content, 1, ${EXCERPT_LENGTH}) AS excerpt,
        memory_type, project, status, due_date, tags, version, created_at, updated_at,
        ${sql.raw(lastAttendedSql("m"))} AS changed_at, ${RECORD_SIZE} AS size, ${RECORD_PLACE} AS place
      FROM json_each(${itemIdsJson(findings, "memory")}) AS named
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = CAST(named.value AS INTEGER)`),
    ctx.db.all<Row>(sql`SELECT 'document' AS type, d.id, title, excerpt, NULL AS memory_type, NULL AS project, NULL AS status, NULL AS due_date, tags,
        version, created_at, updated_at, changed_at, ${DOCUMENT_SIZE} AS size, ${DOCUMENT_PLACE} AS place
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

const findingKeysJson = (findings: readonly TidyFinding[]) =>
  JSON.stringify(findings.map(({ kind, items }) => [kind, findingKey(items)]));

/** Which of the findings are kept. A finding that lost an item has another key. */
const keptStatement = (ctx: Ctx, findings: readonly TidyFinding[]) =>
  ctx.db.all<{
    name: string;
  }>(sql`SELECT k.kind || ' ' || k.key AS name FROM json_each(${findingKeysJson(findings)}) AS named
    CROSS JOIN tidy_kept AS k ON k.owner = ${ctx.owner} AND k.kind = named.value ->> 0 AND k.key = named.value ->> 1`);

const findingName = ({ kind, items }: TidyFinding) => `${kind} ${findingKey(items)}`;

/** The minimum number of items by kind; 1 for others. */
const MIN_ITEMS: Partial<Record<TidyKind, number>> = {
  double_record: 2,
  double_document: 2,
  contradiction: 2,
  old_preference: 2,
};

/** The places of items by kind. Findings other than secrets only concern open items. */
const ITEM_PLACES: Partial<Record<TidyKind, readonly ItemPlace[]>> = {
  secret: ["open", "closed"],
  old_secret: ["open", "closed", "trash"],
  trashed_secret: ["trash"],
};

type CurrentState = { rows: ReadonlyMap<string, Row>; versions: ReadonlySet<string> };

/** Whether an unused document has been changed or pinned since the look. `day`: its last change at that time. */
function isUsed(row: Row | undefined, day: string): boolean {
  const tags = JSON.parse(row?.tags ?? "[]") as string[];
  return row?.changed_at.slice(0, 10) !== day || tags.some((tag) => tag.toLowerCase() === "pinned");
}

/** A finding with the items that have not changed since the look; empty if too few are left. */
function currentFinding(finding: StoredFinding, { rows, versions: there }: CurrentState): StoredFinding[] {
  const { kind, versions } = finding;
  const items = finding.items.filter((item) => {
    const row = rows.get(findingKey([item]));
    const isSame = versions !== undefined || row?.size === item.size;
    return row !== undefined && isSame && (ITEM_PLACES[kind] ?? ["open"]).includes(row.place);
  });
  const [first] = items;
  if (kind === "unused_document" && isUsed(first && rows.get(findingKey([first])), finding.detail)) return [];
  if (items.length < (MIN_ITEMS[kind] ?? 1)) return [];
  if (versions === undefined) return [{ ...finding, items }];
  const left = versions.filter((version) => there.has(`${findingKey(items)} ${version}`));
  return left.length > 0 ? [{ ...finding, items, versions: left }] : [];
}

const SECRET_KINDS: readonly TidyKind[] = ["secret", "old_secret", "trashed_secret"];

function presentItem(found: Row, kind: TidyKind): TidyItem {
  const row = omit(found, "size", "place");
  const item = { ...row, excerpt: row.excerpt || null, tags: JSON.parse(row.tags) as string[] };
  if (!SECRET_KINDS.includes(kind)) return item;
  return {
    ...item,
    title: secretKindIn(item.title) === undefined ? item.title : "(a secret)",
    excerpt: null,
  };
}

const MAX_LISTED_VERSIONS = 5;

function listVersions(versions: readonly number[]): string {
  const [one, ...others] = versions.slice(0, MAX_LISTED_VERSIONS);
  if (one === undefined) return "";
  const more =
    versions.length > MAX_LISTED_VERSIONS ? ` and ${versions.length - MAX_LISTED_VERSIONS} more` : "";
  return others.length === 0 ? ` (version ${one})` : ` (versions ${[one, ...others].join(", ")}${more})`;
}

function presentFinding(
  { kind, items, detail, versions }: TidyFinding,
  rows: ReadonlyMap<string, Row>,
): Shown {
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
export type ReadableTypes = readonly Named["type"][];
export const ALL_TYPES: ReadableTypes = ["memory", "document"];

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
  const keptNames = new Set((await keptStatement(ctx, current)).map(({ name }) => name));
  const left = current.filter((finding) => !keptNames.has(findingName(finding)));
  const counts = TIDY_KINDS.map((kind) => ({
    kind,
    total: left.filter((finding) => finding.kind === kind).length,
  }));
  const ofKind = left.filter(({ kind }) => query.kind === undefined || kind === query.kind);
  const page = ofKind.slice(query.offset, query.offset + query.limit);
  return {
    items: page.map((finding) => presentFinding(finding, rows)),
    total: ofKind.length,
    counts: counts.filter(({ total }) => total > 0),
    ...(parseLook(parts.find(({ part }) => part === "ended")?.value) ?? NEVER_LOOKED),
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
    ...(parseLook(parts.find(({ part }) => part === "ended")?.value) ?? NEVER_LOOKED),
  };
}

/** A page of findings, or of findings that are kept as they are. */
export const listFindings = (
  ctx: Ctx,
  query: FindingListQuery,
  types: ReadableTypes = ALL_TYPES,
): Promise<FindingList> => (query.kept ? listKeptFindings(ctx, query) : listFoundFindings(ctx, query, types));
