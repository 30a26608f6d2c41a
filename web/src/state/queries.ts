import { type Query, QueryClient, useQuery } from "@tanstack/react-query";
import type { User } from "../api/account.ts";
import { pauseAfter } from "../api/pause.ts";
import { isApiError, isPassing } from "../api/request.ts";
import { readMe } from "./session.ts";

const STALE_MS = 10_000;

/** Who is told to come back later than this hears it first; `keepAsking` asks again then. */
const SOON_SECONDS = 3;

const secondsFor = (problem: Error): number => (isApiError(problem) ? (problem.retryAfter ?? 0) : 0);

/** Only what may be answered otherwise soon is repeated at once: another refusal would be the same again. */
const mayRetry = (failures: number, problem: Error) =>
  failures < 2 && navigator.onLine && isPassing(problem) && secondsFor(problem) <= SOON_SECONDS;

const delayOf = (failures: number, problem: Error) =>
  Math.max(pauseAfter(failures), 1000 * secondsFor(problem));

/**
 * The answers that this tab has. The first part of a key is the resource, so that a change invalidates it in one place:
 * "documents", "files", "folders", "tags", "trash", "memories", "dashboard", "activity", "search", "connections",
 * "api-keys", "imports", "jobs", "me", "tidy".
 */
export const queries = new QueryClient({
  defaultOptions: {
    // What could not be read without a network is read when it is back, whatever the network mode; in a tab that nobody
    // looks at, when somebody does.
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

/** After a write: everything that may show a record, or a document, is asked for again. */
export const refreshMemories = () => refresh(...OF_MEMORIES);
export const refreshDocuments = () => refresh(...OF_DOCUMENTS);

/** Before a change that shows at once: answers that are under way do not have it, and are no longer waited for. */
export const cancelMemories = () => cancel(OF_MEMORIES);
export const cancelDocuments = () => cancel(OF_DOCUMENTS);

/** The same after a change that was applied to the loaded lists: those of several pages are only marked as stale. */
export const refreshAroundMemories = () => refreshAround(OF_MEMORIES);
export const refreshAroundDocuments = () => refreshAround(OF_DOCUMENTS);

/** A first answer that is under way may not have the change yet, and invalidating alone would wait for it. */
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

/** After a write that is one of many: nothing that is looked at now shows it. */
export const markDocumentsStale = () =>
  Promise.all(
    OF_DOCUMENTS.map((resource) =>
      queries.invalidateQueries({
        queryKey: [resource],
        // The document itself is known.
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

/** The signed-in account. Undefined until the first answer. */
export const useMe = (): User | undefined => useQuery(ME).data;

/** Whether the service has not said who is signed in. */
export const useMeFailed = (): boolean => useQuery(ME).isError;

/** The signed-in account, as soon as the service has said which it is. Throws ApiError. */
export const knownMe = (): Promise<User> => queries.ensureQueryData(ME);
