import { isDay, localDay } from "../../contract/days.ts";
import type { Interpretation, SearchAnswer, SearchQuery, SearchResult } from "../../contract/search.ts";
import {
  type ChildEntries,
  type Corrections,
  makeSnippets,
  type RankedResult,
  type SearchOutcome,
  type Snippet,
  searchEntries,
} from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { readInTimezone } from "../../platform/core/days-as-instants.ts";
import { notFound, unavailable } from "../../platform/core/errors.ts";
import { createQueue } from "../../platform/queue/queue.ts";
import { type FilterName, parseQuery, type Query, termText } from "../../shared/query/query.ts";
import { mayNameRelativeDay } from "../../shared/query/relative-days.ts";
import { noteOnUncounted, uncountedStatement } from "../documents/task-count-store.ts";
import { QUERY_FACTS } from "../indexed/facts.ts";
import { folderExists, LAST_CHANGED, searchCondition } from "./condition.ts";
import {
  explainScorePart,
  type Hit,
  hitColumns,
  hitSummary,
  matchedFile,
  type SnippetLocation,
  snippetSource,
} from "./hit.ts";
import { asksForTasks, searchNotes } from "./notes.ts";
import { notesOnUnknownNames } from "./unknown-names-store.ts";

/** Across all accounts, one search at a time reads a long text. */
const longTextQueue = createQueue({
  most: 1000,
  refusal: () => unavailable("Too many long texts are being searched right now: try again in a second"),
  restsBetween: true,
});

const DAY_FILTERS: ReadonlySet<FilterName> = new Set(["after", "before", "due"]);

/** Whether the results depend on the caller's time zone: by words such as `yesterday`, or by days in filters. */
const dependsOnTimeZone = ({ q, updated_after, updated_before }: SearchQuery, { filters }: Query) =>
  mayNameRelativeDay(q) ||
  [updated_after, updated_before].some(isDay) ||
  filters.some(({ name }) => DAY_FILTERS.has(name));

const KINDS = {
  documents: ["document"],
  memories: ["memory"],
  all: ["document", "memory"],
} as const;

/** Joins the documents or records that a file is attached to. Trashed ones have no entry. */
const parentJoin = (kind: string, table: string, key: string) => `
  CROSS JOIN files f ON f.owner = e.owner AND f.id = substr(e.record, 1, 36) AND f.trashed_at IS NULL
  CROSS JOIN ${table} l ON l.owner = f.owner AND l.file_id = f.id
  CROSS JOIN search_entries w ON w.owner = l.owner AND w.kind = '${kind}' AND w.record = ${key}`;

const FILE_ENTRIES: ChildEntries = {
  kind: "file",
  parentJoins: [
    parentJoin("document", "document_files", "l.document_id"),
    parentJoin("memory", "memory_files", "CAST(l.memory_id AS TEXT)"),
  ],
};

/** Finds and ranks entries. The person's time zone is read only if the results depend on it. */
function findEntries(ctx: Ctx, request: SearchQuery, query: Query): Promise<SearchOutcome<Hit>> {
  const { type, folder_id, explain, limit, offset } = request;
  const find = (timezone?: string) =>
    searchEntries<Hit>(ctx, {
      query,
      kinds: KINDS[type],
      children: FILE_ENTRIES,
      vocabulary: type === "documents" ? undefined : QUERY_FACTS,
      condition: searchCondition({ ...ctx, timezone: timezone ?? "UTC" }, request, query.filters),
      precondition: folder_id
        ? { that: folderExists(ctx.owner, folder_id), otherwise: () => notFound("folder_id") }
        : undefined,
      details: hitColumns(ctx),
      browseOrder: LAST_CHANGED,
      today: timezone === undefined ? undefined : localDay(ctx.now, timezone),
      explain,
      limit,
      offset,
    });
  return dependsOnTimeZone(request, query) ? readInTimezone(ctx, find) : find();
}

/** The passages that show why each result was found; undefined for long texts beyond the limit of a search. */
const readSnippets = (
  ctx: Ctx,
  { highlight }: SearchQuery,
  { results, highlightQuery }: SearchOutcome<Hit>,
) =>
  makeSnippets(
    results.map(({ details }) => snippetSource(ctx, details)),
    highlightQuery,
    { highlight, runQueued: longTextQueue },
  );

/** What to say about the query, and about what it could not find. */
async function readNotes(ctx: Ctx, { type }: SearchQuery, query: Query, found: SearchOutcome<Hit>) {
  const unknown = found.total === 0 ? await notesOnUnknownNames(ctx, query.filters, type) : [];
  const uncounted = asksForTasks(query) ? noteOnUncounted(await uncountedStatement(ctx)) : [];
  return searchNotes(query, type, { ...found, unknown, uncounted });
}

/**
 * Any text is a valid query. An unknown word is replaced by the one or two most similar words in the caller's texts; results
 * that match only a short corrected word come last. Phrases become optional if nothing contains them. Throws 404 for a
 * folder that is not the caller's.
 */
export async function search(ctx: Ctx, request: SearchQuery): Promise<SearchAnswer> {
  const query = parseQuery(request.q);
  const found = await findEntries(ctx, request, query);
  const snippets = await readSnippets(ctx, request, found);
  const notes = await readNotes(ctx, request, query, found);
  const omitted = snippets.filter((snippet) => snippet === undefined).length;
  const { results, total, relaxed, corrections } = found;
  return {
    results: results.map((result, index) => toSearchResult(result, snippets[index], request)),
    total,
    query: request.q,
    interpreted: toInterpretation(found, query),
    ...(corrections.size > 0 && { corrected: toQuerySyntax(corrections) }),
    ...(relaxed && { relaxed: [...relaxed] }),
    ...(omitted > 0 && { snippets_omitted: omitted }),
    ...(notes.length > 0 && { notes }),
  };
}

const toSearchResult = (
  { details, score, matchedLabels, matchedCorrections, parts }: RankedResult<Hit>,
  snippet: Snippet<SnippetLocation> | undefined,
  { explain }: SearchQuery,
): SearchResult => ({
  ...hitSummary(details),
  ...matchedFile(details),
  score,
  snippet: snippet?.passage ?? "",
  ...(matchedLabels && { matched: matchedLabels }),
  ...(matchedCorrections && { matched_as: matchedCorrections }),
  ...snippet?.location,
  ...(explain && { explanation: parts.map((part) => explainScorePart(details, part)) }),
});

function toInterpretation({ words, alternatives }: SearchOutcome<Hit>, query: Query): Interpretation {
  return {
    words: [...words],
    ...(alternatives.length > 0 && { alternatives: alternatives.map((names) => [...names]) }),
    excluded: query.unwanted.map(termText),
    filters: query.filters.map(({ name, value }) => ({ name, value })),
  };
}

/** Corrections as a client can substitute them in a query: `from OR form`. */
const toQuerySyntax = (corrections: Corrections): Record<string, string> =>
  Object.fromEntries([...corrections].map(([typed, meant]) => [typed, meant.join(" OR ")]));
