import { localDay, localMinute, resolveInstant } from "../../contract/days.ts";
import { folderPathKey } from "../../contract/folder-key.ts";
import { hasWokenSql, lastAttendedSql } from "../../contract/life-cycle.ts";
import { parseReference } from "../../contract/links.ts";
import { isSameName, nameKey, normalizeName } from "../../contract/name-key.ts";
import type { SearchQuery } from "../../contract/search.ts";
import type { SqlFragment } from "../../engine/index.ts";
import { toQuery } from "../../platform/core/statement.ts";
import { nameKeySql, otherSpellingsSql, spellingsByKeySql } from "../../platform/db/name-sql.ts";
import { linkKey, linkNameKey } from "../../shared/markdown/note-links.ts";
import { type DueCondition, parseDueFilter } from "../../shared/query/due.ts";
import { parseFilterDay } from "../../shared/query/filter-dates.ts";
import type { Filter, FilterName } from "../../shared/query/query.ts";
import { folderPathSql } from "../documents/folder-path.ts";
import { TASK_CONDITIONS } from "../documents/task-count-store.ts";

type SearchParameters = Pick<
  SearchQuery,
  "folder_id" | "tag" | "source_type" | "updated_after" | "updated_before"
>;

/** `now`: a deferred record becomes active on its day. `timezone`: where days begin. */
export type SearchContext = { readonly owner: number; readonly now: Date; readonly timezone: string };

/** A condition in SQL and its single parameter; undefined drops the condition. A list is passed as JSON. */
type Condition = readonly [sql: string, value: string | undefined];

/** SQL: `test` holds for every value (`w.value`) of a JSON list. */
const everyValue = (test: string) => `NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE (${test}) IS NOT TRUE)`;

const jsonList = (values: unknown[]) => (values.length === 0 ? undefined : JSON.stringify(values));

const valuesByName = (filters: readonly Filter[]) => (name: FilterName) =>
  filters.filter((one) => one.name === name).map(({ value }) => value);

const isDueRange = (due: DueCondition) => due !== "overdue" && due !== "none";

const MINUTE_LENGTH = "2026-12-01T09:00".length;

/** The condition values of `due:` filters. */
function dueConditions(values: readonly string[], { now, timezone }: SearchContext) {
  const requested = values.flatMap((value) => parseDueFilter(value, localDay(now, timezone)) ?? []);
  const minute = localMinute(now.toISOString(), timezone).slice(0, MINUTE_LENGTH);
  const ranges = requested.filter(isDueRange);
  return {
    ranges: ranges.length === 0 ? undefined : JSON.stringify(ranges),
    undated: jsonList(requested.filter((one) => one === "none")),
    overdue: jsonList(requested.includes("overdue") ? [minute] : []),
  };
}

function readConditions(request: SearchParameters, filters: readonly Filter[], context: SearchContext) {
  const { now, timezone } = context;
  const named = valuesByName(filters);
  const today = localDay(now, timezone);
  const days = (values: string[]) => values.flatMap((value) => parseFilterDay(value, today) ?? []);
  const instants = (given: string | undefined, values: string[]) =>
    [...(given ? [given] : []), ...days(values)]
      .map((day) => new Date(resolveInstant(day, timezone)).toISOString())
      .toSorted();
  const lower = (values: string[]) => values.map((value) => value.toLowerCase());
  const has = lower(named("has"));
  return {
    folders: named("folder").map(folderPathKey),
    folderId: request.folder_id,
    sources: jsonList([...(request.source_type ? [request.source_type] : []), ...lower(named("source"))]),
    types: jsonList(lower(named("type"))),
    statuses: jsonList(lower(named("status"))),
    projects: named("project"),
    repeating: jsonList(named("is")),
    priorities: jsonList(lower(named("priority"))),
    owed: jsonList(lower(named("owed"))),
    ...dueConditions(named("due"), context),
    linked: documentNames(named("linked")),
    tasks: jsonList([
      ...lower(named("task")),
      ...has.filter((what) => what !== "file").map((what) => (what === "task" ? "any" : "")),
    ]),
    files: jsonList(has.filter((what) => what === "file")),
    from: instants(request.updated_after, named("after")).at(-1),
    until: instants(request.updated_before, named("before")).at(0),
  };
}

/** A document in a filter: its id, its title, the keys of that, and of it as the target of a link. */
function documentName(value: string) {
  const { kind, id } = parseReference(value) ?? {};
  const title = normalizeName(value);
  return [kind === "document" ? id : null, title, nameKey(title), linkKey(value), linkNameKey(value)];
}

const documentNames = (values: readonly string[]): string | undefined => jsonList(values.map(documentName));

/** SQL: document `d` is the one in `w.value`. */
const IS_NAMED =
  "d.id = w.value ->> 0 OR d.title = w.value ->> 1 COLLATE NOCASE OR d.title_key = w.value ->> 2";

/** SQL: the document in `w.value` links to document `x`. */
const IS_LINKED = `EXISTS (SELECT 1 FROM document_links l CROSS JOIN documents d ON d.id = l.from_id AND d.owner = l.owner
  WHERE l.owner = x.owner AND l.to_id = x.id AND d.trashed_at IS NULL AND (${IS_NAMED}))`;

type ConditionValues = ReturnType<typeof readConditions>;

/** SQL: the record has all these tags in any spelling. Looks them up in the tag tables, so no other record is read. */
function hasAllTags(owner: number, tags: readonly string[]): SqlFragment {
  const spelled = toQuery(spellingsByKeySql({ owner }, "tag", tags)) as SqlFragment;
  const those = (kind: string, table: string, record: string) => `
    SELECT '${kind}', CAST(t.${record} AS TEXT) FROM (${spelled.sql}) w CROSS JOIN ${table} t ON t.owner = ? AND t.tag = w.name
    GROUP BY t.${record} HAVING count(DISTINCT w.key) = ${new Set(tags.map(nameKey)).size}`;
  const params = [...spelled.params, owner];
  return {
    // SQLite looks up each row of a simple SELECT in an index, but not those of a compound one.
    sql: `(r.kind, r.record) IN (SELECT * FROM (${those("document", "document_tags", "document_id")}
    UNION ALL ${those("memory", "memory_tags", "memory_id")}))`,
    params: [...params, ...params],
  };
}

/** SQL: it is a document that links to all of these, which may be missing. Starts from them, so no other link is read. */
function linksToAll(owner: number, names: readonly string[]): SqlFragment {
  const named = (index: string, isNamed: string) =>
    `SELECT w.key, d.id FROM json_each(?) w CROSS JOIN documents d ${index} ON d.owner = ? AND ${isNamed}`;
  const values = [JSON.stringify(names.map(documentName)), owner];
  return {
    sql: `(r.kind, r.record) IN (SELECT 'document', from_id FROM (
      SELECT t.key, l.from_id FROM (${named("", "d.id = w.value ->> 0")}
        UNION ${named("INDEXED BY documents_owner_title_idx", "d.title = w.value ->> 1 COLLATE NOCASE AND d.trashed_at IS NULL")}
        UNION ${named("INDEXED BY documents_title_key_idx", "d.title_key = w.value ->> 2 AND d.trashed_at IS NULL")}) t
        CROSS JOIN document_links l INDEXED BY document_links_to_idx ON l.owner = ? AND l.to_id = t.id
      UNION ALL SELECT w.key, l.from_id FROM json_each(?) w CROSS JOIN document_links l INDEXED BY document_links_name_idx
        ON l.owner = ? AND l.name_key = w.value ->> 4 AND l.target_key = w.value ->> 3)
      GROUP BY from_id HAVING count(DISTINCT key) = ${names.length})`,
    params: [...values, ...values, ...values, owner, values[0] as string, owner],
  };
}

/** SQL: document `x` is in a folder with the name or path `w.value`. */
function isInFolder(names: readonly string[]): string {
  const key = `coalesce(f.key, ${nameKeySql("f.name", names.join(""))})`;
  return `EXISTS (SELECT 1 FROM folders f WHERE f.id = x.folder_id AND f.owner = x.owner AND ${key} = w.value)
    OR instr(w.value, '/') AND ${folderPathSql("x", key)} = w.value`;
}

/** SQL: a file that is not in the trash is attached. */
const hasFile = (table: string, isOf: string) =>
  `EXISTS (SELECT 1 FROM ${table} CROSS JOIN files f ON f.id = a.file_id AND f.owner = a.owner AND f.trashed_at IS NULL WHERE ${isOf})`;

const TASK_CASES = Object.entries(TASK_CONDITIONS).map(([filter, is]) => `WHEN '${filter}' THEN ${is}`);

const documentConditions = (is: ConditionValues): Condition[] => [
  [everyValue(isInFolder(is.folders)), jsonList(is.folders)],
  ["x.folder_id = ?", is.folderId],
  [everyValue("w.value IN ('document', 'documents')"), is.types],
  [everyValue("0"), is.statuses],
  ["0 AND ?", jsonList(is.projects) ?? is.ranges ?? is.undated ?? is.overdue ?? is.repeating],
  ["0 AND ?", is.priorities ?? is.owed],
  [everyValue(`CASE w.value ${TASK_CASES.join(" ")} END`), is.tasks],
  [everyValue(hasFile("document_files a", "a.document_id = x.id")), is.files],
  [everyValue(IS_LINKED), is.linked],
];

/** SQL: the status of record `x`; a deferred record is active from its day on. */
const statusSql = (now: Date) => `iif(${hasWokenSql(`'${now.toISOString()}'`, "x")}, 'active', x.status)`;

/** SQL: the due date, with the time if there is one. */
const DUE_AT = "x.due_date || coalesce('T' || x.due_time, '')";

const memoryConditions = (is: ConditionValues, now: Date): Condition[] => [
  ["0 AND ?", jsonList(is.folders) ?? is.folderId],
  ["0 AND ?", is.tasks ?? is.linked],
  [everyValue("w.value IN ('memory', 'memories', x.memory_type)"), is.types],
  [everyValue(`w.value = ${statusSql(now)}`), is.statuses],
  [everyValue("x.repeat IS NOT NULL"), is.repeating],
  [everyValue(hasFile("memory_files a", "a.owner = x.owner AND a.memory_id = x.id")), is.files],
  [everyValue("w.value = x.priority"), is.priorities],
  [everyValue("w.value = x.owed"), is.owed],
  [everyValue("x.due_date IS NULL"), is.undated],
  [everyValue("x.due_date >= w.value ->> '$.from' AND x.due_date < w.value ->> '$.until'"), is.ranges],
  [
    everyValue(
      `${DUE_AT} <= w.value AND ${DUE_AT} <> substr(w.value, 1, 10) AND ${statusSql(now)} = 'active'`,
    ),
    is.overdue,
  ],
];

function isInProjects(owner: number, projects: readonly string[]): SqlFragment {
  const [project = "", ...others] = projects;
  if (others.some((other) => !isSameName(other, project))) return { sql: "0", params: [] };
  const { sql, params } = toQuery(otherSpellingsSql({ owner }, "project", project)) as SqlFragment;
  return {
    sql: `x.project IN (SELECT ? UNION ALL ${sql})`,
    params: [project, ...params],
  };
}

/** Conditions on both kinds. `changed`: the column with the time of the last change. */
const sharedConditions = (is: ConditionValues, changed: string): Condition[] => [
  [everyValue("w.value = x.source_type"), is.sources],
  [`${changed} >= ?`, is.from],
  [`${changed} < ?`, is.until],
];

function existsSql(
  table: "documents" | "memories",
  owner: number,
  conditions: Condition[],
  further?: SqlFragment,
): SqlFragment {
  const given = conditions.filter((condition): condition is [string, string] => condition[1] !== undefined);
  const texts = [...given.map(([text]) => text), ...(further ? [further.sql] : [])];
  return {
    sql: `EXISTS (SELECT 1 FROM ${table} x WHERE ${["x.id = r.record", "x.owner = ?", ...texts].join(" AND ")})`,
    params: [owner, ...given.map(([, value]) => value), ...(further?.params ?? [])],
  };
}

function matchesConditions({ owner, now }: SearchContext, is: ConditionValues): SqlFragment | undefined {
  if (Object.values(is).every((value) => value === undefined || value.length === 0)) return undefined;
  const document = existsSql("documents", owner, [
    ...documentConditions(is),
    ...sharedConditions(is, "x.changed_at"),
  ]);
  const conditions = [...memoryConditions(is, now), ...sharedConditions(is, lastAttendedSql("x"))];
  const filed = is.projects.length > 0 ? isInProjects(owner, is.projects) : undefined;
  const memory = existsSql("memories", owner, conditions, filed);
  return {
    sql: `CASE r.kind WHEN 'document' THEN ${document.sql} ELSE ${memory.sql} END`,
    params: [...document.params, ...memory.params],
  };
}

/** The condition on a ranked record (alias `r`) from parameters and filters of the query; undefined without any. */
export function searchCondition(
  context: SearchContext,
  request: SearchParameters,
  filters: readonly Filter[],
): SqlFragment | undefined {
  const tags = new Set([...(request.tag ?? []), ...valuesByName(filters)("tag")]);
  const links = valuesByName(filters)("links");
  const conditions = [
    tags.size > 0 ? hasAllTags(context.owner, [...tags]) : undefined,
    links.length > 0 ? linksToAll(context.owner, links) : undefined,
    matchesConditions(context, readConditions(request, filters, context)),
  ].filter((condition) => condition !== undefined);
  if (conditions.length === 0) return undefined;
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND "),
    params: conditions.flatMap(({ params }) => params),
  };
}

export const folderExists = (owner: number, id: string): SqlFragment => ({
  sql: "EXISTS (SELECT 1 FROM folders WHERE id = ? AND owner = ?)",
  params: [id, owner],
});

/** SQL: when the content of a document or record (alias `r`) last changed. */
export const LAST_CHANGED = `CASE r.kind
      WHEN 'document' THEN (SELECT x.changed_at FROM documents x WHERE x.id = r.record AND x.owner = r.owner)
      ELSE (SELECT ${lastAttendedSql("x")} FROM memories x WHERE x.owner = r.owner AND x.id = r.record) END`;
