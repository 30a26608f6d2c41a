import type { JobDefinition } from "../../platform/jobs/run.ts";
import { progressStatements } from "../../platform/jobs/store.ts";
import { eraseTrashBatch, type TrashSelection } from "./store.ts";

/** Items trashed after the job started stay. */
export const TRASH_JOB: JobDefinition<TrashSelection, Record<string, never>> = {
  kind: "trash",
  step: async ({ ctx, task, payload }) =>
    !(await eraseTrashBatch(ctx, payload, (count) => progressStatements(ctx, task, { done: count }))),
  result: async () => ({}),
};
