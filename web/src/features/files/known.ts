import { queryOptions, useQuery } from "@tanstack/react-query";
import { type FileKind, filesApi, type StoredFile, type To } from "../../api/files.ts";
import { ApiError, isApiError } from "../../api/request.ts";
import { listName, orCopy } from "../../state/copies.ts";
import { queries, refresh } from "../../state/queries.ts";
import { storeOf } from "../../state/store.ts";

// Cached files and queries.

/** Why files are unavailable, as the server says it; set if the server has no bucket. */
const absent = storeOf<string | undefined>(undefined);
export const useWhyNoFiles = absent.use;
export const useNoFiles = (): boolean => absent.use() !== undefined;

/** Whether the error says that the server has no file storage. Remembers that, so that files are not requested again. */
export function isNoFiles(problem: unknown): problem is ApiError {
  if (!isApiError(problem, 501)) return false;
  absent.set(problem.message);
  return true;
}

const KEYS = ["files", "one"];
const FRESH_MS = 60_000;

/** Adds files of a response to the cache. */
export function noteFiles(files: readonly StoredFile[]): void {
  for (const file of files) queries.setQueryData([...KEYS, file.id], file);
}

/** A file from the cache. */
export const knownFile = (id: string): StoredFile | undefined => queries.getQueryData([...KEYS, id]);

/** Turns "no file storage" into 404, so that the request is not retried. */
async function readOne(id: string): Promise<StoredFile> {
  try {
    return await filesApi.get(id);
  } catch (problem) {
    throw isNoFiles(problem) ? new ApiError(404, problem.message) : problem;
  }
}

const fileOf = (id: string) =>
  queryOptions({ queryKey: [...KEYS, id], queryFn: () => readOne(id), staleTime: FRESH_MS });

export const readFile = (id: string): Promise<StoredFile> => queries.fetchQuery(fileOf(id));

/** A file; `isWanted` false uses only the cache. */
export const useFile = (id: string, isWanted = true) => useQuery({ ...fileOf(id), enabled: isWanted });

export type FileQuery = { kind?: FileKind | undefined; trashed?: true | undefined };
type Page = Awaited<ReturnType<typeof filesApi.list>>;

const NONE: Page = { items: [], total: 0 };

/** A page of files; empty if the server has no file storage. Throws ApiError. */
export async function listFiles(
  query: Parameters<typeof filesApi.list>[0],
  signal?: AbortSignal,
): Promise<Page> {
  try {
    const page = await filesApi.list(query, signal);
    noteFiles(page.items);
    return page;
  } catch (problem) {
    if (isNoFiles(problem)) return NONE;
    throw problem;
  }
}

/** Files loaded for a document or record; more are only counted. */
export const MOST = 100;

/** The files of a document or record. */
export function useFilesOf(to: To) {
  const isAbsent = useNoFiles();
  const query = { ...to, limit: MOST };
  return useQuery({
    queryKey: ["files", "of", to],
    queryFn: (asking) => orCopy(listName("/api/files", query), () => listFiles(query, asking.signal), asking),
    enabled: !isAbsent,
  });
}

/** Refetches all file queries after a change. */
export const refreshFiles = () => refresh("files");
