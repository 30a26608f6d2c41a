import { isDay, localDay } from "../../contract/days.ts";
import type { Interpretation, SearchAnswer, SearchQuery, SearchResult } from "../../contract/search.ts";
import {
  type ChildEntries,
  makeSnippets,
  type RankedResult,
  type SearchOutcome,
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
import { explainScorePart, type Hit, hitColumns, hitSummary, matchedFile, snippetSource } from "./hit.ts";
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

function runSearch(
  ctx: Ctx,
  request: SearchQuery,
  query: Query,
  timezone?: string,
): Promise<SearchOutcome<Hit>> {
  const { owner } = ctx;
  const { type, folder_id, explain, limit, offset } = request;
  return searchEntries<Hit>(ctx, {
    query,
    kinds: KINDS[type],
    children: FILE_ENTRIES,
    vocabulary: type === "documents" ? undefined : QUERY_FACTS,
    condition: searchCondition({ ...ctx, timezone: timezone ?? "UTC" }, request, query.filters),
    precondition: folder_id
      ? { that: folderExists(owner, folder_id), otherwise: () => notFound("folder_id") }
      : undefined,
    details: hitColumns(ctx),
    browseOrder: LAST_CHANGED,
    today: timezone === undefined ? undefined : localDay(ctx.now, timezone),
    explain,
    limit,
    offset,
  });
}

function toInterpretation({ words, alternatives }: SearchOutcome<Hit>, query: Query): Interpretation {
  return {
    words: [...words],
    ...(alternatives.length > 0 && { alternatives: alternatives.map((names) => [...names]) }),
    excluded: query.unwanted.map(termText),
    filters: query.filters.map(({ name, value }) => ({ name, value })),
  };
}

/** The corrections in query syntax (`from OR form`), so that a client can substitute them. */
const correctionsForResponse = ({ corrections }: SearchOutcome<Hit>): Record<string, string> =>
  Object.fromEntries([...corrections].map(([typed, meant]) => [typed, meant.join(" OR ")]));

/**
 * Any text is a valid query. An unknown word is replaced by the one or two most similar words in the caller's texts; results
 * that match only a short corrected word come last. Phrases become optional if nothing contains them. Throws 404 for a
 * folder that is not the caller's.
 */
export async function search(ctx: Ctx, request: SearchQuery): Promise<SearchAnswer> {
  const query = parseQuery(request.q);
  const found = await (dependsOnTimeZone(request, query)
    ? readInTimezone(ctx, (timezone) => runSearch(ctx, request, query, timezone))
    : runSearch(ctx, request, query));
  const { results, total, relaxed, corrections, highlightQuery } = found;
  const texts = results.map(({ details }) => snippetSource(ctx, details));
  const snippets = await makeSnippets(texts, highlightQuery, {
    highlight: request.highlight,
    runQueued: longTextQueue,
  });
  const omitted = snippets.filter((snippet) => snippet === undefined).length;
  const unknown = total === 0 ? await notesOnUnknownNames(ctx, query.filters, request.type) : [];
  const uncounted = asksForTasks(query) ? noteOnUncounted(await uncountedStatement(ctx)) : [];
  const notes = searchNotes(query, request.type, { ...found, unknown, uncounted });
  return {
    results: results.map((result, index) => ({
      ...toSearchResult(result, snippets[index]?.passage),
      ...snippets[index]?.location,
      ...(request.explain && {
        explanation: result.parts.map((part) => explainScorePart(result.details, part)),
      }),
    })),
    total,
    query: request.q,
    interpreted: toInterpretation(found, query),
    ...(corrections.size > 0 && { corrected: correctionsForResponse(found) }),
    ...(relaxed && { relaxed: [...relaxed] }),
    ...(omitted > 0 && { snippets_omitted: omitted }),
    ...(notes.length > 0 && { notes }),
  };
}

function toSearchResult(
  { details, score, matchedLabels, matchedCorrections }: RankedResult<Hit>,
  snippet = "",
): SearchResult {
  return {
    ...hitSummary(details),
    ...matchedFile(details),
    score,
    snippet,
    ...(matchedLabels && { matched: matchedLabels }),
    ...(matchedCorrections && { matched_as: matchedCorrections }),
  };
}
