import { useQuery } from "@tanstack/react-query";
import { textChangedAt } from "../../api/document-times.ts";
import { documentsApi } from "../../api/documents.ts";
import { memoriesApi } from "../../api/memories.ts";
import type { SearchResult } from "../../api/search.ts";
import { titleText } from "../../kit/title-text.ts";
import type { ThingKind } from "../things/kind.tsx";

/** A document or a record, as lists of both show it. */
export type ListedThing = {
  href: string;
  kind: ThingKind;
  title: string;
  tags: readonly string[];
  /** When its text was last changed; when the item was, if the API does not say. */
  changed_at: string;
  folder_id?: string | null;
  project?: string | null;
  status?: string;
  due_date?: string | null;
  /** The instant or day of a decision. */
  decided?: string | undefined;
};

type DocumentFacts = Pick<ListedThing, "title" | "tags" | "changed_at"> & {
  id: string;
  folder_id: string | null;
  updated_at: string;
};
type RecordFacts = Required<Pick<ListedThing, "tags" | "project" | "status" | "due_date">> & {
  id: number;
  updated_at: string;
  changed_at?: string;
  topic: string;
  memory_type: Exclude<ThingKind, "document">;
  created_at: string;
  happened_on?: string | null | undefined;
};

const documentThing = (document: DocumentFacts): ListedThing => ({
  href: `/documents/${document.id}`,
  kind: "document",
  title: titleText(document.title),
  tags: document.tags,
  changed_at: textChangedAt(document),
  folder_id: document.folder_id,
});

const recordThing = (record: RecordFacts): ListedThing => ({
  href: `/records/${record.id}`,
  kind: record.memory_type,
  title: record.topic,
  tags: record.tags,
  changed_at: record.changed_at ?? record.updated_at,
  project: record.project,
  status: record.status,
  due_date: record.due_date,
  decided: record.memory_type === "decision" ? (record.happened_on ?? record.created_at) : undefined,
});

export const thingFromResult = (result: SearchResult): ListedThing =>
  "document" in result ? documentThing(result.document) : recordThing(result.memory);

const SHOWN_THINGS = 8;

async function latestThings(): Promise<ListedThing[]> {
  const [documents, records] = await Promise.all([
    documentsApi.list({ limit: SHOWN_THINGS, sort: "changed_at" }),
    memoriesApi.list({ limit: SHOWN_THINGS }),
  ]);
  return [...documents.items.map(documentThing), ...records.items.map(recordThing)]
    .sort((one, other) => other.changed_at.localeCompare(one.changed_at))
    .slice(0, SHOWN_THINGS);
}

async function readDeviceThings(): Promise<ListedThing[]> {
  const { cachedDocumentsWithChanges, cachedRecords } = await import("../../state/cached-lists.ts");
  const [documents, records] = await Promise.all([cachedDocumentsWithChanges(), cachedRecords()]);
  return [...documents.map(documentThing), ...records.map(recordThing)];
}

export const useDeviceThings = () =>
  useQuery({ queryKey: ["copies"], queryFn: readDeviceThings, staleTime: 0 });

export const useRecentThings = () =>
  useQuery({ queryKey: ["search", "latest"], queryFn: latestThings, staleTime: 30_000 });
