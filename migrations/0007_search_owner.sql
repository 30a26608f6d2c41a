-- Lets a query that only filters, and the erasure of an account, read only the owner's entries.

CREATE INDEX search_entries_owner_idx ON search_entries (owner, entry);
