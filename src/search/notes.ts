import { SourceType } from "../documents/schema.ts";
import { MemoryStatus, MemoryType } from "../memories/schema.ts";
import type { Filter, FilterName } from "./query.ts";
import type { SearchQuery } from "./schema.ts";

const OF_DOCUMENTS = ["document", "documents"];
const OF_MEMORIES = ["memory", "memories", ...MemoryType.options];

/** The values that a filter can have, where they are a closed list. */
const VALUES: Partial<Record<FilterName, readonly string[]>> = {
  type: [...OF_DOCUMENTS, ...OF_MEMORIES],
  status: MemoryStatus.options,
  source: SourceType.options,
};

/** What a filter is about, where it is about one kind of record only. */
function kindOf(name: FilterName, value: string): "documents" | "memories" | undefined {
  if (name === "folder") return "documents";
  if (name === "status" || name === "project") return "memories";
  if (name !== "type") return undefined;
  return OF_DOCUMENTS.includes(value) ? "documents" : "memories";
}

function noteOf({ name, value }: Filter, type: SearchQuery["type"]): string | undefined {
  const known = VALUES[name];
  const lower = value.toLowerCase();
  if (known && !known.includes(lower)) {
    return `${name}:${value} finds nothing: the values of ${name} are ${known.join(", ")}`;
  }
  const kind = kindOf(name, lower);
  if (kind === undefined || type === "all" || type === kind) return undefined;
  const what = kind === "memories" ? "memory records" : "documents";
  return `${name}:${value} is about ${what}, which this search leaves out: ask with type=all`;
}

/** What the caller should know about filters that cannot find anything in a search of this type, each once. */
export function notesOf(filters: readonly Filter[], type: SearchQuery["type"]): string[] {
  return [...new Set(filters.flatMap((filter) => noteOf(filter, type) ?? []))];
}
