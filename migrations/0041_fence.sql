-- Each write of a row asks the fence of 0033 for its account (src/moving/). A table without a rowid finds that nobody is
-- there in its key, without reading a row, which the table of 0033 could not. The triggers stay as they are: while the table
-- is missing, they refuse everything.

CREATE TABLE moves_before AS SELECT * FROM moves;
DROP TABLE moves;

-- An account that is leaving this home, arriving in it, or was here. The last kind stays: credentials that name this home are
-- led on by it.
CREATE TABLE moves (
  -- The account's number here. Numbers are never used again.
  owner INTEGER NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- 'leaving': it is being copied from here. 'arriving': to here. 'arrived': the copy here is the account. 'left': the
  -- account is in the other home. 'dropped': a copy that was given up.
  state TEXT NOT NULL CHECK (state IN ('leaving', 'arriving', 'arrived', 'left', 'dropped')),
  -- The other home, and the account's number there once it has left.
  home INTEGER NOT NULL,
  number INTEGER,
  -- How far the copy is.
  progress TEXT,
  -- 1: nobody but the move may change the account's rows.
  is_fenced INTEGER NOT NULL,
  -- When the move last went on.
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO moves (owner, user_id, state, home, number, progress, is_fenced, at)
  SELECT owner, user_id, state, home, number, progress, is_fenced, at FROM moves_before;
DROP TABLE moves_before;
CREATE INDEX moves_user_id_idx ON moves (user_id);
CREATE INDEX moves_at_idx ON moves (at) WHERE is_fenced OR state = 'arrived';

-- For the erasure of an account that was moved.
CREATE INDEX moved_secrets_owner_idx ON moved_secrets (owner);
