-- What an account has to do after the answer (src/platform/later/).

CREATE TABLE later (
  owner INTEGER NOT NULL REFERENCES users (number),
  kind TEXT NOT NULL,
  -- What the work is about, so that it is there once. Work that has ended has its id here.
  key TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed', 'cancelled')),
  -- When it goes on. While somebody is at it: when they are given up. NULL: not before something else happens.
  due_at TEXT,
  -- How often in a row it has failed.
  tries INTEGER NOT NULL DEFAULT 0,
  -- What people read of it.
  title TEXT NOT NULL,
  payload TEXT NOT NULL,
  -- Who asked for it, for the ledger.
  actor TEXT NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  total INTEGER,
  result TEXT,
  detail TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (owner, kind, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX later_id_idx ON later (id);
CREATE INDEX later_due_at_idx ON later (due_at) WHERE state = 'waiting' AND due_at IS NOT NULL;
CREATE INDEX later_ended_idx ON later (updated_at) WHERE state <> 'waiting';

CREATE TRIGGER later_fenced_insert AFTER INSERT ON later
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER later_fenced_update AFTER UPDATE ON later
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER later_fenced_delete AFTER DELETE ON later
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;

-- When an account next has something that is kept for a time only: its trash, and its entries in the ledger.
ALTER TABLE users ADD COLUMN purge_at TEXT;
CREATE INDEX users_purge_at_idx ON users (purge_at) WHERE purge_at IS NOT NULL;
UPDATE users SET purge_at = created_at WHERE NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = users.number AND is_fenced);

CREATE TRIGGER documents_trashed AFTER UPDATE OF trashed_at ON documents WHEN new.trashed_at IS NOT NULL
BEGIN
  UPDATE users SET purge_at = strftime('%Y-%m-%dT%H:%M:%fZ', new.trashed_at, '+30 days')
  WHERE number = new.owner
    AND coalesce(purge_at, '9') > strftime('%Y-%m-%dT%H:%M:%fZ', new.trashed_at, '+30 days');
END;
CREATE TRIGGER documents_created_trashed AFTER INSERT ON documents WHEN new.trashed_at IS NOT NULL
BEGIN
  UPDATE users SET purge_at = strftime('%Y-%m-%dT%H:%M:%fZ', new.trashed_at, '+30 days')
  WHERE number = new.owner
    AND coalesce(purge_at, '9') > strftime('%Y-%m-%dT%H:%M:%fZ', new.trashed_at, '+30 days');
END;
CREATE TRIGGER memories_trashed AFTER UPDATE OF trashed_at ON memories WHEN new.trashed_at IS NOT NULL
BEGIN
  UPDATE users SET purge_at = strftime('%Y-%m-%dT%H:%M:%fZ', new.trashed_at, '+30 days')
  WHERE number = new.owner
    AND coalesce(purge_at, '9') > strftime('%Y-%m-%dT%H:%M:%fZ', new.trashed_at, '+30 days');
END;
CREATE TRIGGER memories_created_trashed AFTER INSERT ON memories WHEN new.trashed_at IS NOT NULL
BEGIN
  UPDATE users SET purge_at = strftime('%Y-%m-%dT%H:%M:%fZ', new.trashed_at, '+30 days')
  WHERE number = new.owner
    AND coalesce(purge_at, '9') > strftime('%Y-%m-%dT%H:%M:%fZ', new.trashed_at, '+30 days');
END;
-- The first entry, and each 500th: by then there may be too many.
CREATE TRIGGER activity_counted AFTER INSERT ON activity WHEN new.number % 500 = 1
BEGIN
  UPDATE users SET purge_at = CASE WHEN new.number > 100000 THEN new.at
    ELSE strftime('%Y-%m-%dT%H:%M:%fZ', new.at, '+400 days') END
  WHERE number = new.owner AND coalesce(purge_at, '9') > CASE WHEN new.number > 100000 THEN new.at
    ELSE strftime('%Y-%m-%dT%H:%M:%fZ', new.at, '+400 days') END;
END;
