import type * as activity from "../../../src/contract/activity.ts";
import { get, post, type Query } from "./ask.ts";

export type Activity = activity.Activity;
export type UndoResult = activity.UndoResult;
export type RecordState = activity.RecordState;

export const activityApi = {
  list: (query: Query<typeof activity.ActivityListQuery> = {}) =>
    get<activity.ActivityList>("/api/activity", query),
  undo: (ids: number[], idempotencyKey: string) =>
    post<activity.UndoAnswer>("/api/activity/undo", { ids }, { idempotencyKey }),
  /** Undoes what a write changed, by the name that its answer had; at most a hundred changes, those before `before`. */
  undoChange: (change_id: string, before: number | undefined, idempotencyKey: string) =>
    post<activity.UndoAnswer>(
      "/api/activity/undo",
      { change_id, ...(before !== undefined && { before }) },
      { idempotencyKey },
    ),
  /** What an undo would do once other changes are undone. */
  tryUndo: (ids: number[], assume_undone: number[]) =>
    post<activity.UndoAnswer>("/api/activity/undo", { ids, dry_run: true, assume_undone }),
};
