import { sortValue } from "../api/document-times.ts";
import type { Document, DocumentList, documentsApi } from "../api/documents.ts";
import type { Memory, memoriesApi } from "../api/memories.ts";
import { compareValues } from "./compare.ts";
import { copiesWithPrefix } from "./copies.ts";
import { getPendingChanges, withPendingChanges } from "./pending-changes.ts";
import { hasTag } from "./tags.ts";

// Lists computed from the copies on this device, for when the server cannot be reached.

/** Prefix of the copies of all open records, page by page. */
export const OPEN_RECORDS_PREFIX = "/api/memories?open&";

type MemoryList = Awaited<ReturnType<typeof memoriesApi.list>>;
export type DocumentQuery = Parameters<typeof documentsApi.list>[0];
export type RecordQuery = NonNullable<Parameters<typeof memoriesApi.list>[0]>;

const newestVersions = <Thing extends { id: string | number; version: number }>(things: Thing[]): Thing[] => {
  const all = new Map<string | number, Thing>();
  for (const thing of things) if ((all.get(thing.id)?.version ?? 0) < thing.version) all.set(thing.id, thing);
  return [...all.values()];
};

const cachedDocuments = async (): Promise<Document[]> =>
  newestVersions(await copiesWithPrefix<Document>("/api/documents/"));

/** Pending changes applied, documents that they trash left out. */
export const cachedDocumentsWithChanges = async (): Promise<Document[]> =>
  (await cachedDocuments()).flatMap((document) => {
    const { item, isTrashed } = withPendingChanges(document, getPendingChanges());
    return isTrashed ? [] : [item];
  });

export async function cachedRecords(): Promise<Memory[]> {
  const pages = await copiesWithPrefix<MemoryList>(OPEN_RECORDS_PREFIX);
  const read = await copiesWithPrefix<Memory>("/api/memories/");
  return newestVersions([...pages.flatMap(({ items }) => items), ...read]);
}

type PageRange = { limit?: number | undefined; offset?: number | undefined };

const slicePage = <Item>(items: Item[], { limit = 20, offset = 0 }: PageRange) => ({
  items: items.slice(offset, offset + limit),
  total: items.length,
});

const hasAllTags = (tags: readonly string[], wanted: readonly string[] = []) =>
  wanted.every((tag) => hasTag(tags, tag));

/** Answers a list request from the documents on this device. Undefined if there are none. */
export async function listCachedDocuments(query: DocumentQuery): Promise<DocumentList | undefined> {
  const all = await cachedDocuments();
  if (all.length === 0) return undefined;
  const { folder_id, tag, sort = "updated_at", order = sort === "title" ? "asc" : "desc" } = query;
  const folder = folder_id === "none" ? null : folder_id;
  const found = all
    .filter((one) => (folder_id === undefined || one.folder_id === folder) && hasAllTags(one.tags, tag))
    .sort((one, other) => compareValues(sortValue(one, sort), sortValue(other, sort), order === "desc"))
    .map(({ content: _, ...item }) => item);
  return slicePage(found, query);
}

const isDueWithin = ({ due_date }: Memory, { due, due_after, due_before }: RecordQuery) => {
  if (due === "none" && due_date) return false;
  if (!due_after && !due_before) return true;
  if (!due_date) return false;
  return (!due_after || due_date >= due_after) && (!due_before || due_date < due_before);
};

const matchesText = ({ topic, content, note }: Memory, q: string) => {
  const text = [topic, content, note ?? ""].join("\n").toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** Parameters with the name of a field take its value, or several. */
const equalsFields = (record: Memory, query: RecordQuery) =>
  Object.entries(query).every(
    ([name, value]) =>
      value === undefined ||
      !(name in record) ||
      ([value].flat() as unknown[]).includes(record[name as keyof Memory]),
  );

const matchesQuery = (record: Memory, query: RecordQuery) =>
  equalsFields(record, query) &&
  hasAllTags(record.tags, query.tag) &&
  isDueWithin(record, query) &&
  (!query.repeats || Boolean(record.repeat)) &&
  (query.q === undefined || matchesText(record, query.q));

/** Answers a list request from the records on this device. Undefined if there are none. */
export async function listCachedRecords(query: RecordQuery): Promise<MemoryList | undefined> {
  const all = await cachedRecords();
  if (all.length === 0) return undefined;
  const { sort = "updated_at", order = sort === "due_date" ? "asc" : "desc" } = query;
  const found = all
    .filter((record) => matchesQuery(record, query))
    .sort((one, other) => compareValues(one[sort], other[sort], order === "desc"));
  return slicePage(found, query);
}
