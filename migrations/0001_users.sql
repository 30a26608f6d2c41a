-- `number` is the owner in every other table and the prefix of every indexed word; AUTOINCREMENT never
-- reuses a deleted user's number.
CREATE TABLE users (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  name TEXT,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
  timezone TEXT NOT NULL,
  stale_after_days TEXT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE subscriptions (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL UNIQUE REFERENCES users (number),
  plan_tier TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  billing_interval TEXT,
  trial_ends_at TEXT,
  current_period_end TEXT,
  canceled_at TEXT
);

CREATE TABLE sessions (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  user_agent TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT
);
CREATE INDEX sessions_owner_idx ON sessions (owner);
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);

-- One row per token ever issued in an active session: the reuse of an old one is treated as theft.
CREATE TABLE refresh_tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  expires_at TEXT NOT NULL,
  rotated_at TEXT
);
CREATE INDEX refresh_tokens_session_id_idx ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_expires_at_idx ON refresh_tokens (expires_at);
