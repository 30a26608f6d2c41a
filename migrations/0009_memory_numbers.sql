-- Memory records are numbered per owner: 1, 2, 3 … for each user. Every existing record keeps its number.

-- The last number that the service assigned to a record of this user. It only increases, so no number is used twice.
-- Until now one counter served all users, and deleted records left no trace: a user continues from that counter or, if an
-- import had raised it, from their own highest number. 2^32 leaves room below 2^40, from where numbers are reserved for
-- imports.
ALTER TABLE users ADD COLUMN last_memory_id INTEGER NOT NULL DEFAULT 0;
UPDATE users SET last_memory_id = iif(
  (SELECT next FROM memory_ids) - 1 <= 4294967296,
  (SELECT next FROM memory_ids) - 1,
  (SELECT coalesce(max(id), 0) FROM memories WHERE owner = users.number AND id <= 4294967296));
DROP TABLE memory_ids;

-- closed_at: when the record last left `active`; null while it is active.
-- touched_at: the start of the staleness period: the last change or confirmation, or the day on which it wakes.
-- A deferred record whose deferred_until has come is treated as active everywhere; the cron handler only stores what
-- every query already returns. Waking increments the version, but does not change updated_at.
CREATE TABLE memories_by_owner (
  owner INTEGER NOT NULL REFERENCES users (number),
  id INTEGER NOT NULL,
  memory_type TEXT NOT NULL
    CHECK (memory_type IN ('commitment', 'decision', 'blocker', 'pattern', 'preference', 'context')),
  topic TEXT NOT NULL,
  content TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'deferred', 'resolved', 'archived')),
  scope TEXT CHECK (scope IN ('personal', 'work')),
  project TEXT CHECK (project <> ''),
  tags TEXT NOT NULL,
  due_date TEXT,
  deferred_until TEXT,
  document_id TEXT REFERENCES documents (id) ON DELETE SET NULL,
  supersedes_id INTEGER,
  superseded_by_id INTEGER,
  resolved_at TEXT,
  resolution_note TEXT,
  last_confirmed_at TEXT,
  source_type TEXT NOT NULL,
  client_name TEXT,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  closed_at TEXT,
  touched_at TEXT NOT NULL,
  PRIMARY KEY (owner, id),
  CHECK ((status = 'active') = (closed_at IS NULL)),
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL))
) WITHOUT ROWID;

INSERT INTO memories_by_owner (owner, id, memory_type, topic, content, status, scope, project, tags, due_date, deferred_until,
  document_id, supersedes_id, superseded_by_id, resolved_at, resolution_note, last_confirmed_at, source_type,
  client_name, version, created_at, updated_at, closed_at, touched_at)
SELECT owner, id, memory_type, topic, content, status, scope, project, tags, due_date, deferred_until,
  document_id, supersedes_id, superseded_by_id, resolved_at, resolution_note, last_confirmed_at, source_type,
  client_name, min(version, 2147483647), created_at, updated_at, closed_at, touched_at
FROM memories;

-- Event ids count within their record. An event may precede its record in the transaction that creates both.
CREATE TABLE memory_events_by_record (
  owner INTEGER NOT NULL,
  memory_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  event TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  note TEXT,
  source_type TEXT,
  client_name TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (owner, memory_id, id),
  FOREIGN KEY (owner, memory_id) REFERENCES memories_by_owner (owner, id) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;
INSERT INTO memory_events_by_record (owner, memory_id, id, event, from_status, to_status, note, source_type, client_name, at)
SELECT owner, memory_id, id, event, from_status, to_status, note, source_type, client_name, at FROM memory_events;

DROP TABLE memory_events;
DROP TABLE memories;
ALTER TABLE memories_by_owner RENAME TO memories;
ALTER TABLE memory_events_by_record RENAME TO memory_events;

DROP INDEX memory_tags_memory_id_idx;
CREATE INDEX memory_tags_memory_id_idx ON memory_tags (owner, memory_id);

CREATE INDEX memories_owner_updated_at_idx ON memories (owner, updated_at, id);
CREATE INDEX memories_owner_created_at_idx ON memories (owner, created_at, id);
CREATE INDEX memories_document_id_idx ON memories (document_id) WHERE document_id IS NOT NULL;

-- The two lists of the dashboard in order, with an index for every combination of filters: src/dashboard/store.ts derives
-- the index names from it. A record is in exactly one of the two halves. '~' sorts after every date.
CREATE INDEX memories_active_idx
  ON memories (owner, coalesce(due_date, '~'), created_at DESC, id DESC) WHERE status = 'active';
CREATE INDEX memories_active_scope_idx
  ON memories (owner, scope, coalesce(due_date, '~'), created_at DESC, id DESC) WHERE status = 'active';
CREATE INDEX memories_active_project_idx
  ON memories (owner, project, coalesce(due_date, '~'), created_at DESC, id DESC) WHERE status = 'active';
CREATE INDEX memories_active_memory_type_idx
  ON memories (owner, memory_type, coalesce(due_date, '~'), created_at DESC, id DESC) WHERE status = 'active';
CREATE INDEX memories_active_scope_project_idx
  ON memories (owner, scope, project, coalesce(due_date, '~'), created_at DESC, id DESC) WHERE status = 'active';
CREATE INDEX memories_active_scope_memory_type_idx
  ON memories (owner, scope, memory_type, coalesce(due_date, '~'), created_at DESC, id DESC) WHERE status = 'active';
CREATE INDEX memories_active_project_memory_type_idx
  ON memories (owner, project, memory_type, coalesce(due_date, '~'), created_at DESC, id DESC) WHERE status = 'active';
CREATE INDEX memories_active_scope_project_memory_type_idx
  ON memories (owner, scope, project, memory_type, coalesce(due_date, '~'), created_at DESC, id DESC) WHERE status = 'active';

CREATE INDEX memories_closed_idx
  ON memories (owner, status, closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_scope_idx
  ON memories (owner, scope, status, closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_project_idx
  ON memories (owner, project, status, closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_memory_type_idx
  ON memories (owner, memory_type, status, closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_scope_project_idx
  ON memories (owner, scope, project, status, closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_scope_memory_type_idx
  ON memories (owner, scope, memory_type, status, closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_project_memory_type_idx
  ON memories (owner, project, memory_type, status, closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_scope_project_memory_type_idx
  ON memories (owner, scope, project, memory_type, status, closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;

-- Only records without a due date can become stale.
CREATE INDEX memories_stale_idx
  ON memories (owner, memory_type, touched_at, created_at DESC, id DESC) WHERE status = 'active' AND due_date IS NULL;
CREATE INDEX memories_stale_scope_idx
  ON memories (owner, scope, memory_type, touched_at, created_at DESC, id DESC) WHERE status = 'active' AND due_date IS NULL;

-- Records waiting to be woken: of one user, and of all.
CREATE INDEX memories_deferred_idx ON memories (owner, deferred_until) WHERE status = 'deferred';
CREATE INDEX memories_wake_idx ON memories (deferred_until) WHERE status = 'deferred';

-- Finds an open record with the same content.
CREATE INDEX memories_open_topic_idx ON memories (owner, topic) WHERE status IN ('active', 'deferred');

CREATE TRIGGER memories_insert AFTER INSERT ON memories BEGIN
  INSERT INTO memory_totals
  SELECT new.owner, key.value, coalesce(new.scope, ''), new.memory_type, new.status = 'active',
    new.status = 'deferred', new.status = 'resolved', new.status = 'archived',
    CASE new.status WHEN 'resolved' THEN max(0, unixepoch(new.resolved_at) - unixepoch(new.created_at)) ELSE 0 END
  FROM (SELECT '' AS value UNION SELECT coalesce(new.project, '')) AS key WHERE true
  ON CONFLICT (owner, project, scope, memory_type) DO UPDATE SET
    active = active + excluded.active,
    deferred = deferred + excluded.deferred,
    resolved = resolved + excluded.resolved,
    archived = archived + excluded.archived,
    resolved_seconds = resolved_seconds + excluded.resolved_seconds;
  INSERT INTO memory_tags (owner, tag, memory_id) SELECT DISTINCT new.owner, value, new.id FROM json_each(new.tags);
END;

CREATE TRIGGER memories_delete AFTER DELETE ON memories BEGIN
  UPDATE memory_totals SET
    active = active - (old.status = 'active'),
    deferred = deferred - (old.status = 'deferred'),
    resolved = resolved - (old.status = 'resolved'),
    archived = archived - (old.status = 'archived'),
    resolved_seconds = resolved_seconds - CASE old.status
      WHEN 'resolved' THEN max(0, unixepoch(old.resolved_at) - unixepoch(old.created_at)) ELSE 0 END
  WHERE owner = old.owner AND project IN ('', coalesce(old.project, ''))
    AND scope = coalesce(old.scope, '') AND memory_type = old.memory_type;
  DELETE FROM memory_totals
  WHERE owner = old.owner AND project IN ('', coalesce(old.project, '')) AND scope = coalesce(old.scope, '')
    AND memory_type = old.memory_type AND active + deferred + resolved + archived = 0;
  DELETE FROM memory_tags WHERE owner = old.owner AND memory_id = old.id;
END;

CREATE TRIGGER memories_update AFTER UPDATE OF owner, status, project, scope, memory_type, resolved_at, created_at ON memories
WHEN (old.owner, old.status, old.project, old.scope, old.memory_type, old.resolved_at, old.created_at)
  IS NOT (new.owner, new.status, new.project, new.scope, new.memory_type, new.resolved_at, new.created_at)
BEGIN
  UPDATE memory_totals SET
    active = active - (old.status = 'active'),
    deferred = deferred - (old.status = 'deferred'),
    resolved = resolved - (old.status = 'resolved'),
    archived = archived - (old.status = 'archived'),
    resolved_seconds = resolved_seconds - CASE old.status
      WHEN 'resolved' THEN max(0, unixepoch(old.resolved_at) - unixepoch(old.created_at)) ELSE 0 END
  WHERE owner = old.owner AND project IN ('', coalesce(old.project, ''))
    AND scope = coalesce(old.scope, '') AND memory_type = old.memory_type;
  INSERT INTO memory_totals
  SELECT new.owner, key.value, coalesce(new.scope, ''), new.memory_type, new.status = 'active',
    new.status = 'deferred', new.status = 'resolved', new.status = 'archived',
    CASE new.status WHEN 'resolved' THEN max(0, unixepoch(new.resolved_at) - unixepoch(new.created_at)) ELSE 0 END
  FROM (SELECT '' AS value UNION SELECT coalesce(new.project, '')) AS key WHERE true
  ON CONFLICT (owner, project, scope, memory_type) DO UPDATE SET
    active = active + excluded.active,
    deferred = deferred + excluded.deferred,
    resolved = resolved + excluded.resolved,
    archived = archived + excluded.archived,
    resolved_seconds = resolved_seconds + excluded.resolved_seconds;
  DELETE FROM memory_totals
  WHERE owner = old.owner AND project IN ('', coalesce(old.project, '')) AND scope = coalesce(old.scope, '')
    AND memory_type = old.memory_type AND active + deferred + resolved + archived = 0;
END;

CREATE TRIGGER memories_tags_update AFTER UPDATE OF tags ON memories WHEN old.tags <> new.tags BEGIN
  DELETE FROM memory_tags WHERE owner = old.owner AND memory_id = old.id;
  INSERT INTO memory_tags (owner, tag, memory_id) SELECT DISTINCT new.owner, value, new.id FROM json_each(new.tags);
END;

-- Two users may have records with the same number, so the index includes the owner. Entries keep their ids, which are
-- the rowids of search_index.
CREATE TABLE search_entries_by_owner (
  entry INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('document', 'memory')),
  record TEXT NOT NULL,
  length INTEGER NOT NULL,
  index_version INTEGER NOT NULL,
  UNIQUE (owner, kind, record)
) STRICT;
INSERT INTO search_entries_by_owner (entry, owner, kind, record, length, index_version)
SELECT entry, owner, kind, record, length, index_version FROM search_entries;
DROP TABLE search_entries;
ALTER TABLE search_entries_by_owner RENAME TO search_entries;
CREATE INDEX search_entries_index_version_idx ON search_entries (index_version);
CREATE INDEX search_entries_owner_idx ON search_entries (owner, entry);

CREATE TRIGGER search_entries_insert AFTER INSERT ON search_entries BEGIN
  INSERT INTO search_totals (owner, kind, entries, length) VALUES (new.owner, new.kind, 1, new.length)
  ON CONFLICT (owner, kind) DO UPDATE SET entries = entries + 1, length = length + excluded.length;
END;

CREATE TRIGGER search_entries_update AFTER UPDATE OF length ON search_entries BEGIN
  UPDATE search_totals SET length = length - old.length + new.length
  WHERE owner = new.owner AND kind = new.kind;
END;

CREATE TRIGGER search_entries_delete AFTER DELETE ON search_entries BEGIN
  UPDATE search_totals SET entries = entries - 1, length = length - old.length
  WHERE owner = old.owner AND kind = old.kind;
  DELETE FROM search_index WHERE rowid = old.entry;
END;
