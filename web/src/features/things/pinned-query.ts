import type { DocumentQuery } from "../../state/copied-lists.ts";

// This file is part of the early script (web/src/shell/early.ts): keep it small.

export const PINNED = "pinned";

/** Pinned documents shown at the top; a search for the tag finds all of them. */
export const MOST = 20;

/** The pinned documents, by title. */
export const PINNED_QUERY: DocumentQuery = { tag: [PINNED], sort: "title", limit: MOST, offset: 0 };
