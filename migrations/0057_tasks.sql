-- How many tasks of a document's text are open and how many are done (src/contract/markdown/tasks.ts), for filters. They are
-- written with the text, and null for the documents that are there already until the cron handler has counted them.
ALTER TABLE documents ADD COLUMN open_tasks INTEGER;
ALTER TABLE documents ADD COLUMN done_tasks INTEGER;
CREATE INDEX documents_uncounted_idx ON documents (owner) WHERE open_tasks IS NULL;
