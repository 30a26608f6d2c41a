import type * as documents from "../../../src/contract/document.ts";
import type * as bulk from "../../../src/contract/document-bulk.ts";
import type { ChangedTask } from "../../../src/contract/document-tasks.ts";
import {
  type Answer,
  get,
  type Input,
  post,
  postOnce,
  type Query,
  remove,
  type TrackedWrite,
  type VersionedWrite,
} from "./client.ts";
import { type RequestOptions, request } from "./request.ts";

export type { DocumentList, DocumentListItem, ReadDocument } from "../../../src/contract/document.ts";
export type Document = documents.Document;
export type DocumentVersion = documents.DocumentVersion;
export type DocumentVersionListItem = Answer<typeof documents.DocumentVersionListItem>;
type Times = Pick<Document, "updated_at" | "changed_at">;

/** When the text was last changed. Copies stored by earlier versions of the app lack `changed_at`. */
export const textChangedAt = ({ changed_at, updated_at }: Times): string => changed_at ?? updated_at;

/** Whether tags or folder were changed after the text. */
export const isFiledSinceChange = (document: Times): boolean => textChangedAt(document) < document.updated_at;

type SortableFields = Times & Pick<Document, "title" | "created_at">;

export const sortValue = (one: SortableFields, sort: keyof SortableFields): string =>
  sort === "changed_at" ? textChangedAt(one) : one[sort];

export type DocumentOperation = bulk.DocumentBulkOperation;

/** For requests that the caller retries with the same key, on behalf of one account. */
type IdempotentWrite = TrackedWrite & Required<Pick<RequestOptions, "idempotencyKey" | "account">>;

type EditWrite = VersionedWrite & { editSession?: string | undefined };
const editSessionHeader = (editSession: string | undefined) =>
  editSession && { headers: { "X-Sitting": editSession } };

export const documentsApi = {
  list: (query: Query<typeof documents.DocumentListQuery>, signal?: AbortSignal) =>
    get<documents.DocumentList>("/api/documents", query, signal),
  get: (id: string) => get<Document>(`/api/documents/${id}`),
  /** Including the trash. */
  getIncludingTrash: (id: string) => get<documents.ReadDocument>(`/api/documents/${id}`, { trashed: true }),
  /** Sent once: the caller retries with the same key and body. */
  create: (
    input: Input<typeof documents.DocumentCreateRequest>,
    idempotencyKey: string,
    named: TrackedWrite = {},
  ) => post<Document>("/api/documents", input, { idempotencyKey, ...named }),
  /** Sent once: the caller retries, and reads the document if the retry is rejected. */
  update: (
    id: string,
    change: Input<typeof documents.DocumentUpdateRequest>,
    { editSession, ...based }: EditWrite = {},
  ) =>
    request<Document>(`/api/documents/${id}`, {
      ...based,
      ...editSessionHeader(editSession),
      method: "PUT",
      body: change,
    }),
  /** Marks a task in the text as done or open. Sent once: the caller keeps the new text. */
  tick: (
    id: string,
    { number, done }: { number: number; done: boolean },
    { editSession, ...based }: EditWrite = {},
  ) =>
    request<Answer<typeof ChangedTask>>(`/api/documents/${id}/tasks/${number}`, {
      ...based,
      ...editSessionHeader(editSession),
      method: "PATCH",
      body: { done },
    }),
  remove: (id: string, permanent = false) =>
    remove(`/api/documents/${id}`, { query: permanent ? { permanent } : {} }),
  /** Sent once: the caller retries with the same key. */
  restore: (id: string, by: IdempotentWrite) => post<Document>(`/api/documents/${id}/restore`, undefined, by),
  /** Sent once: the caller retries with the same key and body. */
  change: (operations: DocumentOperation[], by: IdempotentWrite) =>
    post<Answer<typeof bulk.DocumentBulkAnswer>>("/api/documents/bulk", { operations }, by),
  bulk: (input: Input<typeof bulk.DocumentBulkRequest>, named: TrackedWrite = {}) =>
    postOnce<Answer<typeof bulk.DocumentBulkAnswer>>("/api/documents/bulk", input, named),
  versions: (id: string, query: Query<typeof documents.VersionListQuery> = {}) =>
    get<documents.DocumentVersionList>(`/api/documents/${id}/versions`, query),
  version: (id: string, version: number) => get<DocumentVersion>(`/api/documents/${id}/versions/${version}`),
  eraseVersion: (id: string, version: number) => remove(`/api/documents/${id}/versions/${version}`),
  restoreVersion: (id: string, version: number, based: VersionedWrite = {}) =>
    postOnce<Document>(`/api/documents/${id}/versions/${version}/restore`, undefined, based),
};
