-- Only the hash of a key is stored; `hint` is its beginning, by which its owner can tell keys apart.
CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  name TEXT NOT NULL,
  hint TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used_at TEXT
);
CREATE INDEX api_keys_owner_idx ON api_keys (owner, created_at);
CREATE INDEX api_keys_expires_at_idx ON api_keys (expires_at);
