-- Incremented whenever everything must sign in again: on a password change and "sign out everywhere".
-- Grants of MCP clients and the cookies of the pages contain the epoch in which they were issued.
ALTER TABLE users ADD COLUMN sign_in_epoch INTEGER NOT NULL DEFAULT 0;
