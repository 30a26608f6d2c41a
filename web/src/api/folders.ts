import type * as folders from "../../../src/contract/folder.ts";
import {
  get,
  type Input,
  post,
  postWithRetry,
  type Query,
  remove,
  type TrackedWrite,
  update,
} from "./client.ts";
import type { Job } from "./jobs.ts";
import { retryUntilAnswered } from "./retry.ts";

export type Folder = folders.Folder;

export const foldersApi = {
  list: (query: Query<typeof folders.FolderListQuery> = {}) => get<folders.FolderList>("/api/folders", query),
  create: (input: Input<typeof folders.FolderCreateRequest>, named: TrackedWrite = {}) =>
    postWithRetry<Folder>("/api/folders", input, named),
  /** With a key shared by all callers that create the same folder. */
  createOnce: (
    input: Input<typeof folders.FolderCreateRequest>,
    idempotencyKey: string,
    named: TrackedWrite = {},
  ) => retryUntilAnswered(() => post<Folder>("/api/folders", input, { ...named, idempotencyKey })),
  update: (id: string, fields: Input<typeof folders.FolderUpdateRequest>, named: TrackedWrite = {}) =>
    update<Folder>("PUT", `/api/folders/${id}`, fields, named),
  remove: (id: string, onContent?: "move_up" | "trash", named: TrackedWrite = {}) =>
    remove<Job>(`/api/folders/${id}`, { ...named, query: { on_content: onContent } }),
};
