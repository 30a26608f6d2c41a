/** Searches everything, or only documents or records. */
export type Kind = "all" | "documents" | "memories";

/** The request for a page of results. */
export type Wanted = { q: string; type: Kind; offset: number; limit: number };
