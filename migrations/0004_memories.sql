-- Memory records, their events, and the counters of the dashboard.

-- Ids are assigned before a record is written, so that its search entry and events can be in the same transaction.
CREATE TABLE memory_ids (next INTEGER NOT NULL) STRICT;
INSERT INTO memory_ids (next) VALUES (1);

-- closed_at: when the record last left `active`; null while it is active.
-- touched_at: the start of the staleness period: the last change or confirmation, or the day on which it wakes.
-- A deferred record whose deferred_until has come is treated as active everywhere; the cron handler only stores what
-- every query already returns. Waking increments the version, but does not change updated_at.
CREATE TABLE memories (
  id INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL REFERENCES users (number),
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
  CHECK ((status = 'active') = (closed_at IS NULL)),
  CHECK ((status = 'resolved') = (resolved_at IS NOT NULL))
);
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

CREATE TABLE memory_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner INTEGER NOT NULL,
  memory_id INTEGER NOT NULL REFERENCES memories (id),
  event TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  note TEXT,
  source_type TEXT,
  client_name TEXT,
  at TEXT NOT NULL
);
CREATE INDEX memory_events_memory_id_idx ON memory_events (memory_id, id);

-- The tags in `memories.tags`, one row each, for filters.
CREATE TABLE memory_tags (
  owner INTEGER NOT NULL,
  tag TEXT NOT NULL,
  memory_id INTEGER NOT NULL,
  PRIMARY KEY (owner, tag, memory_id)
) WITHOUT ROWID;
CREATE INDEX memory_tags_memory_id_idx ON memory_tags (memory_id);

-- How many records of each kind a user has, by project; project '' stands for all projects, scope '' for none.
-- resolved_seconds is the total time from creation to resolution.
CREATE TABLE memory_totals (
  owner INTEGER NOT NULL,
  project TEXT NOT NULL,
  scope TEXT NOT NULL,
  memory_type TEXT NOT NULL,
  active INTEGER NOT NULL,
  deferred INTEGER NOT NULL,
  resolved INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  resolved_seconds INTEGER NOT NULL,
  PRIMARY KEY (owner, project, scope, memory_type)
) STRICT, WITHOUT ROWID;

-- The secret token of a user's calendar feed.
CREATE TABLE calendar_tokens (
  owner INTEGER NOT NULL PRIMARY KEY REFERENCES users (number),
  hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
);

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
  DELETE FROM memory_tags WHERE memory_id = old.id;
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
  DELETE FROM memory_tags WHERE memory_id = old.id;
  INSERT INTO memory_tags (owner, tag, memory_id) SELECT DISTINCT new.owner, value, new.id FROM json_each(new.tags);
END;
