-- The first words of a document, for lists: its content is longer than a list should read (src/contract/markdown/excerpt.ts).
-- Documents of an earlier version have none until the cron handler has written it.
ALTER TABLE documents ADD COLUMN excerpt TEXT;

-- The document up to whose id it has done so for an account; NULL once it has done all.
ALTER TABLE users ADD COLUMN excerpts_after TEXT;
UPDATE users SET excerpts_after = '' WHERE NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = users.number AND is_fenced);
CREATE INDEX users_excerpts_after_idx ON users (excerpts_after) WHERE excerpts_after IS NOT NULL;
