-- Links between documents, as their texts have them: one row for each target of a document (src/shared/markdown/note-links.ts).
CREATE TABLE document_links (
  owner INTEGER NOT NULL,
  from_id TEXT NOT NULL,
  -- The key of the target, and of its last name, which is the title: `people/ada` and `ada`.
  target_key TEXT NOT NULL,
  name_key TEXT NOT NULL,
  -- A digest of its file name (nameDigest in src/shared/import/imported.ts), which an imported note may have besides its title.
  file_key INTEGER NOT NULL,
  target TEXT NOT NULL,
  -- The document that it leads to, also in the trash. None: NULL, or a document that has been erased.
  to_id TEXT,
  -- Position among the targets of the document.
  place INTEGER NOT NULL,
  -- The sentence in which it first stands.
  context TEXT NOT NULL,
  PRIMARY KEY (owner, from_id, target_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_links_to_idx ON document_links (owner, to_id, from_id) WHERE to_id IS NOT NULL;
-- What a new title is looked up in. Links that lead nowhere come first.
CREATE INDEX document_links_name_idx ON document_links (owner, name_key, to_id);
CREATE INDEX document_links_file_idx ON document_links (owner, file_key, to_id);

-- Other names of documents: `aliases` in their properties, and `file:` with the digest of the file that they come from.
CREATE TABLE document_aliases (
  owner INTEGER NOT NULL,
  key TEXT NOT NULL,
  document_id TEXT NOT NULL,
  PRIMARY KEY (owner, key, document_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_aliases_document_idx ON document_aliases (owner, document_id);

-- Rows that lead to an erased document stay: the next one of that name gets them.
CREATE TRIGGER documents_links_erased AFTER DELETE ON documents BEGIN
  DELETE FROM document_links WHERE owner = old.owner AND from_id = old.id;
  DELETE FROM document_aliases WHERE owner = old.owner AND document_id = old.id;
END;

CREATE TRIGGER document_links_fenced_insert AFTER INSERT ON document_links
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER document_links_fenced_update AFTER UPDATE ON document_links
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER document_links_fenced_delete AFTER DELETE ON document_links
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER document_aliases_fenced_insert AFTER INSERT ON document_aliases
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER document_aliases_fenced_update AFTER UPDATE ON document_aliases
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
CREATE TRIGGER document_aliases_fenced_delete AFTER DELETE ON document_aliases
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = old.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;

-- The document up to whose id the cron handler has written the links of an account; NULL once it has done all.
ALTER TABLE users ADD COLUMN links_after TEXT;
UPDATE users SET links_after = '' WHERE EXISTS (SELECT 1 FROM documents WHERE documents.owner = users.number)
  AND NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = users.number AND is_fenced);
CREATE INDEX users_links_after_idx ON users (links_after) WHERE links_after IS NOT NULL;
