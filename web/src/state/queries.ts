import { type Query, QueryClient, useQuery } from "@tanstack/react-query";
import type { User } from "../api/account.ts";
import { isApiError, isTransientError } from "../api/request.ts";
import { retryDelayMs } from "../api/retry-delay.ts";
import { readMe } from "./session.ts";

const STALE_MS = 10_000;

/** A longer Retry-After is shown to the user instead of retried silently; `startRetrying` then retries. */
const MAX_SILENT_SECONDS = 3;

const retryAfterSeconds = (problem: Error): number => (isApiError(problem) ? (problem.retryAfter ?? 0) : 0);

/** Only transient errors are retried: other rejections would repeat. */
const mayRetry = (failures: number, problem: Error) =>
  failures < 2 &&
  navigator.onLine &&
  isTransientError(problem) &&
  retryAfterSeconds(problem) <= MAX_SILENT_SECONDS;

const retryDelayFor = (failures: number, problem: Error) =>
  Math.max(retryDelayMs(failures), 1000 * retryAfterSeconds(problem));

/**
 * The query cache of this tab. The first part of a key is the resource, so that a change can invalidate it in one place:
 * "documents", "files", "folders", "tags", "trash", "memories", "dashboard", "activity", "search", "connections",
 * "api-keys", "imports", "jobs", "me", "tidy".
 */
export const queries = new QueryClient({
  defaultOptions: {
    // Failed reads are repeated when the network is back, whatever the network mode; in a hidden tab, when it is shown.
    queries: {
      staleTime: STALE_MS,
      retry: mayRetry,
      retryDelay: retryDelayFor,
      networkMode: "always",
      refetchOnReconnect: () => !document.hidden,
    },
  },
});

/** The paging of an infinite query whose requests take an offset. */
export const BY_OFFSET = {
  initialPageParam: 0,
  getNextPageParam: <Page extends { items: readonly unknown[]; total: number }>(
    { total }: Page,
    pages: readonly Page[],
  ) => {
    const loaded = pages.reduce((sum, { items }) => sum + items.length, 0);
    return loaded < total ? loaded : undefined;
  },
};

/** The key of one document, whoever shows it. */
export const documentKey = (id: string) => ["documents", "one", id];

const MEMORY_RESOURCES = ["memories", "dashboard", "trash", "search", "activity", "tidy"];
const DOCUMENT_RESOURCES = ["documents", "folders", "tags", "trash", "search", "activity", "tidy"];

/** After a write: refetches everything that may show a record, or a document. */
export const refreshMemories = () => refreshResources(...MEMORY_RESOURCES);
export const refreshDocuments = () => refreshResources(...DOCUMENT_RESOURCES);

/** Before an optimistic change: drops pending responses, which would lack it. */
export const cancelMemoryQueries = () => cancelResources(MEMORY_RESOURCES);
export const cancelDocumentQueries = () => cancelResources(DOCUMENT_RESOURCES);

/** After a change that was already applied to the loaded lists: refetches short ones and marks those of several pages as stale. */
export const refreshMemoriesAfterPatch = () => refreshAfterPatch(MEMORY_RESOURCES);
export const refreshDocumentsAfterPatch = () => refreshAfterPatch(DOCUMENT_RESOURCES);

/** Cancels initial loads: their responses may lack the change, and invalidating alone would wait for them. */
const cancelInitialLoads = (resource: string) =>
  queries.cancelQueries({
    queryKey: [resource],
    type: "active",
    predicate: ({ state }) => state.data === undefined,
  });

export const refreshResources = (...resources: string[]) =>
  Promise.all(
    resources.map(async (resource) => {
      await cancelInitialLoads(resource);
      await queries.invalidateQueries({ queryKey: [resource] });
    }),
  );

/** After one of many writes: marks documents as stale without refetching, since no current screen shows them. */
export const markDocumentsStale = () =>
  Promise.all(
    DOCUMENT_RESOURCES.map((resource) =>
      queries.invalidateQueries({
        queryKey: [resource],
        // The document itself is up to date.
        predicate: ({ queryKey }) => queryKey[1] !== "one",
        refetchType: "none",
      }),
    ),
  );

const cancelResources = (resources: string[]) =>
  Promise.all(resources.map((resource) => queries.cancelQueries({ queryKey: [resource] })));

const hasSeveralPages = ({ state: { data } }: Query) =>
  ((data as { pages?: unknown[] })?.pages?.length ?? 0) > 1;

const refreshAfterPatch = (resources: string[]) =>
  Promise.all(
    resources.map(async (resource) => {
      await cancelInitialLoads(resource);
      await Promise.all([
        queries.invalidateQueries({ queryKey: [resource], predicate: (query) => !hasSeveralPages(query) }),
        queries.invalidateQueries({ queryKey: [resource], predicate: hasSeveralPages, refetchType: "none" }),
      ]);
    }),
  );

const ME_QUERY = { queryKey: ["me"], queryFn: readMe, staleTime: 300_000 };

/** The signed-in account. Undefined until the first response. */
export const useMe = (): User | undefined => useQuery(ME_QUERY).data;

export const useMeFailed = (): boolean => useQuery(ME_QUERY).isError;

/** Resolves to the signed-in account. Throws ApiError. */
export const ensureMe = (): Promise<User> => queries.ensureQueryData(ME_QUERY);
