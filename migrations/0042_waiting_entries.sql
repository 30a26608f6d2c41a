-- Search entries that wait for their words have a negative version (src/text-index/store.ts). A search counts the caller's.
CREATE INDEX search_entries_waiting_idx ON search_entries (owner) WHERE index_version < 0;
