import type { Kind } from "../../platform/later/run.ts";
import { advanced } from "../../platform/later/store.ts";
import { type Emptying, emptySome } from "./store.ts";

/** Items trashed after the job started stay. */
export const TRASH_JOB: Kind<Emptying, Record<string, never>> = {
  kind: "trash",
  step: async ({ ctx, task, payload }) =>
    !(await emptySome(ctx, payload, (count) => advanced(ctx, task, { done: count }))),
  result: async () => ({}),
};
