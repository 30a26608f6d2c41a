import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type SearchAnswer, searchApi } from "../../api.ts";
import { queries } from "../../state/queries.ts";
import { completing } from "./query-text.ts";

export type Kind = "all" | "documents" | "memories";
export type Wanted = { q: string; type: Kind; offset: number; limit: number };

/** The least time between two requests. A key that comes after a pause asks at once; a key that is held down does not. */
const PACE_MS = 60;
const FRESH_MS = 30_000;

const keyOf = (wanted: Wanted) => ["search", wanted] as const;

/** Whether the first result lacks a word: then the API may know a better spelling of it. */
const lacksWords = ({ results }: SearchAnswer) =>
  results[0] === undefined || results[0].matched !== undefined;

/** The results for a query whose last word may be unfinished. */
async function find(wanted: Wanted, signal: AbortSignal): Promise<SearchAnswer> {
  const ask = (q: string) => searchApi.search({ ...wanted, q, highlight: "mark" }, signal);
  const q = completing(wanted.q);
  const answer = await ask(q);
  if (q === wanted.q || !lacksWords(answer)) return answer;
  const corrected = await ask(wanted.q);
  return corrected.corrected ? corrected : answer;
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

/** Searches while somebody types: the results before stay until there are new ones, and a request overtaken is ended. */
export function useFound(wanted: Wanted) {
  const asked = usePaced({ ...wanted, q: wanted.q.trimStart() });
  return useQuery({
    queryKey: keyOf(asked),
    queryFn: ({ signal }) => find(asked, signal),
    enabled: asked.q.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  });
}
