import { type Memory, memoriesApi } from "../api/memories.ts";
import type { RecordQuery } from "./cached-lists.ts";
import { copyNames, fetchOrCopy, listCopyName, type QueryContext } from "./copies.ts";

/** The query that reads; without one, a copy may be returned at any time. */
type Asking = QueryContext & { signal?: AbortSignal };

/** A list of records; from the copies on this device if the server cannot be reached. Throws ApiError. */
export const readRecords = (query: RecordQuery, asking?: Asking) =>
  fetchOrCopy(
    listCopyName("/api/memories", query),
    () => memoriesApi.list(query, asking?.signal),
    asking,
    async () => (await import("./cached-lists.ts")).listCachedRecords(query),
  );

const PAGE = 100;
/** The requests of one account are answered one after the other, so more at once would only be in each other's way. */
const PAGES_AT_ONCE = 4;

/** All pages of a list, without contents, up to `most` records. Throws ApiError. */
export async function readAllRecords(
  query: RecordQuery,
  asking?: Asking,
  most = Number.POSITIVE_INFINITY,
): Promise<{ items: Memory[]; total: number }> {
  const page = (offset: number) => readRecords({ ...query, content_length: 0, limit: PAGE, offset }, asking);
  const { items, total } = await page(0);
  const all = [...items];
  const end = Math.min(total, most);
  for (let start = PAGE; start < end; start += PAGE * PAGES_AT_ONCE) {
    const offsets = Array.from({ length: PAGES_AT_ONCE }, (_, more) => start + more * PAGE);
    const pages = await Promise.all(offsets.filter((offset) => offset < end).map(page));
    all.push(...pages.flatMap((one) => one.items));
  }
  return { items: all, total };
}

async function findCachedRecord(id: number): Promise<Memory | undefined> {
  const { cachedRecords } = await import("./cached-lists.ts");
  return (await cachedRecords()).find((record) => record.id === id);
}

/** A record; its copy on this device if the server cannot be reached. Throws ApiError. */
export const readRecord = (id: number, asking?: QueryContext): Promise<Memory> =>
  fetchOrCopy(
    copyNames.record(id),
    () => memoriesApi.get(id),
    asking,
    () => findCachedRecord(id),
  );
