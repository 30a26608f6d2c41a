import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isTransientError } from "../../api/request.ts";
import { type SearchAnswer, searchApi } from "../../api/search.ts";
import { queries } from "../../state/queries.ts";
import { withPrefixMatch } from "./query-text.ts";
import type { SearchPageRequest } from "./search-request.ts";

/** Minimum time between two requests. The first key after a pause searches immediately; a held key does not. */
const PACE_MS = 60;
const FRESH_MS = 30_000;

const searchKey = (request: SearchPageRequest) => ["search", request] as const;

/** Whether the first result lacks a word; the API may then know a better spelling. */
const lacksWords = ({ results }: SearchAnswer) =>
  results[0] === undefined || results[0].matched !== undefined;

/** After this time, a search no longer waits for the previous one. */
const MAX_WAIT_MS = 1000;
let previousSearch: Promise<unknown> = Promise.resolve();

/**
 * Searches once the previous search has been answered: the server runs the searches of an account one after another,
 * even those whose results are no longer needed, and rejects more than a few.
 */
async function searchInOrder(
  query: Parameters<typeof searchApi.search>[0],
  signal: AbortSignal,
): Promise<SearchAnswer> {
  await Promise.race([previousSearch, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
  signal.throwIfAborted();
  const answer = searchApi.search(query);
  previousSearch = Promise.allSettled([answer]);
  return answer;
}

/** The results for a query whose last word may be unfinished. */
async function find(request: SearchPageRequest, signal: AbortSignal): Promise<SearchAnswer> {
  const search = (q: string) => searchInOrder({ ...request, q, highlight: "mark" }, signal);
  const q = withPrefixMatch(request.q);
  const answer = await search(q);
  if (q === request.q || !lacksWords(answer)) return answer;
  const corrected = await search(request.q);
  return corrected.corrected ? corrected : answer;
}

/** Searches on this device if the server cannot be reached. */
async function findAnywhere(request: SearchPageRequest, signal: AbortSignal): Promise<SearchAnswer> {
  try {
    return await find(request, signal);
  } catch (problem) {
    if (signal.aborted || !isTransientError(problem)) throw problem;
    const { searchOnDevice } = await import("./on-device.ts");
    const answer = await searchOnDevice(request);
    if (!answer) throw problem;
    return answer;
  }
}

/** Throttles the query, unless its results are cached. */
function useThrottled(request: SearchPageRequest): SearchPageRequest {
  const [throttled, setThrottled] = useState(request);
  const lastAt = useRef(0);
  const isCached = queries.getQueryData(searchKey(request)) !== undefined;
  const { q, type, offset, limit } = request;
  useEffect(() => {
    const pause = Math.max(0, lastAt.current + PACE_MS - performance.now());
    const timer = setTimeout(() => {
      lastAt.current = performance.now();
      setThrottled({ q, type, offset, limit });
    }, pause);
    return () => clearTimeout(timer);
  }, [q, type, offset, limit]);
  return isCached ? request : throttled;
}

/** Searches while the user types. Results stay until the next ones arrive; an outdated query is not sent. */
export function useSearchResults(query: SearchPageRequest) {
  const request = useThrottled({ ...query, q: query.q.trimStart() });
  return useQuery({
    queryKey: searchKey(request),
    queryFn: ({ signal }) => findAnywhere(request, signal),
    enabled: request.q.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  });
}
