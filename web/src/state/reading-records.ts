import { type Memory, memoriesApi } from "../api/memories.ts";
import type { RecordQuery } from "./copied-lists.ts";
import { type Asking, copied, listName, orCopy } from "./copies.ts";

/** A list of records; from the copies on this device if the server cannot be reached. Throws ApiError. */
export const readRecords = (query: RecordQuery, asking: Asking & { signal?: AbortSignal }) =>
  orCopy(
    listName("/api/memories", query),
    () => memoriesApi.list(query, asking.signal),
    asking,
    async () => (await import("./copied-lists.ts")).recordsLike(query),
  );

async function copyOf(id: number): Promise<Memory | undefined> {
  const { copiedRecords } = await import("./copied-lists.ts");
  return (await copiedRecords()).find((record) => record.id === id);
}

/** A record; its copy on this device if the server cannot be reached. Throws ApiError. */
export const readRecord = (id: number, asking: Asking): Promise<Memory> =>
  orCopy(
    copied.record(id),
    () => memoriesApi.get(id),
    asking,
    () => copyOf(id),
  );
