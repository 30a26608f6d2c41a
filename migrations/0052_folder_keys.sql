-- Folders are found by name whatever the case of its letters (src/contract/folder-key.ts). SQLite folds ASCII only: other
-- names of folders that are there already have no key until the cron handler has written it; until then the statements that
-- compare it fold the name.
ALTER TABLE folders ADD COLUMN key TEXT;
UPDATE folders SET key = lower(name) WHERE name NOT GLOB '*[^!-.0-~ ]*' AND name = trim(name);
CREATE INDEX folders_key_idx ON folders (owner, key);
-- What a key does not lead to: a folder without one, and one whose name has a slash.
CREATE INDEX folders_odd_idx ON folders (owner, key) WHERE key IS NULL OR instr(key, '/') > 0;

-- A Worker of an earlier version knows no keys.
CREATE TRIGGER folders_renamed AFTER UPDATE OF name ON folders
WHEN new.key IS old.key AND lower(new.name) <> lower(old.name)
BEGIN
  UPDATE folders SET key = NULL WHERE id = new.id;
END;
