import { type Memory, memoriesApi } from "../api/memories.ts";
import type { RecordQuery } from "./cached-lists.ts";
import { copyNames, fetchOrCopy, listCopyName, type QueryContext } from "./copies.ts";

/** A list of records; from the copies on this device if the server cannot be reached. Throws ApiError. */
export const readRecords = (query: RecordQuery, asking: QueryContext & { signal?: AbortSignal }) =>
  fetchOrCopy(
    listCopyName("/api/memories", query),
    () => memoriesApi.list(query, asking.signal),
    asking,
    async () => (await import("./cached-lists.ts")).listCachedRecords(query),
  );

async function findCachedRecord(id: number): Promise<Memory | undefined> {
  const { cachedRecords } = await import("./cached-lists.ts");
  return (await cachedRecords()).find((record) => record.id === id);
}

/** A record; its copy on this device if the server cannot be reached. Throws ApiError. */
export const readRecord = (id: number, asking: QueryContext): Promise<Memory> =>
  fetchOrCopy(
    copyNames.record(id),
    () => memoriesApi.get(id),
    asking,
    () => findCachedRecord(id),
  );
