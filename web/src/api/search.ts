import type * as search from "../../../src/contract/search.ts";
import { get, type Query } from "./client.ts";

export type SearchAnswer = search.SearchAnswer;
export type SearchResult = search.SearchResult;
export type Suggestion = search.SuggestAnswer["suggestions"][number];

export const searchApi = {
  search: (query: Query<typeof search.SearchQuery> & { q: string }, signal?: AbortSignal) =>
    get<SearchAnswer>("/api/search", query, signal),
  suggest: (q: string, signal?: AbortSignal) =>
    get<search.SuggestAnswer>("/api/search/suggest", { q }, signal),
};
