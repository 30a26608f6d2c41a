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

/** The progress of one change. `hide` leaves that of another one. */
export function trackBulkProgress() {
  let latest: BulkProgress | undefined;
  return {
    show: (next: BulkProgress) => {
      latest = next;
      progress.set(next);
    },
    hide: () => {
      if (latest && progress.get() === latest) progress.set(undefined);
    },
  };
}
