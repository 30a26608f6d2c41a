-- An entry of the ledger is one row: what leads to it is kept in rows that are written with it anyway.

-- activity: the number of the record's newest entry. Events of memory records have one of their own.
ALTER TABLE documents ADD COLUMN activity INTEGER;
ALTER TABLE folders ADD COLUMN activity INTEGER;
ALTER TABLE memories ADD COLUMN activity INTEGER;

-- previous: the number that the record's row had before, 0 if none. NULL for an entry from before this migration, and for
-- one with an event.
ALTER TABLE activity ADD COLUMN previous INTEGER;

-- The entries to which nothing else leads: those from before. No new ones are added.
DROP INDEX activity_record_idx;
CREATE INDEX activity_record_idx ON activity (owner, kind, record, number) WHERE previous IS NULL AND NOT has_event;
