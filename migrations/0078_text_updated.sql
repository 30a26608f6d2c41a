-- documents.changed_at: when its title or content was last changed. updated_at moves with its tags and folder as well.
ALTER TABLE documents ADD COLUMN changed_at TEXT NOT NULL DEFAULT '';
-- The same of an earlier version. Null in those that were kept before this column: then it is the time of the version.
ALTER TABLE document_versions ADD COLUMN changed_at TEXT;

-- As far as the versions that are kept know it: the time of the first one since the last that said something else.
-- The rows of an account that is being moved are filled as well, so its fence is away meanwhile.
DROP TRIGGER documents_fenced_update;
-- The largest rows may have no room for it beside their excerpt, which the cron handler writes again.
UPDATE documents SET excerpt = NULL WHERE octet_length(content) > 1990000;
UPDATE documents SET changed_at = max(created_at, min(updated_at, coalesce(
  (SELECT v.created_at FROM document_versions AS v
    WHERE v.document_id = documents.id AND v.version > coalesce(
      (SELECT o.version FROM document_versions AS o
        WHERE o.document_id = documents.id AND (o.title <> documents.title
          OR octet_length(o.content) IS NOT octet_length(documents.content) OR o.content IS NOT documents.content)
        ORDER BY o.version DESC LIMIT 1), 0)
    ORDER BY v.version LIMIT 1),
  updated_at)));
CREATE TRIGGER documents_fenced_update AFTER UPDATE ON documents
WHEN EXISTS (SELECT 1 FROM moves WHERE moves.owner = new.owner AND is_fenced)
BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;

-- A Worker of the release before, which may go on while this one is deployed, does not write the column.
CREATE TRIGGER documents_changed_at AFTER INSERT ON documents WHEN new.changed_at = '' BEGIN
  UPDATE documents SET changed_at = new.updated_at WHERE id = new.id;
END;
CREATE TRIGGER documents_text_changed AFTER UPDATE OF title, content ON documents
WHEN new.changed_at = old.changed_at AND new.updated_at > old.updated_at
  AND (new.title <> old.title OR new.content IS NOT old.content)
BEGIN
  UPDATE documents SET changed_at = new.updated_at WHERE id = new.id;
END;

-- Lists are sorted by it. Within a folder, and among the documents with tasks, another order sorts what is
-- counted anyway (features/documents/list-store.ts).
CREATE INDEX documents_owner_changed_at_idx ON documents (owner, changed_at, id) WHERE trashed_at IS NULL;
DROP INDEX documents_owner_folder_id_idx;
CREATE INDEX documents_owner_folder_id_idx ON documents (owner, folder_id, changed_at, id)
  WHERE trashed_at IS NULL AND folder_id IS NOT NULL;
DROP INDEX documents_with_tasks_idx;
CREATE INDEX documents_with_tasks_idx ON documents (owner, open_tasks > 0, changed_at, id)
  WHERE open_tasks + done_tasks > 0 AND trashed_at IS NULL;
