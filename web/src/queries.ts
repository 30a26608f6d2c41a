import { QueryClient, useQuery } from "@tanstack/react-query";
import { account, type User } from "./api.ts";
import { isApiError } from "./request.ts";

const STALE_MS = 10_000;

/** What was refused will be refused again; what got no answer may get one. */
const mayRetry = (failures: number, problem: Error) =>
  failures < 2 && navigator.onLine && isApiError(problem, 0, 502, 503, 504);

/**
 * The answers that this tab has. The first part of a key is the resource, so that a change invalidates it in one place:
 * "documents", "folders", "tags", "trash", "memories", "dashboard", "search", "connections", "api-keys", "me".
 */
export const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: STALE_MS, retry: mayRetry, networkMode: "always" } },
});

/** After a write: everything that may show a record, or a document, is asked for again. */
export const refreshMemories = () => refresh("memories", "dashboard", "search");
export const refreshDocuments = () => refresh("documents", "folders", "tags", "trash", "search");

export const refresh = (...resources: string[]) =>
  Promise.all(resources.map((resource) => queries.invalidateQueries({ queryKey: [resource] })));

const ME = { queryKey: ["me"], queryFn: account.me, staleTime: 300_000 };

/** The signed-in account. Undefined until the first answer. */
export const useMe = (): User | undefined => useQuery(ME).data;

/** The signed-in account, as soon as the service has said which it is. Throws ApiError. */
export const knownMe = (): Promise<User> => queries.ensureQueryData(ME);
