-- The number of tokens that the search index has of an entry: bm25() normalizes by it, which a search undoes. Entries of
-- an older version of the analysis have 0 until they are reindexed.
ALTER TABLE search_entries ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;

-- A row with one token that belongs to nobody. Its bm25() tells the average length that FTS5 normalizes by.
INSERT INTO search_index (rowid, title, tags, body, extra) VALUES (0, '', '', '', '0xreference');

-- Entries written by an older version of the analysis. The number is INDEX_VERSION of src/text-index/analyse.ts; when
-- that changes, this index must be created again.
DROP INDEX search_entries_outdated_idx;
CREATE INDEX search_entries_outdated_idx ON search_entries (index_version, entry) WHERE index_version < 3;
