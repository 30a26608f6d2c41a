/** Searches everything, or only documents or records. */
export type SearchKind = "all" | "documents" | "memories";

/** The request for a page of results. */
export type SearchPageRequest = { q: string; type: SearchKind; offset: number; limit: number };
