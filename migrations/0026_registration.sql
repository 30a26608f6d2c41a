-- Links with which an account can be created where registration is not open: invitations, and the link that sets up the
-- first account, the admin's. Only hashes of their codes are stored; using a link deletes it.
CREATE TABLE registration_links (
  hash TEXT NOT NULL PRIMARY KEY,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
  -- The only address that can use the link; NULL for any.
  email TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
);

-- What the operator has decided at run time.
CREATE TABLE settings (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

-- Closed by the operator: nobody can sign in, and nothing is deleted.
ALTER TABLE users ADD COLUMN closed_at TEXT;
