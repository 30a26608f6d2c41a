import { folderPathSql } from "../features/documents/folder-path.ts";
import { attendedSql, awakeSql } from "../contract/life-cycle.ts";
import type { Filter, FilterName } from "../contract/query/query.ts";
import type { Fragment } from "../engine/score.ts";
import type { SearchQuery } from "../contract/search.ts";

type Asked = Pick<SearchQuery, "folder_id" | "tag" | "source_type" | "updated_after" | "updated_before">;

/** The owner and the time: a deferred record becomes active on its day. */
export type Asker = { readonly owner: number; readonly now: Date };

/** A condition in SQL and its one parameter. A list is passed as JSON, so that it needs only one. */
type Condition = readonly [sql: string, value: string | undefined];

/** True when `test` holds for every value of a JSON list; `w.value` is the value. */
const every = (test: string) => `NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE (${test}) IS NOT TRUE)`;

const list = (values: string[]) => (values.length === 0 ? undefined : JSON.stringify(values));
const instant = (day: string) => new Date(day).toISOString();

const namedIn = (filters: readonly Filter[]) => (name: FilterName) =>
  filters.filter((one) => one.name === name).map(({ value }) => value);

/** All filters but tags, grouped by what they apply to. Several of one kind must all match. */
function readConditions(asked: Asked, filters: readonly Filter[]) {
  const named = namedIn(filters);
  const lower = (values: string[]) => values.map((value) => value.toLowerCase());
  return {
    folderNames: list(named("folder")),
    folderId: asked.folder_id,
    sources: list([...(asked.source_type ? [asked.source_type] : []), ...lower(named("source"))]),
    types: list(lower(named("type"))),
    statuses: list(lower(named("status"))),
    projects: list(named("project")),
    from: [...(asked.updated_after ? [asked.updated_after] : []), ...named("after").map(instant)]
      .toSorted()
      .at(-1),
    until: [...(asked.updated_before ? [asked.updated_before] : []), ...named("before").map(instant)]
      .toSorted()
      .at(0),
  };
}

type Conditions = ReturnType<typeof readConditions>;

/** True for the records that have all these tags, as the tables of tags list them: no other record is looked at. */
function taggedWith(owner: number, tags: readonly string[]): Fragment {
  const those = (kind: string, table: string, record: string) => `
    SELECT '${kind}', CAST(t.${record} AS TEXT) FROM json_each(?) w CROSS JOIN ${table} t ON t.owner = ? AND t.tag = w.value
    GROUP BY t.${record} HAVING count(*) = ${tags.length}`;
  const params = [JSON.stringify(tags), owner];
  return {
    // SQLite looks up each row of a simple SELECT in an index, but not those of a compound one.
    sql: `(r.kind, r.record) IN (SELECT * FROM (${those("document", "document_tags", "document_id")}
    UNION ALL ${those("memory", "memory_tags", "memory_id")}))`,
    params: [...params, ...params],
  };
}

/** The condition on a document, alias `x`. */
const documentConditions = (is: Conditions): Condition[] => [
  [
    every(
      `EXISTS (SELECT 1 FROM folders f WHERE f.id = x.folder_id AND f.owner = x.owner AND (f.name = w.value COLLATE NOCASE
        OR ${folderPathSql("x")} = trim(w.value, '/') COLLATE NOCASE))`,
    ),
    is.folderNames,
  ],
  ["x.folder_id = ?", is.folderId],
  [every("w.value IN ('document', 'documents')"), is.types],
  [every("0"), is.statuses],
  [every("0"), is.projects],
];

/** The condition on a memory record, alias `x`. */
const memoryConditions = (is: Conditions, now: Date): Condition[] => [
  ["0 AND ?", is.folderNames ?? is.folderId],
  [every("w.value IN ('memory', 'memories', x.memory_type)"), is.types],
  [every(`w.value = iif(${awakeSql(`'${now.toISOString()}'`, "x")}, 'active', x.status)`), is.statuses],
  [every("w.value = x.project COLLATE NOCASE"), is.projects],
];

/** Conditions on either. `changed`: the column that says when it was last changed. */
const sharedConditions = (is: Conditions, changed: string): Condition[] => [
  [every("w.value = x.source_type"), is.sources],
  [`${changed} >= ?`, is.from],
  [`${changed} < ?`, is.until],
];

function existsIn(table: "documents" | "memories", owner: number, conditions: Condition[]): Fragment {
  const asked = conditions.filter((condition): condition is [string, string] => condition[1] !== undefined);
  const all = ["x.id = r.record", "x.owner = ?", ...asked.map(([text]) => text)].join(" AND ");
  return {
    sql: `EXISTS (SELECT 1 FROM ${table} x WHERE ${all})`,
    params: [owner, ...asked.map(([, value]) => value)],
  };
}

/** True for the records that fulfil all conditions; undefined when there are none. */
function fulfilling({ owner, now }: Asker, is: Conditions): Fragment | undefined {
  if (Object.values(is).every((value) => value === undefined)) return undefined;
  const document = existsIn("documents", owner, [
    ...documentConditions(is),
    ...sharedConditions(is, "x.updated_at"),
  ]);
  const memory = existsIn("memories", owner, [
    ...memoryConditions(is, now),
    ...sharedConditions(is, attendedSql("x")),
  ]);
  return {
    sql: `CASE r.kind WHEN 'document' THEN ${document.sql} ELSE ${memory.sql} END`,
    params: [...document.params, ...memory.params],
  };
}

/**
 * The condition on a ranked record (alias `r`), from both the route's parameters and the filters in the query. Days begin
 * at midnight UTC. Undefined when there are no filters.
 */
export function conditionOf(asker: Asker, asked: Asked, filters: readonly Filter[]): Fragment | undefined {
  const tags = new Set([...(asked.tag ?? []), ...namedIn(filters)("tag")]);
  const conditions = [
    tags.size > 0 ? taggedWith(asker.owner, [...tags]) : undefined,
    fulfilling(asker, readConditions(asked, filters)),
  ].filter((condition) => condition !== undefined);
  if (conditions.length === 0) return undefined;
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND "),
    params: conditions.flatMap(({ params }) => params),
  };
}
