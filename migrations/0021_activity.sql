-- The ledger: one row for each change of a document, memory record or folder, written in the transaction of the change.

-- number: counts the changes of an owner without gaps. It is assigned in the transaction, and transactions are serial, so
-- whoever has read up to a number misses nothing before it. The row with the highest number is never deleted.
-- version_before, version_after: null for a folder; version_before is null for a creation. The same number in both: no new
-- version, as for the trash.
-- title: that of the record after the change; null once the record is erased. state: what a folder was before.
-- has_event: whether the event of a memory record leads here, so that no index has to.
-- undoes, undone_by: the numbers of the change that this one undid, and of the one that undid this one.
CREATE TABLE activity (
  owner INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at TEXT NOT NULL,
  actor TEXT NOT NULL CHECK (actor IN ('person', 'api_key', 'assistant', 'import', 'service')),
  actor_id TEXT,
  client_name TEXT,
  source_type TEXT,
  verb TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('document', 'memory', 'folder')),
  record TEXT NOT NULL,
  version_before INTEGER,
  version_after INTEGER,
  title TEXT,
  state TEXT,
  has_event INTEGER NOT NULL,
  undoes INTEGER,
  undone_by INTEGER,
  PRIMARY KEY (owner, number)
) WITHOUT ROWID;
CREATE INDEX activity_record_idx ON activity (owner, kind, record, number) WHERE NOT has_event;

-- state: the versions of a memory record: what it was before each of its last events. activity: the event's row there.
ALTER TABLE memory_events ADD COLUMN state TEXT;
ALTER TABLE memory_events ADD COLUMN activity INTEGER;

-- Documents at the top level need no entry here: a list of them reads the index of all documents.
DROP INDEX documents_owner_folder_id_idx;
CREATE INDEX documents_owner_folder_id_idx ON documents (owner, folder_id, updated_at, id)
  WHERE trashed_at IS NULL AND folder_id IS NOT NULL;
