-- A query that only filters reads its owner's entries and nobody else's, and so does the erasure of an account.

CREATE INDEX search_entries_owner_idx ON search_entries (owner, entry);
