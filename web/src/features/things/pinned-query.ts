import type { DocumentQuery } from "../../state/cached-lists.ts";

// This file is part of the early script (web/src/shell/early.ts): keep it small.

export const PINNED_TAG = "pinned";

/** Pinned documents shown at the top; a search for the tag finds all of them. */
export const MAX_PINNED = 20;

export const PINNED_QUERY: DocumentQuery = { tag: [PINNED_TAG], sort: "title", limit: MAX_PINNED, offset: 0 };
