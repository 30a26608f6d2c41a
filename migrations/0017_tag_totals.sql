-- How many documents carry each tag, kept by triggers, so that a list of tags reads as many rows as there are tags.
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

-- A tag exists as long as a document carries it. Of the two statements only one finds a row.
CREATE TRIGGER document_tags_uncounted AFTER DELETE ON document_tags BEGIN
  DELETE FROM tag_totals WHERE owner = old.owner AND tag = old.tag AND documents = 1;
  UPDATE tag_totals SET documents = documents - 1 WHERE owner = old.owner AND tag = old.tag AND documents > 1;
END;
