import type { DocumentQuery } from "../../state/copied-lists.ts";

// The early script (web/src/shell/early.ts) has all of this in it: nothing large belongs here.

export const PINNED = "pinned";

/** So many stand on top; all of them are found by the tag. */
export const MOST = 20;

/** The documents that stand on top, from A to Z. */
export const PINNED_QUERY: DocumentQuery = { tag: [PINNED], sort: "title", limit: MOST, offset: 0 };
