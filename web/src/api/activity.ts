import type * as activity from "../../../src/contract/activity.ts";
import { get, post, postWithRetry, type Query } from "./client.ts";

export type { Activity, RecordState, UndoResult } from "../../../src/contract/activity.ts";

export const activityApi = {
  list: (query: Query<typeof activity.ActivityListQuery> = {}) =>
    get<activity.ActivityList>("/api/activity", query),
  /** Undoes at most a hundred of the changes, those before `before`. */
  undo: (ids: readonly number[], before?: number) =>
    postWithRetry<activity.UndoAnswer>("/api/activity/undo", { ids: ids.map(String), before }),
  /** Undoes what a write changed, by the change id of its response: at most a hundred changes, those before `before`. */
  undoChange: (change_id: string, before: number | undefined) =>
    postWithRetry<activity.UndoAnswer>("/api/activity/undo", { change_id, before }),
  /** Dry run: what an undo would do once other changes are undone. */
  tryUndo: (ids: number[], assume_undone: number[]) =>
    post<activity.UndoAnswer>("/api/activity/undo", {
      ids: ids.map(String),
      dry_run: true,
      assume_undone: assume_undone.map(String),
    }),
};
