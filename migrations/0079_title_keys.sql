-- Tools take a title for the id of a document, whatever the case of its letters (src/contract/name-key.ts). The index of titles
-- folds ASCII only, so titles beyond printable ASCII and those with spaces around them have a key (titleKey in
-- src/features/documents/title-key.ts), long ones ''. Titles of earlier versions have none until the cron handler has written it; until
-- then they are found as they are spelled.
ALTER TABLE documents ADD COLUMN title_key TEXT;
CREATE INDEX documents_title_key_idx ON documents (owner, title_key) WHERE title_key IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX documents_keyless_idx ON documents (owner)
  WHERE title_key IS NULL AND (title GLOB '*[^ -~]*' OR title <> trim(title));
