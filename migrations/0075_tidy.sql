-- Tidying up (src/features/tidy/).

-- What a look through an account has read so far, what the last one has found, and when it ended: `read:` and a number,
-- `found:` and a kind, and `ended`. Only the next look needs none of it.
CREATE TABLE tidy_looks (
  owner INTEGER NOT NULL REFERENCES users (number),
  part TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (owner, part)
) STRICT, WITHOUT ROWID;

-- What somebody wants to keep as it is, and not be asked about again.
CREATE TABLE tidy_kept (
  owner INTEGER NOT NULL REFERENCES users (number),
  kind TEXT NOT NULL,
  -- What it is about, as `mem:12,mem:4`: sorted as texts.
  key TEXT NOT NULL,
  detail TEXT NOT NULL,
  kept_at TEXT NOT NULL,
  PRIMARY KEY (owner, kind, key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER tidy_looks_fenced_insert AFTER INSERT ON tidy_looks
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER tidy_looks_fenced_update AFTER UPDATE ON tidy_looks
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER tidy_looks_fenced_delete AFTER DELETE ON tidy_looks
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;

CREATE TRIGGER tidy_kept_fenced_insert AFTER INSERT ON tidy_kept
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER tidy_kept_fenced_update AFTER UPDATE ON tidy_kept
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER tidy_kept_fenced_delete AFTER DELETE ON tidy_kept
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;

-- What is kept counts its text and 100 bytes, as an event of a record does (0027). It is never changed.
CREATE TRIGGER usage_kept_added AFTER INSERT ON tidy_kept BEGIN
  INSERT INTO usage (owner, documents, records, bytes)
  VALUES (new.owner, 0, 0, 100 + octet_length(new.key) + octet_length(new.detail))
  ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_kept_deleted AFTER DELETE ON tidy_kept BEGIN
  UPDATE usage SET bytes = bytes - 100 - octet_length(old.key) - octet_length(old.detail) WHERE owner = old.owner;
END;
