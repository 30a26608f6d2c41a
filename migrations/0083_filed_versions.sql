-- Whether the next version has the same title and content: moving and tagging a document are no new version of its text, and
-- make none too old. Versions of earlier releases count as texts.
ALTER TABLE document_versions ADD COLUMN next_has_same_text INTEGER NOT NULL DEFAULT 0;
-- The column stands behind the content, which would have to be read to reach it.
CREATE INDEX document_versions_filed_idx ON document_versions (document_id, version) WHERE next_has_same_text = 1;

-- As in 0056, but the last 50 texts are kept, and of the versions in between the last 50.
DROP TRIGGER usage_document_changed;
CREATE TRIGGER usage_document_changed AFTER UPDATE OF title, content, tags, version, trashed_at ON documents BEGIN
  UPDATE usage SET documents = usage.documents + more.documents, bytes = usage.bytes + more.bytes
  FROM (SELECT (new.trashed_at IS NULL) - (old.trashed_at IS NULL) AS documents,
      (500 + octet_length(new.title) + coalesce(octet_length(new.content), 0) + octet_length(new.tags))
      - (500 + octet_length(old.title) + coalesce(octet_length(old.content), 0) + octet_length(old.tags))
      + coalesce((SELECT 500 + octet_length(title) + coalesce(octet_length(content), 0) + octet_length(tags)
        FROM document_versions WHERE document_id = new.id AND version = old.version AND old.version <> new.version), 0)
      - coalesce((SELECT sum(500 + octet_length(title) + coalesce(octet_length(content), 0) + octet_length(tags))
        FROM document_versions WHERE document_id = new.id AND version IN (
    SELECT v.version FROM document_versions AS v WHERE v.document_id = new.id AND v.version < (
      SELECT t.version FROM document_versions AS t WHERE t.document_id = new.id AND t.version NOT IN (
        SELECT f.version FROM document_versions AS f WHERE f.document_id = new.id AND f.next_has_same_text = 1)
      ORDER BY t.version DESC LIMIT 1 OFFSET 49)
    UNION SELECT version FROM (SELECT f.version FROM document_versions AS f
      WHERE f.document_id = new.id AND f.next_has_same_text = 1 ORDER BY f.version DESC LIMIT -1 OFFSET 50))), 0) AS bytes) AS more
  WHERE owner = new.owner AND (more.documents <> 0 OR more.bytes <> 0);
  DELETE FROM document_versions WHERE document_id = new.id AND version IN (
    SELECT v.version FROM document_versions AS v WHERE v.document_id = new.id AND v.version < (
      SELECT t.version FROM document_versions AS t WHERE t.document_id = new.id AND t.version NOT IN (
        SELECT f.version FROM document_versions AS f WHERE f.document_id = new.id AND f.next_has_same_text = 1)
      ORDER BY t.version DESC LIMIT 1 OFFSET 49)
    UNION SELECT version FROM (SELECT f.version FROM document_versions AS f
      WHERE f.document_id = new.id AND f.next_has_same_text = 1 ORDER BY f.version DESC LIMIT -1 OFFSET 50));
END;
