// Every table. Indexes and constraints are only in migrations/; test/house/architecture.test.ts compares the columns.

export * from "./tables/accounts.ts";
export * from "./tables/billing.ts";
export * from "./tables/changes.ts";
export * from "./tables/documents.ts";
export * from "./tables/files.ts";
export * from "./tables/homes.ts";
export * from "./tables/memories.ts";
export * from "./tables/outgoing.ts";
export * from "./tables/search.ts";
export * from "./tables/tidy.ts";
