import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isPassing } from "../../api/request.ts";
import { type SearchAnswer, searchApi } from "../../api/search.ts";
import { queries } from "../../state/queries.ts";
import { completing } from "./query-text.ts";
import type { Wanted } from "./wanted.ts";

/** The least time between two requests. A key that comes after a pause asks at once; a key that is held down does not. */
const PACE_MS = 60;
const FRESH_MS = 30_000;

const keyOf = (wanted: Wanted) => ["search", wanted] as const;

/** Whether the first result lacks a word: then the API may know a better spelling of it. */
const lacksWords = ({ results }: SearchAnswer) =>
  results[0] === undefined || results[0].matched !== undefined;

/** After so long the next search does not wait for the one before. */
const PATIENCE_MS = 1000;
let underWay: Promise<unknown> = Promise.resolve();

/**
 * Searches when the search before has been answered: the service carries out an account's searches one after the other,
 * also those that nobody waits for any more, and refuses more than a few.
 */
async function inTurn(query: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> {
  await Promise.race([underWay, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  signal.throwIfAborted();
  const answer = searchApi.search(query);
  underWay = Promise.allSettled([answer]);
  return answer;
}
type SearchRequest = Parameters<typeof searchApi.search>[0];

/** The results for a query whose last word may be unfinished. */
async function find(wanted: Wanted, signal: AbortSignal): Promise<SearchAnswer> {
  const ask = (q: string) => inTurn({ ...wanted, q, highlight: "mark" }, signal);
  const q = completing(wanted.q);
  const answer = await ask(q);
  if (q === wanted.q || !lacksWords(answer)) return answer;
  const corrected = await ask(wanted.q);
  return corrected.corrected ? corrected : answer;
}

/** The same, of what is on this device when the service does not answer. */
async function findAnywhere(wanted: Wanted, signal: AbortSignal): Promise<SearchAnswer> {
  try {
    return await find(wanted, signal);
  } catch (problem) {
    if (signal.aborted || !isPassing(problem)) throw problem;
    const { findOnDevice } = await import("./on-device.ts");
    const answer = await findOnDevice(wanted);
    if (!answer) throw problem;
    return answer;
  }
}

/** The query, throttled. One whose answer is cached is not delayed. */
function usePaced(wanted: Wanted): Wanted {
  const [asked, ask] = useState(wanted);
  const askedAt = useRef(0);
  const isKnown = queries.getQueryData(keyOf(wanted)) !== undefined;
  const { q, type, offset, limit } = wanted;
  useEffect(() => {
    const pause = Math.max(0, askedAt.current + PACE_MS - performance.now());
    const timer = setTimeout(() => {
      askedAt.current = performance.now();
      ask({ q, type, offset, limit });
    }, pause);
    return () => clearTimeout(timer);
  }, [q, type, offset, limit]);
  return isKnown ? wanted : asked;
}

/** Searches while somebody types: the results before stay until there are new ones, and a query overtaken is not sent. */
export function useFound(wanted: Wanted) {
  const asked = usePaced({ ...wanted, q: wanted.q.trimStart() });
  return useQuery({
    queryKey: keyOf(asked),
    queryFn: ({ signal }) => findAnywhere(asked, signal),
    enabled: asked.q.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  });
}
