import type * as documents from "../../../src/contract/document.ts";
import type * as bulk from "../../../src/contract/document-bulk.ts";
import type { ChangedTask } from "../../../src/contract/document-tasks.ts";
import {
  type Answer,
  type Based,
  get,
  type Input,
  type Named,
  post,
  postOnce,
  type Query,
  remove,
} from "./ask.ts";
import { type Options, request } from "./request.ts";

export type Document = documents.Document;
export type ReadDocument = documents.ReadDocument;
export type DocumentListItem = documents.DocumentListItem;
export type DocumentList = documents.DocumentList;
export type DocumentVersion = documents.DocumentVersion;
export type DocumentVersionListItem = Answer<typeof documents.DocumentVersionListItem>;
type Times = Pick<Document, "updated_at" | "changed_at">;

/** When the text was last changed. Copies stored by earlier versions of the app lack `changed_at`. */
export const changedAt = ({ changed_at, updated_at }: Times): string => changed_at ?? updated_at;

/** Whether tags or folder were changed after the text. */
export const isFiled = (document: Times): boolean => changedAt(document) < document.updated_at;

type Sorted = Times & Pick<Document, "title" | "created_at">;

export const sortedBy = (one: Sorted, sort: keyof Sorted): string =>
  sort === "changed_at" ? changedAt(one) : one[sort];

export type DocumentOperation = bulk.BulkOperation;

/** For requests that the caller retries with the same key, on behalf of one account. */
type Once = Named & Required<Pick<Options, "idempotencyKey" | "account">>;

type InSitting = Based & { sitting?: string | undefined };
const sittingOf = (sitting: string | undefined) => sitting && { headers: { "X-Sitting": sitting } };

export const documentsApi = {
  list: (query: Query<typeof documents.DocumentListQuery>, signal?: AbortSignal) =>
    get<documents.DocumentList>("/api/documents", query, signal),
  get: (id: string) => get<Document>(`/api/documents/${id}`),
  /** Including the trash. */
  getAnywhere: (id: string) => get<documents.ReadDocument>(`/api/documents/${id}`, { trashed: true }),
  /** Sent once: the caller retries with the same key and body. */
  create: (input: Input<typeof documents.DocumentCreateRequest>, idempotencyKey: string, named: Named = {}) =>
    post<Document>("/api/documents", input, { idempotencyKey, ...named }),
  /** Sent once: the caller retries, and reads the document if the retry is rejected. */
  update: (
    id: string,
    change: Input<typeof documents.DocumentUpdateRequest>,
    { sitting, ...based }: InSitting = {},
  ) =>
    request<Document>(`/api/documents/${id}`, {
      ...based,
      ...sittingOf(sitting),
      method: "PUT",
      body: change,
    }),
  /** Marks a task in the text as done or open. Sent once: the caller keeps the new text. */
  tick: (
    id: string,
    { number, done }: { number: number; done: boolean },
    { sitting, ...based }: InSitting = {},
  ) =>
    request<Answer<typeof ChangedTask>>(`/api/documents/${id}/tasks/${number}`, {
      ...based,
      ...sittingOf(sitting),
      method: "PATCH",
      body: { done },
    }),
  remove: (id: string, permanent = false) =>
    remove(`/api/documents/${id}`, { query: permanent ? { permanent } : {} }),
  /** Sent once: the caller retries with the same key. */
  restore: (id: string, by: Once) => post<Document>(`/api/documents/${id}/restore`, undefined, by),
  /** Sent once: the caller retries with the same key and body. */
  change: (operations: DocumentOperation[], by: Once) =>
    post<Answer<typeof bulk.DocumentBulkAnswer>>("/api/documents/bulk", { operations }, by),
  bulk: (input: Input<typeof bulk.DocumentBulkRequest>, named: Named = {}) =>
    postOnce<Answer<typeof bulk.DocumentBulkAnswer>>("/api/documents/bulk", input, named),
  versions: (id: string, query: Query<typeof documents.VersionListQuery> = {}) =>
    get<documents.DocumentVersionList>(`/api/documents/${id}/versions`, query),
  version: (id: string, version: number) => get<DocumentVersion>(`/api/documents/${id}/versions/${version}`),
  eraseVersion: (id: string, version: number) => remove(`/api/documents/${id}/versions/${version}`),
  restoreVersion: (id: string, version: number, based: Based = {}) =>
    postOnce<Document>(`/api/documents/${id}/versions/${version}/restore`, undefined, based),
};
