/** What is searched: everything, or only documents or records. */
export type Kind = "all" | "documents" | "memories";

/** A page of a search. */
export type Wanted = { q: string; type: Kind; offset: number; limit: number };
