-- When somebody showed that they read the account's mail. Accounts from before are taken as they are.
ALTER TABLE users ADD COLUMN email_verified_at TEXT;
UPDATE users SET email_verified_at = created_at;

-- What the program that signed in is called; sessions from before are named after their user agent.
ALTER TABLE sessions ADD COLUMN client_name TEXT;

-- The links in mails, of which only hashes are stored. `email` is the address that using the link gives the account, or
-- the one that it confirms.
CREATE TABLE email_links (
  hash TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  purpose TEXT NOT NULL CHECK (purpose IN ('reset', 'verify', 'change', 'undo')),
  email TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE INDEX email_links_owner_idx ON email_links (owner);
CREATE INDEX email_links_expires_at_idx ON email_links (expires_at);
-- An address stays reserved while its owner can still undo the change to another one.
CREATE INDEX email_links_undo_idx ON email_links (email) WHERE purpose = 'undo';

-- What happened to an account's security. Kept for 90 days.
CREATE TABLE security_events (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  event TEXT NOT NULL,
  detail TEXT,
  client_name TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX security_events_owner_idx ON security_events (owner, id);
CREATE INDEX security_events_created_at_idx ON security_events (created_at);

-- The second factor of passwords: an encrypted TOTP secret. It is asked for once it has been confirmed. `last_step` is
-- the time step of the last accepted code, which makes each code good for one sign-in.
CREATE TABLE second_factors (
  owner INTEGER NOT NULL PRIMARY KEY REFERENCES users (number),
  secret TEXT NOT NULL,
  created_at TEXT NOT NULL,
  confirmed_at TEXT,
  last_step INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE recovery_codes (
  owner INTEGER NOT NULL REFERENCES users (number),
  hash TEXT NOT NULL,
  PRIMARY KEY (owner, hash)
) WITHOUT ROWID;

CREATE TABLE passkeys (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  name TEXT NOT NULL,
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT
);
CREATE INDEX passkeys_owner_idx ON passkeys (owner);
-- Challenges that wait for an answer. An answer deletes its challenge, so none is good twice. `owner` is who adds a
-- passkey; signing in has none yet.
CREATE TABLE passkey_challenges (
  hash TEXT NOT NULL PRIMARY KEY,
  owner INTEGER REFERENCES users (number),
  expires_at TEXT NOT NULL
);
CREATE INDEX passkey_challenges_expires_at_idx ON passkey_challenges (expires_at);
CREATE INDEX passkey_challenges_owner_idx ON passkey_challenges (owner);
