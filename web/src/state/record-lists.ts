import { memoriesApi } from "../api/memories.ts";
import { listName, type RecordQuery, recordsLike } from "./copied-lists.ts";
import { orCopy } from "./copies.ts";

/** A list of records, or of those on this device when the service does not answer. Throws ApiError. */
export const readRecords = (query: RecordQuery, signal?: AbortSignal) =>
  orCopy(
    listName("/api/memories", query),
    () => memoriesApi.list(query, signal),
    () => recordsLike(query),
  );
