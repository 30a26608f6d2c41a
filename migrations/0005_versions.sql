-- Versions and trash of documents; accounts being erased.

-- writer_*: who wrote the current version. source_type stays that of the document's creator.
-- trashed_at: when it was moved to the trash; null otherwise. A trashed document has no rows in the tag and search
-- tables, but keeps its own data, and is in none of the partial indexes of active documents.
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
-- All documents, including trashed ones, in a stable order for exports and erasures.
CREATE INDEX documents_owner_id_idx ON documents (owner, id);

-- The last 50 versions of a document before the current one. created_at: when that version was written.
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

-- When the erasure of an account started; its e-mail can be registered again from then on.
ALTER TABLE users ADD COLUMN deleted_at TEXT;
CREATE INDEX users_deleted_at_idx ON users (deleted_at) WHERE deleted_at IS NOT NULL;

-- An import: the file is received in pieces of whole lines, validated once, and only then applied. `piece` and `line` are
-- the cursor, which moves in the same transaction as the applied lines. `state` is what the next step needs to know.
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
