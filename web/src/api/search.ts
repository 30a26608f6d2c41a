import type * as search from "../../../src/contract/search.ts";
import { get, type Query } from "./client.ts";

export type { SearchAnswer, SearchResult } from "../../../src/contract/search.ts";

export const searchApi = {
  search: (query: Query<typeof search.SearchQuery> & { q: string }, signal?: AbortSignal) =>
    get<search.SearchAnswer>("/api/search", query, signal),
  suggest: (q: string, signal?: AbortSignal) =>
    get<search.SuggestAnswer>("/api/search/suggest", { q }, signal),
};
