import { isSameName } from "../../contract/name-key.ts";
import type { SearchQuery } from "../../contract/search.ts";
import type { SqlFragment } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { Filter } from "../../shared/query/query.ts";
import { mostSimilarName } from "../../shared/text/likeness.ts";

// Explains a search by project, tag or folder that finds nothing because the name is unknown.

/** How many names are read. With more names, none is reported as unknown. */
const MAX_NAMES = 1000;
const MAX_LISTED = 10;

type NameFilter = "project" | "tag" | "folder";
const isNameFilter = (name: string): name is NameFilter =>
  name === "project" || name === "tag" || name === "folder";

const NAME_SELECTS: Record<Exclude<SearchQuery["type"], "all">, Partial<Record<NameFilter, string>>> = {
  documents: {
    tag: "SELECT tag AS name FROM tag_totals WHERE owner = ?",
    folder: "SELECT name FROM folders WHERE owner = ?",
  },
  memories: {
    tag: "SELECT DISTINCT tag AS name FROM memory_tags WHERE owner = ?",
    project: "SELECT DISTINCT project AS name FROM memory_totals WHERE owner = ? AND project <> ''",
  },
};

function namesSelect({ owner }: Ctx, kind: NameFilter, type: SearchQuery["type"]): SqlFragment | undefined {
  const kinds = type === "all" ? (["documents", "memories"] as const) : [type];
  const selects = kinds.flatMap((one) => NAME_SELECTS[one][kind] ?? []);
  if (selects.length === 0) return undefined;
  return { sql: selects.join(" UNION "), params: selects.map(() => owner) };
}

/** The last name of a folder's path. */
const lastPathName = (value: string) => value.replace(/\/+$/, "").split("/").at(-1) ?? value;

function noteOnUnknownName({ name, value }: Filter, names: readonly string[]): string[] {
  const requestedName = name === "folder" ? lastPathName(value) : value;
  if (names.length >= MAX_NAMES || names.some((one) => isSameName(one, requestedName))) return [];
  const near = mostSimilarName(names, requestedName);
  const others = names.slice(0, MAX_LISTED).join(", ");
  const hint = near ? `did you mean "${near}"?` : others ? `there are ${others}` : "there are none yet";
  return [`There is no ${name} "${value}": ${hint}`];
}

/** Notes on unknown names in the filters of a search. Reads names only if there are such filters. */
export async function notesOnUnknownNames(
  ctx: Ctx,
  filters: readonly Filter[],
  type: SearchQuery["type"],
): Promise<string[]> {
  const nameFilters = filters.flatMap((filter) => {
    const select = isNameFilter(filter.name) ? namesSelect(ctx, filter.name, type) : undefined;
    return select ? [{ filter, select }] : [];
  });
  if (nameFilters.length === 0) return [];
  const found = await ctx.db.batch(
    nameFilters.map(({ select: { sql, params } }) =>
      ctx.db.all<{ name: string }>({ sql: `${sql} ORDER BY name LIMIT ${MAX_NAMES}`, params }),
    ),
  );
  const notes = nameFilters.flatMap(({ filter }, place) =>
    noteOnUnknownName(
      filter,
      (found[place] ?? []).map(({ name }) => name),
    ),
  );
  return [...new Set(notes)];
}
