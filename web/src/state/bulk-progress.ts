import { storeOf } from "./store.ts";

// How far a change of more things is than one request takes.

export type Progress = { done: number; total: number };

const progress = storeOf<Progress | undefined>(undefined);

export const useBulkProgress = progress.use;
/** Shows how far it is; undefined at its end. */
export const showProgress = progress.set;
