-- Lists of the documents with tasks read those and no others. Documents without tasks have no entry here.
CREATE INDEX documents_with_tasks_idx ON documents (owner, open_tasks > 0, updated_at, id)
  WHERE open_tasks + done_tasks > 0 AND trashed_at IS NULL;
