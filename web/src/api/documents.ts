import type * as documents from "../../../src/contract/document.ts";
import type * as bulk from "../../../src/contract/document-bulk.ts";
import type * as links from "../../../src/contract/document-links.ts";
import type { ChangedTask } from "../../../src/contract/document-tasks.ts";
import {
  type Answer,
  get,
  type Input,
  post,
  postWithRetry,
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
export type DocumentLinks = Answer<typeof links.DocumentLinks>;
/** A document that another one links to. */
export type LinkedDocument = NonNullable<DocumentLinks["links"][number]["document"]>;
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
  getWithLinks: (id: string) => get<documents.ReadDocument>(`/api/documents/${id}`, { include: "links" }),
  /** Including the trash. */
  getIncludingTrash: (id: string) => get<documents.ReadDocument>(`/api/documents/${id}`, { trashed: true }),
  /** Not retried here: the caller retries with the same key and body. */
  create: (
    input: Input<typeof documents.DocumentCreateRequest>,
    idempotencyKey: string,
    options: TrackedWrite = {},
  ) => post<Document>("/api/documents", input, { idempotencyKey, ...options }),
  /** Not retried here: the caller retries, and reads the document if the retry is rejected. */
  update: (
    id: string,
    change: Input<typeof documents.DocumentUpdateRequest>,
    { editSession, ...options }: EditWrite = {},
  ) =>
    request<Document>(`/api/documents/${id}`, {
      ...options,
      ...editSessionHeader(editSession),
      method: "PUT",
      body: change,
    }),
  /** Marks a task in the text as done or open. Not retried here: the caller keeps the new text until it is saved. */
  setTaskDone: (
    id: string,
    { number, done }: { number: number; done: boolean },
    { editSession, ...options }: EditWrite = {},
  ) =>
    request<Answer<typeof ChangedTask>>(`/api/documents/${id}/tasks/${number}`, {
      ...options,
      ...editSessionHeader(editSession),
      method: "PATCH",
      body: { done },
    }),
  remove: (id: string, permanent = false) =>
    remove(`/api/documents/${id}`, { query: permanent ? { permanent } : {} }),
  /** Not retried here: the caller retries with the same key. */
  restore: (id: string, options: IdempotentWrite) =>
    post<Document>(`/api/documents/${id}/restore`, undefined, options),
  /** Not retried here: the caller retries with the same key and body. */
  bulkWithoutRetry: (operations: DocumentOperation[], options: IdempotentWrite) =>
    post<Answer<typeof bulk.DocumentBulkAnswer>>("/api/documents/bulk", { operations }, options),
  bulk: (input: Input<typeof bulk.DocumentBulkRequest>, options: TrackedWrite = {}) =>
    postWithRetry<Answer<typeof bulk.DocumentBulkAnswer>>("/api/documents/bulk", input, options),
  /** The documents that it links to, and those that link to it. */
  links: (id: string, query: Query<typeof links.DocumentLinksQuery> = {}) =>
    get<DocumentLinks>(`/api/documents/${id}/links`, query),
  versions: (id: string, query: Query<typeof documents.VersionListQuery> = {}) =>
    get<documents.DocumentVersionList>(`/api/documents/${id}/versions`, query),
  version: (id: string, version: number) => get<DocumentVersion>(`/api/documents/${id}/versions/${version}`),
  eraseVersion: (id: string, version: number) => remove(`/api/documents/${id}/versions/${version}`),
  restoreVersion: (id: string, version: number, options: VersionedWrite = {}) =>
    postWithRetry<Document>(`/api/documents/${id}/versions/${version}/restore`, undefined, options),
};
