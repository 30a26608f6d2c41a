-- When each MCP client last called, to the hour. Grants themselves are in KV, where a write per call would cost more.
CREATE TABLE connection_uses (
  owner INTEGER NOT NULL REFERENCES users (number),
  grant_id TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  PRIMARY KEY (owner, grant_id)
) WITHOUT ROWID;
CREATE INDEX connection_uses_last_used_at_idx ON connection_uses (last_used_at);
