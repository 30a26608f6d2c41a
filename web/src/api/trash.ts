import type * as trash from "../../../src/contract/trash.ts";
import { get, type Query, remove } from "./client.ts";
import type { Job } from "./jobs.ts";

export type TrashItem = trash.TrashList["items"][number];

export const trashApi = {
  list: (query: Query<typeof trash.TrashListQuery> = {}) => get<trash.TrashList>("/api/trash", query),
  empty: () => remove<Job>("/api/trash", { query: { type: "all" } }),
};
