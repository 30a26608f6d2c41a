-- How important a record is, and whether it is owed by its owner or to them. NULL: nobody said so.
ALTER TABLE memories ADD COLUMN priority TEXT;
ALTER TABLE memories ADD COLUMN owed TEXT;
