import { type Memory, memoriesApi } from "../api/memories.ts";
import { copiedRecords, listName, type RecordQuery, recordsLike } from "./copied-lists.ts";
import { type Asking, copied, orCopy } from "./copies.ts";

/** A list of records, or of those on this device when the service does not answer. Throws ApiError. */
export const readRecords = (query: RecordQuery, asking: Asking & { signal?: AbortSignal }) =>
  orCopy(
    listName("/api/memories", query),
    () => memoriesApi.list(query, asking.signal),
    asking,
    () => recordsLike(query),
  );

const copyOf = async (id: number) => (await copiedRecords()).find((record) => record.id === id);

/** A record, or its copy on this device when the service does not answer. Throws ApiError. */
export const readRecord = (id: number, asking: Asking): Promise<Memory> =>
  orCopy(
    copied.record(id),
    () => memoriesApi.get(id),
    asking,
    () => copyOf(id),
  );
