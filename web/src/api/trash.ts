import type * as trash from "../../../src/contract/trash.ts";
import { get, type Query } from "./ask.ts";
import { request } from "./request.ts";

export type TrashItem = trash.TrashList["items"][number];

export const trashApi = {
  list: (query: Query<typeof trash.TrashListQuery> = {}) => get<trash.TrashList>("/api/trash", query),
  empty: () => request<void>("/api/trash", { method: "DELETE", query: { type: "all" } }),
};
