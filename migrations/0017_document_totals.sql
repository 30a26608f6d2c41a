-- The number of documents with each tag, and of those in each folder that are not in the trash, maintained by triggers,
-- so that a list reads only as many rows as it shows. A total of zero has no row, so only one of the two statements
-- that count down matches a row.
CREATE TABLE tag_totals (
  owner INTEGER NOT NULL,
  tag TEXT NOT NULL,
  documents INTEGER NOT NULL,
  PRIMARY KEY (owner, tag)
) WITHOUT ROWID;

INSERT INTO tag_totals (owner, tag, documents) SELECT owner, tag, count(*) FROM document_tags GROUP BY owner, tag;

CREATE TRIGGER document_tags_counted AFTER INSERT ON document_tags BEGIN
  INSERT INTO tag_totals (owner, tag, documents) VALUES (new.owner, new.tag, 1)
  ON CONFLICT (owner, tag) DO UPDATE SET documents = documents + 1;
END;

CREATE TRIGGER document_tags_uncounted AFTER DELETE ON document_tags BEGIN
  DELETE FROM tag_totals WHERE owner = old.owner AND tag = old.tag AND documents = 1;
  UPDATE tag_totals SET documents = documents - 1 WHERE owner = old.owner AND tag = old.tag AND documents > 1;
END;

CREATE TABLE folder_totals (
  folder_id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL,
  documents INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO folder_totals (folder_id, owner, documents)
SELECT folder_id, owner, count(*) FROM documents
WHERE folder_id IS NOT NULL AND trashed_at IS NULL GROUP BY folder_id, owner;

CREATE TRIGGER documents_counted AFTER INSERT ON documents WHEN new.folder_id IS NOT NULL AND new.trashed_at IS NULL BEGIN
  INSERT INTO folder_totals (folder_id, owner, documents) VALUES (new.folder_id, new.owner, 1)
  ON CONFLICT (folder_id) DO UPDATE SET documents = documents + 1;
END;

CREATE TRIGGER documents_uncounted AFTER DELETE ON documents WHEN old.folder_id IS NOT NULL AND old.trashed_at IS NULL BEGIN
  DELETE FROM folder_totals WHERE folder_id = old.folder_id AND documents = 1;
  UPDATE folder_totals SET documents = documents - 1 WHERE folder_id = old.folder_id AND documents > 1;
END;

CREATE TRIGGER documents_recounted AFTER UPDATE OF folder_id, trashed_at ON documents
WHEN iif(new.trashed_at IS NULL, new.folder_id, NULL) IS NOT iif(old.trashed_at IS NULL, old.folder_id, NULL) BEGIN
  DELETE FROM folder_totals WHERE folder_id = old.folder_id AND old.trashed_at IS NULL AND documents = 1;
  UPDATE folder_totals SET documents = documents - 1
  WHERE folder_id = old.folder_id AND old.trashed_at IS NULL AND documents > 1;
  INSERT INTO folder_totals (folder_id, owner, documents) SELECT new.folder_id, new.owner, 1
  WHERE new.folder_id IS NOT NULL AND new.trashed_at IS NULL
  ON CONFLICT (folder_id) DO UPDATE SET documents = documents + 1;
END;
