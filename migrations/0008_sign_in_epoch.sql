-- Goes up whenever everything that was ever signed in has to sign in again: a password change, "sign out everywhere".
-- Grants of MCP clients and the cookies of the pages carry the number under which they were given.
ALTER TABLE users ADD COLUMN sign_in_epoch INTEGER NOT NULL DEFAULT 0;
