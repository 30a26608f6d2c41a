-- Links in properties are links as well, so the cron handler writes the links of each account once more.
UPDATE users SET links_after = '' WHERE EXISTS (SELECT 1 FROM documents WHERE documents.owner = users.number)
  AND NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = users.number AND is_fenced);
