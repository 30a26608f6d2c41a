import type * as files from "../../../src/contract/file.ts";
import type { ThumbnailWidth } from "../../../src/contract/file-limits.ts";
import { type Answer, change, get, type Input, post, type Query, remove } from "./ask.ts";
import { type Options, request } from "./request.ts";

export type StoredFile = files.StoredFile;
export type FileKind = files.FileKind;
export type Upload = files.Upload;

/** What a file is attached to. */
export type To = { document_id?: string; memory_id?: number };

/** `account`: the account that the file was chosen for. */
type As = Pick<Options, "account" | "signal">;

const PATH = "/api/files";
const one = (id: string) => `${PATH}/${id}`;
const place = (id: string, { document_id, memory_id }: To) =>
  document_id ? `${one(id)}/documents/${document_id}` : `${one(id)}/memories/${memory_id}`;

/** RFC 8187: also encodes what encodeURIComponent leaves and a header must not contain. */
const inHeader = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** URL of the content. The browser sends the session cookie, so images and players can load it. */
export const bytesAt = (id: string): string => one(id);
export const downloadAt = (id: string): string => `${one(id)}?download=true`;
export const thumbnailAt = (id: string, width: ThumbnailWidth): string => `${one(id)}/thumbnails/${width}`;

export const filesApi = {
  list: (query: Query<typeof files.FileListQuery>, signal?: AbortSignal) =>
    get<files.FileList>(PATH, query, signal),
  /** Including the trash. */
  get: (id: string) => get<StoredFile>(`${one(id)}/metadata`),
  /** Sent once. The same bytes give the same file, so retries are safe. */
  send: (bytes: Blob, name: string, to: To, as: As) =>
    request<StoredFile>(PATH, {
      ...as,
      method: "POST",
      raw: bytes,
      query: to,
      headers: { "Content-Disposition": `attachment; filename*=UTF-8''${inHeader(name)}` },
    }),
  begin: (input: Input<typeof files.UploadBeginRequest>, key: string, as: As) =>
    post<Upload>(`${PATH}/uploads`, input, { ...as, idempotencyKey: key }),
  /** Progress of an upload. Throws 404 if it was cancelled or is complete. */
  parts: (id: string, as: As) => request<Upload>(`${one(id)}/parts`, as),
  /** Parts are numbered from 1. A part sent again replaces the earlier one. */
  sendPart: (id: string, part: number, raw: Blob, as: As) =>
    request<Upload>(`${one(id)}/parts/${part}`, { ...as, method: "PUT", raw }),
  /** Idempotent. */
  complete: (id: string, as: As) => post<StoredFile>(`${one(id)}/complete`, undefined, as),
  giveUp: (id: string) => remove(`${one(id)}/parts`),
  putThumbnail: (id: string, width: ThumbnailWidth, raw: Blob) =>
    request<void>(thumbnailAt(id, width), { method: "PUT", raw }),
  update: (id: string, fields: Input<typeof files.FileUpdateRequest>) =>
    change<StoredFile>("PATCH", one(id), fields),
  remove: (id: string, permanent = false) => remove(one(id), { query: permanent ? { permanent } : {} }),
  restore: (id: string) => post<StoredFile>(`${one(id)}/restore`, undefined),
  replace: (id: string, input: Answer<typeof files.FileReplaceRequest>) =>
    post<StoredFile>(`${one(id)}/replace`, input),
  attach: (id: string, to: To) => change<void>("PUT", place(id, to), undefined),
  detach: (id: string, to: To) => remove(place(id, to)),
};
