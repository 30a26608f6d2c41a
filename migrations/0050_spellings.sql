-- Projects and tags are compared whatever the case of their letters (src/core/name-key.ts). Only names that may be written in
-- other ways than their key are listed here: one of ASCII letters in lower case is its own key.
CREATE TABLE spellings (
  owner INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('project', 'tag')),
  name TEXT NOT NULL,
  -- '' until the Worker has written it: SQLite folds ASCII only. Until then, src/core/spellings.ts compares the name itself.
  key TEXT NOT NULL,
  PRIMARY KEY (owner, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX spellings_key_idx ON spellings (owner, kind, key, name);
CREATE INDEX spellings_keyless_idx ON spellings (owner, kind, name) WHERE key = '';

INSERT INTO spellings (owner, kind, name, key)
  SELECT DISTINCT owner, 'project', project, iif(length(project) = octet_length(project), lower(project), '')
  FROM memory_totals WHERE project <> lower(project) OR length(project) <> octet_length(project);
INSERT INTO spellings (owner, kind, name, key)
  SELECT owner, 'tag', tag, iif(length(tag) = octet_length(tag), lower(tag), '')
  FROM (SELECT owner, tag FROM tag_totals UNION SELECT owner, tag FROM memory_tags)
  WHERE tag <> lower(tag) OR length(tag) <> octet_length(tag);

-- A name is listed as long as a record or document outside of the trash has it.
CREATE TRIGGER memory_totals_spelled AFTER INSERT ON memory_totals
WHEN new.project <> lower(new.project) OR length(new.project) <> octet_length(new.project)
BEGIN
  INSERT INTO spellings (owner, kind, name, key) VALUES (new.owner, 'project', new.project,
    iif(length(new.project) = octet_length(new.project), lower(new.project), ''))
  ON CONFLICT (owner, kind, name) DO NOTHING;
END;
CREATE TRIGGER memory_totals_unspelled AFTER DELETE ON memory_totals
WHEN old.project <> lower(old.project) OR length(old.project) <> octet_length(old.project)
BEGIN
  DELETE FROM spellings WHERE owner = old.owner AND kind = 'project' AND name = old.project
    AND NOT EXISTS (SELECT 1 FROM memory_totals WHERE owner = old.owner AND project = old.project);
END;

CREATE TRIGGER tag_totals_spelled AFTER INSERT ON tag_totals
WHEN new.tag <> lower(new.tag) OR length(new.tag) <> octet_length(new.tag)
BEGIN
  INSERT INTO spellings (owner, kind, name, key) VALUES (new.owner, 'tag', new.tag,
    iif(length(new.tag) = octet_length(new.tag), lower(new.tag), ''))
  ON CONFLICT (owner, kind, name) DO NOTHING;
END;
CREATE TRIGGER tag_totals_unspelled AFTER DELETE ON tag_totals
WHEN old.tag <> lower(old.tag) OR length(old.tag) <> octet_length(old.tag)
BEGIN
  DELETE FROM spellings WHERE owner = old.owner AND kind = 'tag' AND name = old.tag
    AND NOT EXISTS (SELECT 1 FROM memory_tags WHERE owner = old.owner AND tag = old.tag);
END;

CREATE TRIGGER memory_tags_spelled AFTER INSERT ON memory_tags
WHEN new.tag <> lower(new.tag) OR length(new.tag) <> octet_length(new.tag)
BEGIN
  INSERT INTO spellings (owner, kind, name, key) VALUES (new.owner, 'tag', new.tag,
    iif(length(new.tag) = octet_length(new.tag), lower(new.tag), ''))
  ON CONFLICT (owner, kind, name) DO NOTHING;
END;
CREATE TRIGGER memory_tags_unspelled AFTER DELETE ON memory_tags
WHEN old.tag <> lower(old.tag) OR length(old.tag) <> octet_length(old.tag)
BEGIN
  DELETE FROM spellings WHERE owner = old.owner AND kind = 'tag' AND name = old.tag
    AND NOT EXISTS (SELECT 1 FROM memory_tags WHERE owner = old.owner AND tag = old.tag)
    AND NOT EXISTS (SELECT 1 FROM tag_totals WHERE owner = old.owner AND tag = old.tag);
END;
