import type { Filter, FilterName } from "./query.ts";
import type { Fragment } from "./rank.ts";
import type { SearchQuery } from "./schema.ts";

type Asked = Pick<SearchQuery, "folder_id" | "tag" | "source_type" | "updated_after" | "updated_before">;

/** Conditions on a document (alias `d`). Each takes one parameter; a list goes as JSON, so that its length does not count. */
const HAS_TAGS = `NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE NOT EXISTS (
  SELECT 1 FROM document_tags t WHERE t.owner = d.owner AND t.tag = w.value AND t.document_id = d.id))`;
const IN_FOLDERS_NAMED = `NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE NOT EXISTS (
  SELECT 1 FROM folders f WHERE f.id = d.folder_id AND f.owner = d.owner AND f.name = w.value COLLATE NOCASE))`;
const FROM_SOURCES = "NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE w.value <> d.source_type)";
const OF_KINDS = "NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE w.value <> 'document')";

const list = (values: string[]) => (values.length === 0 ? undefined : JSON.stringify(values));
const instant = (day: string) => new Date(day).toISOString();

/**
 * What a result must fulfil, as a condition on a ranked record (alias `r`): the route's parameters and the filters of
 * the query together. Days begin at midnight UTC. No condition gives undefined.
 */
export function conditionOf(owner: number, asked: Asked, filters: readonly Filter[]): Fragment | undefined {
  const named = (name: FilterName) => filters.filter((one) => one.name === name).map(({ value }) => value);
  const from = [asked.updated_after ?? [], named("after").map(instant)].flat();
  const until = [asked.updated_before ?? [], named("before").map(instant)].flat();
  const sources = [asked.source_type ?? [], named("source").map((name) => name.toLowerCase())].flat();
  const kinds = [...named("type").map((name) => name.toLowerCase()), ...named("status"), ...named("project")];
  const conditions = [
    [HAS_TAGS, list([...(asked.tag ?? []), ...named("tag")])],
    [IN_FOLDERS_NAMED, list(named("folder"))],
    [FROM_SOURCES, list(sources)],
    [OF_KINDS, list(kinds)],
    ["d.folder_id = ?", asked.folder_id],
    ["d.updated_at >= ?", from.toSorted().at(-1)],
    ["d.updated_at < ?", until.toSorted().at(0)],
  ].filter((condition): condition is [string, string] => condition[1] !== undefined);
  if (conditions.length === 0) return undefined;
  const all = conditions.map(([text]) => text).join(" AND ");
  return {
    sql: `EXISTS (SELECT 1 FROM documents d WHERE d.id = r.record AND d.owner = ? AND ${all})`,
    params: [owner, ...conditions.map(([, value]) => value)],
  };
}
