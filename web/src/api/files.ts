import type * as files from "../../../src/contract/file.ts";
import type { ThumbnailWidth } from "../../../src/contract/file-limits.ts";
import { type Answer, get, type Input, post, type Query, remove, update } from "./client.ts";
import { type RequestOptions, request } from "./request.ts";

export type StoredFile = files.StoredFile;
export type FileKind = files.FileKind;
export type Upload = files.Upload;

export type AttachTarget = { document_id?: string; memory_id?: number };

/** `account`: the account that the file was chosen for. */
type SendOptions = Pick<RequestOptions, "account" | "signal">;

const PATH = "/api/files";
const fileUrl = (id: string) => `${PATH}/${id}`;
const attachmentUrl = (id: string, { document_id, memory_id }: AttachTarget) =>
  document_id ? `${fileUrl(id)}/documents/${document_id}` : `${fileUrl(id)}/memories/${memory_id}`;

/** RFC 8187: also encodes what encodeURIComponent leaves and a header must not contain. */
const encodeHeaderValue = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** URL of the content. The browser sends the session cookie, so images and players can load it. */
export const fileContentUrl = (id: string): string => fileUrl(id);
export const fileDownloadUrl = (id: string): string => `${fileUrl(id)}?download=true`;
export const thumbnailUrl = (id: string, width: ThumbnailWidth): string =>
  `${fileUrl(id)}/thumbnails/${width}`;

export const filesApi = {
  list: (query: Query<typeof files.FileListQuery>, signal?: AbortSignal) =>
    get<files.FileList>(PATH, query, signal),
  /** Including the trash. */
  get: (id: string) => get<StoredFile>(`${fileUrl(id)}/metadata`),
  /** Sent once. The same bytes give the same file, so retries are safe. */
  send: (bytes: Blob, name: string, to: AttachTarget, as: SendOptions) =>
    request<StoredFile>(PATH, {
      ...as,
      method: "POST",
      raw: bytes,
      query: to,
      headers: { "Content-Disposition": `attachment; filename*=UTF-8''${encodeHeaderValue(name)}` },
    }),
  beginUpload: (input: Input<typeof files.UploadBeginRequest>, key: string, as: SendOptions) =>
    post<Upload>(`${PATH}/uploads`, input, { ...as, idempotencyKey: key }),
  /** Progress of an upload. Throws 404 if it was cancelled or is complete. */
  parts: (id: string, as: SendOptions) => request<Upload>(`${fileUrl(id)}/parts`, as),
  /** Parts are numbered from 1. A part sent again replaces the earlier one. */
  sendPart: (id: string, part: number, raw: Blob, as: SendOptions) =>
    request<Upload>(`${fileUrl(id)}/parts/${part}`, { ...as, method: "PUT", raw }),
  /** Idempotent. */
  complete: (id: string, as: SendOptions) => post<StoredFile>(`${fileUrl(id)}/complete`, undefined, as),
  cancelUpload: (id: string) => remove(`${fileUrl(id)}/parts`),
  putThumbnail: (id: string, width: ThumbnailWidth, raw: Blob) =>
    request<void>(thumbnailUrl(id, width), { method: "PUT", raw }),
  update: (id: string, fields: Input<typeof files.FileUpdateRequest>) =>
    update<StoredFile>("PATCH", fileUrl(id), fields),
  remove: (id: string, permanent = false) => remove(fileUrl(id), { query: permanent ? { permanent } : {} }),
  restore: (id: string) => post<StoredFile>(`${fileUrl(id)}/restore`, undefined),
  replace: (id: string, input: Answer<typeof files.FileReplaceRequest>) =>
    post<StoredFile>(`${fileUrl(id)}/replace`, input),
  attach: (id: string, to: AttachTarget) => update<void>("PUT", attachmentUrl(id, to), undefined),
  detach: (id: string, to: AttachTarget) => remove(attachmentUrl(id, to)),
};
