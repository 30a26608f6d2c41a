-- FTS5 merges segments in one go for each 64 pages that are written. Transactions that write to the index now merge a
-- little instead (src/engine/merge.ts).
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 0);
