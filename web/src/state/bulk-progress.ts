import { storeOf } from "./store.ts";

// Progress of a bulk change that needs more than one request.

export type Progress = { done: number; total: number };

const progress = storeOf<Progress | undefined>(undefined);

export const useBulkProgress = progress.use;
/** Undefined hides it. */
export const showProgress = progress.set;
