import { type Query, QueryClient, useQuery } from "@tanstack/react-query";
import type { User } from "../api/account.ts";
import { pauseAfter } from "../api/pause.ts";
import { isApiError, isPassing } from "../api/request.ts";
import { readMe } from "./session.ts";

const STALE_MS = 10_000;

/** A longer Retry-After is shown to the user instead of retried silently; `startRetrying` then retries. */
const SOON_SECONDS = 3;

const secondsFor = (problem: Error): number => (isApiError(problem) ? (problem.retryAfter ?? 0) : 0);

/** Only transient errors are retried: other rejections would repeat. */
const mayRetry = (failures: number, problem: Error) =>
  failures < 2 && navigator.onLine && isPassing(problem) && secondsFor(problem) <= SOON_SECONDS;

const delayOf = (failures: number, problem: Error) =>
  Math.max(pauseAfter(failures), 1000 * secondsFor(problem));

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
      retryDelay: delayOf,
      networkMode: "always",
      refetchOnReconnect: () => !document.hidden,
    },
  },
});

const OF_MEMORIES = ["memories", "dashboard", "trash", "search", "activity", "tidy"];
const OF_DOCUMENTS = ["documents", "folders", "tags", "trash", "search", "activity", "tidy"];

/** After a write: refetches everything that may show a record, or a document. */
export const refreshMemories = () => refresh(...OF_MEMORIES);
export const refreshDocuments = () => refresh(...OF_DOCUMENTS);

/** Before an optimistic change: drops pending responses, which would lack it. */
export const cancelMemories = () => cancel(OF_MEMORIES);
export const cancelDocuments = () => cancel(OF_DOCUMENTS);

/** After a change that was already applied to the loaded lists: refetches short ones and marks those of several pages as stale. */
export const refreshAroundMemories = () => refreshAround(OF_MEMORIES);
export const refreshAroundDocuments = () => refreshAround(OF_DOCUMENTS);

/** Cancels initial loads: their responses may lack the change, and invalidating alone would wait for them. */
const dropFirst = (resource: string) =>
  queries.cancelQueries({
    queryKey: [resource],
    type: "active",
    predicate: ({ state }) => state.data === undefined,
  });

export const refresh = (...resources: string[]) =>
  Promise.all(
    resources.map(async (resource) => {
      await dropFirst(resource);
      await queries.invalidateQueries({ queryKey: [resource] });
    }),
  );

/** After one of many writes: marks documents as stale without refetching, since no current screen shows them. */
export const markDocumentsStale = () =>
  Promise.all(
    OF_DOCUMENTS.map((resource) =>
      queries.invalidateQueries({
        queryKey: [resource],
        // The document itself is up to date.
        predicate: ({ queryKey }) => queryKey[1] !== "one",
        refetchType: "none",
      }),
    ),
  );

const cancel = (resources: string[]) =>
  Promise.all(resources.map((resource) => queries.cancelQueries({ queryKey: [resource] })));

const isLong = ({ state: { data } }: Query) => ((data as { pages?: unknown[] })?.pages?.length ?? 0) > 1;

const refreshAround = (resources: string[]) =>
  Promise.all(
    resources.map(async (resource) => {
      await dropFirst(resource);
      await Promise.all([
        queries.invalidateQueries({ queryKey: [resource], predicate: (query) => !isLong(query) }),
        queries.invalidateQueries({ queryKey: [resource], predicate: isLong, refetchType: "none" }),
      ]);
    }),
  );

const ME = { queryKey: ["me"], queryFn: readMe, staleTime: 300_000 };

/** The signed-in account. Undefined until the first response. */
export const useMe = (): User | undefined => useQuery(ME).data;

/** Whether reading the account failed. */
export const useMeFailed = (): boolean => useQuery(ME).isError;

/** Resolves to the signed-in account. Throws ApiError. */
export const knownMe = (): Promise<User> => queries.ensureQueryData(ME);
