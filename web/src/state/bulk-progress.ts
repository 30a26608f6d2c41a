import { createSharedState } from "./shared-state.ts";

// Progress of a bulk change that needs more than one request. Every screen shows it.

export type BulkProgress = {
  /** "Tag 2,001 records #travel" */
  text: string;
  done: number;
  total: number;
  /** Leaves the rest as it is. */
  stop?: () => void;
};

const progress = createSharedState<BulkProgress | undefined>(undefined);

export const useBulkProgress = progress.use;
/** Undefined hides it. */
export const showBulkProgress = progress.set;
