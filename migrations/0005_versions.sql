-- Versions and trash of documents; accounts that are being erased.

-- writer_*: who wrote the current version. source_type stays where the document first came from.
-- trashed_at: since when it is in the trash; null while it lives. A trashed document has no tags and no search
-- entry in their tables, keeps both in itself, and is in none of the partial indexes of the living.
ALTER TABLE documents ADD COLUMN writer_source_type TEXT;
ALTER TABLE documents ADD COLUMN writer_client_name TEXT;
ALTER TABLE documents ADD COLUMN trashed_at TEXT;

DROP INDEX documents_owner_updated_at_idx;
DROP INDEX documents_owner_created_at_idx;
DROP INDEX documents_owner_title_idx;
DROP INDEX documents_owner_folder_id_idx;
CREATE INDEX documents_owner_updated_at_idx ON documents (owner, updated_at, id) WHERE trashed_at IS NULL;
CREATE INDEX documents_owner_created_at_idx ON documents (owner, created_at, id) WHERE trashed_at IS NULL;
CREATE INDEX documents_owner_title_idx ON documents (owner, title COLLATE NOCASE, id) WHERE trashed_at IS NULL;
CREATE INDEX documents_owner_folder_id_idx ON documents (owner, folder_id, updated_at, id) WHERE trashed_at IS NULL;
CREATE INDEX documents_owner_trashed_at_idx ON documents (owner, trashed_at, id) WHERE trashed_at IS NOT NULL;
CREATE INDEX documents_trashed_at_idx ON documents (trashed_at) WHERE trashed_at IS NOT NULL;
-- The living and the trashed in an order that nothing changes: an export and an erasure walk along it.
CREATE INDEX documents_owner_id_idx ON documents (owner, id);

-- The states that a document had before its current one, the last 50. created_at: when that state was written.
CREATE TABLE document_versions (
  document_id TEXT NOT NULL REFERENCES documents (id),
  version INTEGER NOT NULL,
  owner INTEGER NOT NULL,
  title TEXT NOT NULL,
  content TEXT,
  tags TEXT NOT NULL,
  folder_id TEXT,
  source_type TEXT NOT NULL,
  client_name TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (document_id, version)
);

-- Since when an account is being erased; its e-mail is free from that moment on.
ALTER TABLE users ADD COLUMN deleted_at TEXT;
CREATE INDEX users_deleted_at_idx ON users (deleted_at) WHERE deleted_at IS NOT NULL;

-- An import: the file is received in pieces of whole lines, read through once, and only then applied. `piece` and
-- `line` say how far; they move in the transaction of what was applied. `state` is what the next step has to know.
CREATE TABLE imports (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  mode TEXT NOT NULL,
  dry_run INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('uploading', 'applying', 'done')),
  received INTEGER NOT NULL,
  pieces INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  line INTEGER NOT NULL,
  state TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX imports_owner_idx ON imports (owner, created_at);
CREATE INDEX imports_updated_at_idx ON imports (updated_at);

CREATE TABLE import_pieces (
  import_id TEXT NOT NULL REFERENCES imports (id),
  number INTEGER NOT NULL,
  owner INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (import_id, number)
);
