CREATE TABLE folders (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  name TEXT NOT NULL,
  parent_id TEXT REFERENCES folders (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX folders_owner_parent_id_idx ON folders (owner, parent_id);
CREATE INDEX folders_parent_id_idx ON folders (parent_id);

CREATE TABLE documents (
  id TEXT NOT NULL PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
  title TEXT NOT NULL,
  content TEXT,
  tags TEXT NOT NULL,
  folder_id TEXT REFERENCES folders (id),
  source_type TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX documents_owner_updated_at_idx ON documents (owner, updated_at, id);
CREATE INDEX documents_owner_created_at_idx ON documents (owner, created_at, id);
CREATE INDEX documents_owner_title_idx ON documents (owner, title COLLATE NOCASE, id);
CREATE INDEX documents_owner_folder_id_idx ON documents (owner, folder_id, updated_at, id);
CREATE INDEX documents_folder_id_idx ON documents (folder_id);

-- The tags in `documents.tags`, one row each, for filters and counts.
CREATE TABLE document_tags (
  owner INTEGER NOT NULL,
  tag TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES documents (id),
  PRIMARY KEY (owner, tag, document_id)
) WITHOUT ROWID;
CREATE INDEX document_tags_document_id_idx ON document_tags (document_id);

-- Answers to requests with an Idempotency-Key, kept for 24 hours.
CREATE TABLE idempotency_keys (
  owner INTEGER NOT NULL REFERENCES users (number),
  route TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (owner, route, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);
