-- Files: rows here, bytes in the bucket (binding FILES), under `<users.id>/<files.id>`.

CREATE TABLE files (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  -- What the first bytes tell, whatever the upload said.
  type TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'pdf', 'audio', 'video', 'text', 'other')),
  name TEXT NOT NULL,
  alt TEXT,
  width INTEGER,
  height INTEGER,
  pages INTEGER,
  text_state TEXT NOT NULL DEFAULT 'none' CHECK (text_state IN ('none', 'waiting', 'done', 'cut', 'failed')),
  text_note TEXT,
  -- The bytes of each thumbnail by its width: {"320": 14502}.
  thumbnails TEXT NOT NULL DEFAULT '{}',
  replaces_id TEXT,
  -- Since when nothing is known to refer to it.
  unused_since TEXT,
  -- When it is looked at next: whether something refers to it; in the trash, when it is erased.
  due_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  trashed_at TEXT
) STRICT;
-- The same bytes again are the same file, of this owner.
CREATE UNIQUE INDEX files_owner_sha256_idx ON files (owner, sha256);
CREATE INDEX files_owner_created_at_idx ON files (owner, created_at, id) WHERE trashed_at IS NULL;
CREATE INDEX files_owner_trashed_at_idx ON files (owner, trashed_at, id) WHERE trashed_at IS NOT NULL;
CREATE INDEX files_owner_due_at_idx ON files (owner, due_at);
CREATE INDEX files_due_at_idx ON files (due_at);

CREATE TABLE document_files (
  document_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  owner INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (document_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_files_file_id_idx ON document_files (file_id, document_id);
CREATE INDEX document_files_owner_idx ON document_files (owner, document_id, file_id);

CREATE TABLE memory_files (
  owner INTEGER NOT NULL,
  memory_id INTEGER NOT NULL,
  file_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (owner, memory_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_files_file_id_idx ON memory_files (file_id, memory_id);

-- What the bucket may hold, and no file has: uploads that are under way, and what was erased. A row is there before the
-- first byte is, and until the last one is gone.
CREATE TABLE file_uploads (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  state TEXT NOT NULL CHECK (state IN ('receiving', 'erasing')),
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT,
  -- R2's own id of an upload in parts, and the ETag of each part by its number.
  multipart_id TEXT,
  parts TEXT NOT NULL DEFAULT '{}',
  document_id TEXT,
  memory_id INTEGER,
  -- When it is given up, or tried again.
  due_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX file_uploads_owner_due_at_idx ON file_uploads (owner, due_at);
CREATE INDEX file_uploads_due_at_idx ON file_uploads (due_at);

-- How far the texts of an account have been read for references to files that are due.
CREATE TABLE file_looks (
  owner INTEGER NOT NULL PRIMARY KEY,
  began_at TEXT NOT NULL,
  -- The name of a table and the key of the last row that was read: ["documents", "0193…"].
  place TEXT NOT NULL
) STRICT;

-- What a file counts of an account's bytes: see features/billing/sizes.ts.
CREATE TRIGGER usage_file_added AFTER INSERT ON files BEGIN
  INSERT INTO usage (owner, documents, records, bytes)
  VALUES (new.owner, 0, 0, 500 + new.bytes + (SELECT coalesce(sum(value), 0) FROM json_each(new.thumbnails)))
  ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_file_changed AFTER UPDATE OF thumbnails ON files WHEN new.thumbnails <> old.thumbnails BEGIN
  UPDATE usage SET bytes = bytes + (SELECT coalesce(sum(value), 0) FROM json_each(new.thumbnails))
    - (SELECT coalesce(sum(value), 0) FROM json_each(old.thumbnails)) WHERE owner = new.owner;
END;
CREATE TRIGGER usage_file_erased AFTER DELETE ON files BEGIN
  UPDATE usage SET bytes = bytes - 500 - old.bytes - (SELECT coalesce(sum(value), 0) FROM json_each(old.thumbnails))
  WHERE owner = old.owner;
  DELETE FROM document_files WHERE file_id = old.id;
  DELETE FROM memory_files WHERE file_id = old.id;
END;

-- An attachment ends with its document or record, and a file without any is unused from then on.
CREATE TRIGGER documents_files_erased AFTER DELETE ON documents BEGIN
  DELETE FROM document_files WHERE document_id = old.id;
END;
CREATE TRIGGER memories_files_erased AFTER DELETE ON memories BEGIN
  DELETE FROM memory_files WHERE owner = old.owner AND memory_id = old.id;
END;
CREATE TRIGGER document_files_begun AFTER INSERT ON document_files BEGIN
  UPDATE files SET unused_since = NULL WHERE id = new.file_id AND owner = new.owner AND unused_since IS NOT NULL;
END;
CREATE TRIGGER memory_files_begun AFTER INSERT ON memory_files BEGIN
  UPDATE files SET unused_since = NULL WHERE id = new.file_id AND owner = new.owner AND unused_since IS NOT NULL;
END;
CREATE TRIGGER document_files_ended AFTER DELETE ON document_files BEGIN
  UPDATE files SET unused_since = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+30 days')
  WHERE id = old.file_id AND owner = old.owner AND trashed_at IS NULL AND unused_since IS NULL
    AND NOT EXISTS (SELECT 1 FROM document_files WHERE file_id = old.file_id)
    AND NOT EXISTS (SELECT 1 FROM memory_files WHERE file_id = old.file_id);
END;
CREATE TRIGGER memory_files_ended AFTER DELETE ON memory_files BEGIN
  UPDATE files SET unused_since = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    due_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+30 days')
  WHERE id = old.file_id AND owner = old.owner AND trashed_at IS NULL AND unused_since IS NULL
    AND NOT EXISTS (SELECT 1 FROM document_files WHERE file_id = old.file_id)
    AND NOT EXISTS (SELECT 1 FROM memory_files WHERE file_id = old.file_id);
END;

CREATE TRIGGER files_fenced_insert AFTER INSERT ON files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER files_fenced_update AFTER UPDATE ON files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER files_fenced_delete AFTER DELETE ON files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER document_files_fenced_insert AFTER INSERT ON document_files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER document_files_fenced_update AFTER UPDATE ON document_files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER document_files_fenced_delete AFTER DELETE ON document_files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER memory_files_fenced_insert AFTER INSERT ON memory_files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER memory_files_fenced_update AFTER UPDATE ON memory_files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER memory_files_fenced_delete AFTER DELETE ON memory_files
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER file_uploads_fenced_insert AFTER INSERT ON file_uploads
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER file_uploads_fenced_update AFTER UPDATE ON file_uploads
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER file_uploads_fenced_delete AFTER DELETE ON file_uploads
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
