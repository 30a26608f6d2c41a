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
