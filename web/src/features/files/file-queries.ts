import { queryOptions, useQuery } from "@tanstack/react-query";
import { type AttachTarget, filesApi, type StoredFile } from "../../api/files.ts";
import { ApiError, isApiError } from "../../api/request.ts";
import { fetchOrCopy, listCopyName } from "../../state/copies.ts";
import { queries, refreshResources } from "../../state/queries.ts";
import { createSharedState } from "../../state/shared-state.ts";

/** Why files are unavailable, as the server says it; set if the server has no bucket. */
const unavailableReason = createSharedState<string | undefined>(undefined);
export const useFilesUnavailableReason = unavailableReason.use;
export const useFilesUnavailable = (): boolean => unavailableReason.use() !== undefined;

/** Whether the error says that the server has no file storage. Remembers that, so that files are not requested again. */
export function isFilesUnavailable(problem: unknown): problem is ApiError {
  if (!isApiError(problem, 501)) return false;
  unavailableReason.set(problem.message);
  return true;
}

const KEYS = ["files", "one"];
const FRESH_MS = 60_000;

/** Adds files of a response to the cache. */
export function cacheFiles(files: readonly StoredFile[]): void {
  for (const file of files) queries.setQueryData([...KEYS, file.id], file);
}

export const cachedFile = (id: string): StoredFile | undefined => queries.getQueryData([...KEYS, id]);

/** Turns "no file storage" into 404, so that the request is not retried. */
async function readStoredFile(id: string): Promise<StoredFile> {
  try {
    return await filesApi.get(id);
  } catch (problem) {
    throw isFilesUnavailable(problem) ? new ApiError(404, problem.message) : problem;
  }
}

const fileQueryOptions = (id: string) =>
  queryOptions({ queryKey: [...KEYS, id], queryFn: () => readStoredFile(id), staleTime: FRESH_MS });

export const fetchFile = (id: string): Promise<StoredFile> => queries.fetchQuery(fileQueryOptions(id));

/** A file; `isWanted` false uses only the cache. */
export const useFile = (id: string, isWanted = true) =>
  useQuery({ ...fileQueryOptions(id), enabled: isWanted });

type Page = Awaited<ReturnType<typeof filesApi.list>>;

const EMPTY_PAGE: Page = { items: [], total: 0 };

/** A page of files; empty if the server has no file storage. Throws ApiError. */
export async function listFiles(
  query: Parameters<typeof filesApi.list>[0],
  signal?: AbortSignal,
): Promise<Page> {
  try {
    const page = await filesApi.list(query, signal);
    cacheFiles(page.items);
    return page;
  } catch (problem) {
    if (isFilesUnavailable(problem)) return EMPTY_PAGE;
    throw problem;
  }
}

/** Files loaded for a document or record; more are only counted. */
export const MAX_LISTED = 100;

export function useAttachedFiles(to: AttachTarget) {
  const isAbsent = useFilesUnavailable();
  const query = { ...to, limit: MAX_LISTED };
  return useQuery({
    queryKey: ["files", "of", to],
    queryFn: (asking) =>
      fetchOrCopy(listCopyName("/api/files", query), () => listFiles(query, asking.signal), asking),
    enabled: !isAbsent,
  });
}

export const refreshFiles = () => refreshResources("files");
