-- Links in properties are links as well. The Worker of the release before would write links without them, so the cron handler
-- writes those of each of these accounts once more when that Worker has ended: an hour after this.
ALTER TABLE users ADD COLUMN has_unread_properties INTEGER;
UPDATE users SET has_unread_properties = 1 WHERE EXISTS (SELECT 1 FROM documents WHERE documents.owner = users.number)
  AND NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = users.number AND is_fenced);
CREATE INDEX users_unread_properties_idx ON users (has_unread_properties) WHERE has_unread_properties IS NOT NULL;
