-- The words of files. Each file has a search entry for its name and caption, and one for each page or part of its text:
-- their keys are the file's id and `<id>/<page>`. Which documents and records a file belongs to is in document_files and
-- memory_files, so attaching, detaching and the trash write no entry.

-- The same table, with another kind: SQLite cannot change a CHECK.
CREATE TABLE search_entries_with_files (
  entry INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('document', 'memory', 'file')),
  record TEXT NOT NULL,
  length INTEGER NOT NULL,
  index_version INTEGER NOT NULL,
  tokens INTEGER NOT NULL DEFAULT 0,
  UNIQUE (owner, kind, record)
) STRICT;
INSERT INTO search_entries_with_files (entry, owner, kind, record, length, index_version, tokens)
SELECT entry, owner, kind, record, length, index_version, tokens FROM search_entries;
DROP TABLE search_entries;
ALTER TABLE search_entries_with_files RENAME TO search_entries;
CREATE INDEX search_entries_outdated_idx ON search_entries (index_version, entry)
WHERE index_version < 3 OR (index_version < 4 AND kind = 'memory');
CREATE INDEX search_entries_waiting_idx ON search_entries (owner) WHERE index_version < 0;
CREATE TRIGGER search_entries_insert AFTER INSERT ON search_entries BEGIN
  INSERT INTO search_totals (owner, kind, entries, length) VALUES (new.owner, new.kind, 1, new.length)
  ON CONFLICT (owner, kind) DO UPDATE SET entries = entries + 1, length = length + excluded.length;
END;
CREATE TRIGGER search_entries_update AFTER UPDATE OF length ON search_entries WHEN old.length <> new.length BEGIN
  UPDATE search_totals SET length = length - old.length + new.length
  WHERE owner = new.owner AND kind = new.kind;
END;
CREATE TRIGGER search_entries_delete AFTER DELETE ON search_entries BEGIN
  UPDATE search_totals SET entries = entries - 1, length = length - old.length
  WHERE owner = old.owner AND kind = old.kind;
  DELETE FROM search_index WHERE rowid = old.entry;
END;

-- What was read of a file, by page; of a file without pages, in parts of about 8,000 characters.
CREATE TABLE file_texts (
  owner INTEGER NOT NULL,
  file_id TEXT NOT NULL,
  page INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (owner, file_id, page)
) STRICT;

-- Files whose words are still to be indexed: of new ones all, of renamed ones the name and caption.
CREATE TABLE file_words (
  owner INTEGER NOT NULL,
  file_id TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  due_at TEXT NOT NULL,
  PRIMARY KEY (owner, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_words_owner_due_at_idx ON file_words (owner, due_at);
CREATE INDEX file_words_due_at_idx ON file_words (due_at);

CREATE TRIGGER files_words_begun AFTER INSERT ON files WHEN new.text_state IN ('none', 'waiting') BEGIN
  INSERT OR IGNORE INTO file_words (owner, file_id, due_at)
  VALUES (new.owner, new.id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
CREATE TRIGGER files_words_changed AFTER UPDATE OF name, alt ON files
WHEN new.name IS NOT old.name OR new.alt IS NOT old.alt BEGIN
  INSERT INTO file_words (owner, file_id, due_at) VALUES (new.owner, new.id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ON CONFLICT (owner, file_id) DO UPDATE SET due_at = excluded.due_at, tries = 0;
END;
-- '0' follows '/'.
CREATE TRIGGER files_words_erased AFTER DELETE ON files BEGIN
  DELETE FROM search_entries WHERE owner = old.owner AND kind = 'file' AND record >= old.id AND record < old.id || '0';
  DELETE FROM file_texts WHERE owner = old.owner AND file_id = old.id;
  DELETE FROM file_words WHERE owner = old.owner AND file_id = old.id;
END;

INSERT INTO file_words (owner, file_id, due_at)
SELECT owner, id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM files;

CREATE TRIGGER file_texts_fenced_insert AFTER INSERT ON file_texts
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER file_texts_fenced_update AFTER UPDATE ON file_texts
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER file_texts_fenced_delete AFTER DELETE ON file_texts
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
