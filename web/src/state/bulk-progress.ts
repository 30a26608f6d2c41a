import { createSharedState } from "./shared-state.ts";

// Progress of a bulk change that needs more than one request.

export type BulkProgress = { done: number; total: number };

const progress = createSharedState<BulkProgress | undefined>(undefined);

export const useBulkProgress = progress.use;
/** Undefined hides it. */
export const showBulkProgress = progress.set;
