-- A browser's session has a cookie in place of refresh tokens. Only the hash of the cookie's secret is stored.
ALTER TABLE sessions ADD COLUMN cookie_hash TEXT;
CREATE UNIQUE INDEX sessions_cookie_hash_idx ON sessions (cookie_hash) WHERE cookie_hash IS NOT NULL;
