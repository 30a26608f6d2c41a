import { type Document, type DocumentList, type documentsApi, sortedBy } from "../api/documents.ts";
import type { Memory, memoriesApi } from "../api/memories.ts";
import { compare } from "./compare.ts";
import { copiesOf } from "./copies.ts";
import { hasTag } from "./tags.ts";
import { changesNow, withChanges } from "./waiting-changes.ts";

// Lists computed from the copies on this device, for when the server cannot be reached.

/** Prefix of the copies of all open records, page by page. */
export const OPEN_RECORDS = "/api/memories?open&";

type MemoryList = Awaited<ReturnType<typeof memoriesApi.list>>;
export type DocumentQuery = Parameters<typeof documentsApi.list>[0];
export type RecordQuery = NonNullable<Parameters<typeof memoriesApi.list>[0]>;

const newest = <Thing extends { id: string | number; version: number }>(things: Thing[]): Thing[] => {
  const all = new Map<string | number, Thing>();
  for (const thing of things) if ((all.get(thing.id)?.version ?? 0) < thing.version) all.set(thing.id, thing);
  return [...all.values()];
};

const copiedDocuments = async (): Promise<Document[]> => newest(await copiesOf<Document>("/api/documents/"));

/** Pending changes applied, documents that they trash left out. */
export const shownDocuments = async (): Promise<Document[]> =>
  (await copiedDocuments()).flatMap((document) => {
    const { item, isTrashed } = withChanges(document, changesNow());
    return isTrashed ? [] : [item];
  });

export async function copiedRecords(): Promise<Memory[]> {
  const pages = await copiesOf<MemoryList>(OPEN_RECORDS);
  const read = await copiesOf<Memory>("/api/memories/");
  return newest([...pages.flatMap(({ items }) => items), ...read]);
}

type Page = { limit?: number | undefined; offset?: number | undefined };

const pageOf = <Item>(items: Item[], { limit = 20, offset = 0 }: Page) => ({
  items: items.slice(offset, offset + limit),
  total: items.length,
});

const hasAll = (tags: readonly string[], wanted: readonly string[] = []) =>
  wanted.every((tag) => hasTag(tags, tag));

/** Answers a list request from the documents on this device. Undefined if there are none. */
export async function documentsLike(query: DocumentQuery): Promise<DocumentList | undefined> {
  const all = await copiedDocuments();
  if (all.length === 0) return undefined;
  const { folder_id, tag, sort = "updated_at", order = sort === "title" ? "asc" : "desc" } = query;
  const folder = folder_id === "none" ? null : folder_id;
  const found = all
    .filter((one) => (folder_id === undefined || one.folder_id === folder) && hasAll(one.tags, tag))
    .sort((one, other) => compare(sortedBy(one, sort), sortedBy(other, sort), order === "desc"))
    .map(({ content: _, ...item }) => item);
  return pageOf(found, query);
}

const isDueWithin = ({ due_date }: Memory, { due, due_after, due_before }: RecordQuery) => {
  if (due === "none" && due_date) return false;
  if (!due_after && !due_before) return true;
  if (!due_date) return false;
  return (!due_after || due_date >= due_after) && (!due_before || due_date < due_before);
};

const says = ({ topic, content, note }: Memory, q: string) => {
  const text = [topic, content, note ?? ""].join("\n").toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

const fits = (record: Memory, query: RecordQuery) =>
  (["status", "project", "scope", "document_id", "series_id"] as const).every(
    (name) => query[name] === undefined || query[name] === record[name],
  ) &&
  (query.memory_type?.includes(record.memory_type) ?? true) &&
  hasAll(record.tags, query.tag) &&
  isDueWithin(record, query) &&
  (!query.repeats || Boolean(record.repeat)) &&
  (query.q === undefined || says(record, query.q));

/** Answers a list request from the records on this device. Undefined if there are none. */
export async function recordsLike(query: RecordQuery): Promise<MemoryList | undefined> {
  const all = await copiedRecords();
  if (all.length === 0) return undefined;
  const { sort = "updated_at", order = sort === "due_date" ? "asc" : "desc" } = query;
  const found = all
    .filter((record) => fits(record, query))
    .sort((one, other) => compare(one[sort], other[sort], order === "desc"));
  return pageOf(found, query);
}
