-- What somebody saves again and again in one sitting of writing is one change: its entry says which sitting, and when it
-- began. The states in between are not kept as versions, so the numbers of the versions that are kept have gaps.
ALTER TABLE activity ADD COLUMN sitting TEXT;
ALTER TABLE activity ADD COLUMN began TEXT;

-- As in 0027, but the last 50 versions are counted: their numbers no longer tell. Only a change that keeps a version can
-- make another one too old.
DROP TRIGGER usage_document_changed;
CREATE TRIGGER usage_document_changed AFTER UPDATE OF title, content, tags, version, trashed_at ON documents BEGIN
  UPDATE usage SET documents = usage.documents + more.documents, bytes = usage.bytes + more.bytes
  FROM (SELECT (new.trashed_at IS NULL) - (old.trashed_at IS NULL) AS documents,
      (500 + octet_length(new.title) + coalesce(octet_length(new.content), 0) + octet_length(new.tags))
      - (500 + octet_length(old.title) + coalesce(octet_length(old.content), 0) + octet_length(old.tags))
      + coalesce((SELECT 500 + octet_length(title) + coalesce(octet_length(content), 0) + octet_length(tags)
        FROM document_versions WHERE document_id = new.id AND version = old.version AND old.version <> new.version), 0)
      - coalesce((SELECT sum(500 + octet_length(title) + coalesce(octet_length(content), 0) + octet_length(tags))
        FROM document_versions WHERE document_id = new.id AND version < (SELECT v.version FROM document_versions AS v
          WHERE v.document_id = new.id ORDER BY v.version DESC LIMIT 1 OFFSET 49)), 0) AS bytes) AS more
  WHERE owner = new.owner AND (more.documents <> 0 OR more.bytes <> 0);
  DELETE FROM document_versions WHERE document_id = new.id AND version < (SELECT v.version FROM document_versions AS v
    WHERE v.document_id = new.id ORDER BY v.version DESC LIMIT 1 OFFSET 49);
END;
