import { queryOptions, useQuery } from "@tanstack/react-query";
import { type FileKind, filesApi, type StoredFile, type To } from "../../api/files.ts";
import { ApiError, isApiError } from "../../api/request.ts";
import { listName, orCopy } from "../../state/copies.ts";
import { queries, refresh } from "../../state/queries.ts";
import { storeOf } from "../../state/store.ts";

// What this tab knows of files.

/** Why the service keeps none, in its words: it runs without a bucket. */
const absent = storeOf<string | undefined>(undefined);
export const useWhyNoFiles = absent.use;
export const useNoFiles = (): boolean => absent.use() !== undefined;

/** Notes that there are no files here: from then on nothing asks for any. Returns whether that was said. */
export function isNoFiles(problem: unknown): problem is ApiError {
  if (!isApiError(problem, 501)) return false;
  absent.set(problem.message);
  return true;
}

const KEYS = ["files", "one"];
const FRESH_MS = 60_000;

/** Notes files that an answer has brought. */
export function noteFiles(files: readonly StoredFile[]): void {
  for (const file of files) queries.setQueryData([...KEYS, file.id], file);
}

/** A file that this tab has heard of. */
export const knownFile = (id: string): StoredFile | undefined => queries.getQueryData([...KEYS, id]);

/** What is not kept will not be there later either: it is not asked for again as after a fault. */
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

/** What is known of a file; `isWanted`: it is asked for. */
export const useFile = (id: string, isWanted = true) => useQuery({ ...fileOf(id), enabled: isWanted });

export type FileQuery = { kind?: FileKind | undefined; trashed?: true | undefined };
type Page = Awaited<ReturnType<typeof filesApi.list>>;

const NONE: Page = { items: [], total: 0 };

/** A page of files; none where the service keeps none. Throws ApiError. */
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

/** One page: more are counted. */
export const MOST = 100;

/** What belongs to a document or a record. */
export function useFilesOf(to: To) {
  const isAbsent = useNoFiles();
  const query = { ...to, limit: MOST };
  return useQuery({
    queryKey: ["files", "of", to],
    queryFn: (asking) => orCopy(listName("/api/files", query), () => listFiles(query, asking.signal), asking),
    enabled: !isAbsent,
  });
}

/** After a change: whatever shows files asks for them again. */
export const refreshFiles = () => refresh("files");
