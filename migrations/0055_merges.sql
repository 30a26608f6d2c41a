-- FTS5 merges segments in one go for each 64 pages that are written. Each transaction that writes to the index now merges
-- a little (src/engine/merge.ts).
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 0);
