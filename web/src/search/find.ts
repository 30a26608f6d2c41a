import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type SearchAnswer, searchApi } from "../api.ts";
import { queries } from "../queries.ts";
import { completing } from "./query-text.ts";

export type Kind = "all" | "documents" | "memories";
export type Wanted = { q: string; type: Kind; offset: number; limit: number };

/** Long enough for a burst of keys, and too short to be noticed. */
const SETTLE_MS = 40;
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

/** The query as it is when no key came for a moment. One that was answered before needs no moment. */
function useSettled(wanted: Wanted): Wanted {
  const [settled, settle] = useState(wanted);
  const isKnown = queries.getQueryData(keyOf(wanted)) !== undefined;
  const { q, type, offset, limit } = wanted;
  useEffect(() => {
    const timer = setTimeout(() => settle({ q, type, offset, limit }), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [q, type, offset, limit]);
  return isKnown ? wanted : settled;
}

/** Searches while somebody types: the results before stay until there are new ones, and a request overtaken is ended. */
export function useFound(wanted: Wanted) {
  const settled = useSettled({ ...wanted, q: wanted.q.trimStart() });
  return useQuery({
    queryKey: keyOf(settled),
    queryFn: ({ signal }) => find(settled, signal),
    enabled: settled.q.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  });
}
