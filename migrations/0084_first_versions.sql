-- As in 0083, but the first version of a text is kept as long as the text is: it says who wrote it and when. Of more than 50
-- versions whose next one has the same text, the next one goes instead. Only a change of the text can make texts too old, and
-- only one of tags or folder the versions between them. LIMIT 1: otherwise SQLite looks for them twice.
DROP TRIGGER usage_document_changed;
CREATE TRIGGER usage_document_changed AFTER UPDATE OF title, content, tags, version, trashed_at ON documents BEGIN
  UPDATE usage SET documents = usage.documents + more.documents, bytes = usage.bytes + more.bytes
  FROM (SELECT (new.trashed_at IS NULL) - (old.trashed_at IS NULL) AS documents,
      (500 + octet_length(new.title) + coalesce(octet_length(new.content), 0) + octet_length(new.tags))
      - (500 + octet_length(old.title) + coalesce(octet_length(old.content), 0) + octet_length(old.tags))
      + coalesce((SELECT 500 + octet_length(title) + coalesce(octet_length(content), 0) + octet_length(tags)
        FROM document_versions WHERE document_id = new.id AND version = old.version AND old.version <> new.version), 0)
      - coalesce((SELECT sum(500 + octet_length(title) + coalesce(octet_length(content), 0) + octet_length(tags))
        FROM document_versions WHERE document_id = new.id AND version <= CASE
          WHEN old.version = (SELECT max(version) FROM document_versions WHERE document_id = new.id)
            AND old.version IS NOT (SELECT max(version) FROM document_versions WHERE document_id = new.id AND next_has_same_text = 1)
          THEN (SELECT version FROM document_versions WHERE document_id = new.id
            EXCEPT SELECT version FROM document_versions WHERE document_id = new.id AND next_has_same_text = 1
            ORDER BY version DESC LIMIT 1 OFFSET 50) END), 0)
      - coalesce((SELECT sum(500 + octet_length(title) + coalesce(octet_length(content), 0) + octet_length(tags))
        FROM document_versions WHERE document_id = new.id AND version IN (
          SELECT (SELECT min(n.version) FROM document_versions AS n WHERE n.document_id = new.id AND n.version > f.version)
          FROM document_versions AS f WHERE f.next_has_same_text = 1 AND f.document_id = CASE WHEN old.version = (
            SELECT max(version) FROM document_versions WHERE document_id = new.id AND next_has_same_text = 1) THEN new.id END
          ORDER BY f.version DESC LIMIT -1 OFFSET 50)), 0) AS bytes LIMIT 1) AS more
  WHERE owner = new.owner AND (more.documents <> 0 OR more.bytes <> 0);
  DELETE FROM document_versions WHERE document_id = new.id AND version <= CASE
    WHEN old.version = (SELECT max(version) FROM document_versions WHERE document_id = new.id)
      AND old.version IS NOT (SELECT max(version) FROM document_versions WHERE document_id = new.id AND next_has_same_text = 1)
    THEN (SELECT version FROM document_versions WHERE document_id = new.id
      EXCEPT SELECT version FROM document_versions WHERE document_id = new.id AND next_has_same_text = 1
      ORDER BY version DESC LIMIT 1 OFFSET 50) END;
  DELETE FROM document_versions WHERE document_id = new.id AND version IN (
    SELECT (SELECT min(n.version) FROM document_versions AS n WHERE n.document_id = new.id AND n.version > f.version)
    FROM document_versions AS f WHERE f.next_has_same_text = 1 AND f.document_id = CASE WHEN old.version = (
      SELECT max(version) FROM document_versions WHERE document_id = new.id AND next_has_same_text = 1) THEN new.id END
    ORDER BY f.version DESC LIMIT -1 OFFSET 50);
  -- Still more than 50: the oldest of them has lost the last version with its text.
  UPDATE document_versions SET next_has_same_text = 0 WHERE document_id = new.id AND version IN (
    SELECT f.version FROM document_versions AS f WHERE f.next_has_same_text = 1 AND f.document_id = CASE WHEN old.version = (
      SELECT max(version) FROM document_versions WHERE document_id = new.id AND next_has_same_text = 1) THEN new.id END
    ORDER BY f.version DESC LIMIT -1 OFFSET 50);
END;
