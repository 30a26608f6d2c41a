import type * as folders from "../../../src/contract/folder.ts";
import { get, type Input, type Named, post, type Query } from "./ask.ts";
import { request } from "./request.ts";

export type Folder = folders.Folder;

export const foldersApi = {
  list: (query: Query<typeof folders.FolderListQuery> = {}) => get<folders.FolderList>("/api/folders", query),
  create: (input: Input<typeof folders.FolderCreateRequest>, idempotencyKey?: string, named: Named = {}) =>
    post<Folder>("/api/folders", input, { idempotencyKey, ...named }),
  update: (id: string, change: Input<typeof folders.FolderUpdateRequest>, named: Named = {}) =>
    request<Folder>(`/api/folders/${id}`, { ...named, method: "PUT", body: change }),
  remove: (id: string, onContent?: "move_up" | "trash", named: Named = {}) =>
    request<void>(`/api/folders/${id}`, { ...named, method: "DELETE", query: { on_content: onContent } }),
};
