-- Memory records have a trash, as documents do. trashed_at: when the record was moved there; null otherwise. It keeps its
-- status and its dates, so that restoring brings it back as it was; until then it is in no list, counter, tag or search
-- entry, and does not wake.
ALTER TABLE memories ADD COLUMN trashed_at TEXT;

-- note: what was said when the record was deferred, archived or reopened; until now only its event kept that.
ALTER TABLE memories ADD COLUMN note TEXT;
UPDATE memories SET note = (SELECT e.note FROM memory_events AS e
  WHERE e.owner = memories.owner AND e.memory_id = memories.id AND e.event = memories.status ORDER BY e.id DESC LIMIT 1)
WHERE status IN ('deferred', 'archived');

CREATE INDEX memories_owner_trashed_at_idx ON memories (owner, trashed_at, id) WHERE trashed_at IS NOT NULL;
CREATE INDEX memories_trashed_at_idx ON memories (trashed_at) WHERE trashed_at IS NOT NULL;

DROP INDEX memories_active_idx;
DROP INDEX memories_active_project_idx;
DROP INDEX memories_stale_idx;
DROP INDEX memories_closed_idx;
DROP INDEX memories_closed_kind_idx;
DROP INDEX memories_closed_project_idx;
DROP INDEX memories_sleeping_idx;
DROP INDEX memories_wake_idx;
DROP INDEX memories_unchanged_idx;
DROP INDEX memories_changed_updated_at_idx;
DROP INDEX memories_changed_created_at_idx;

-- The lists as before (see 0016 and 0018), without the trash.
CREATE INDEX memories_active_idx
  ON memories (owner, memory_type, coalesce(scope, ''), coalesce(due_date, '~'), created_at DESC, id DESC)
  WHERE status = 'active' AND trashed_at IS NULL;
CREATE INDEX memories_active_project_idx
  ON memories (owner, project, memory_type, coalesce(scope, ''), coalesce(due_date, '~'), created_at DESC, id DESC)
  WHERE status = 'active' AND project IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX memories_stale_idx
  ON memories (owner, memory_type, coalesce(scope, ''), '~' || touched_at, created_at DESC, id DESC, project)
  WHERE status = 'active' AND due_date IS NULL AND (memory_type = 'commitment' OR memory_type = 'blocker')
    AND trashed_at IS NULL;
CREATE INDEX memories_closed_idx
  ON memories (owner, status, closed_at DESC, id DESC, memory_type, scope, project, deferred_until, touched_at)
  WHERE closed_at IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX memories_closed_kind_idx
  ON memories (owner, memory_type, coalesce(scope, ''), status, closed_at DESC, id DESC, deferred_until, touched_at)
  WHERE closed_at IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX memories_closed_project_idx
  ON memories (owner, project, coalesce(scope, ''), status, closed_at DESC, id DESC, memory_type, deferred_until,
    touched_at)
  WHERE closed_at IS NOT NULL AND project IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX memories_unchanged_idx ON memories (owner, created_at, id)
  WHERE updated_at = created_at AND trashed_at IS NULL;
CREATE INDEX memories_changed_updated_at_idx ON memories (owner, updated_at, id)
  WHERE updated_at <> created_at AND trashed_at IS NULL;
CREATE INDEX memories_changed_created_at_idx ON memories (owner, created_at, id)
  WHERE updated_at <> created_at AND trashed_at IS NULL;
-- With the trash: a change of time zone moves the times of all records that wait for a day.
CREATE INDEX memories_sleeping_idx ON memories (owner, touched_at, memory_type, scope, project, trashed_at)
  WHERE status = 'deferred' AND deferred_until IS NOT NULL;
CREATE INDEX memories_wake_idx ON memories (touched_at)
  WHERE status = 'deferred' AND deferred_until IS NOT NULL AND trashed_at IS NULL;

DROP TRIGGER memories_insert;
DROP TRIGGER memories_update;
DROP TRIGGER memories_delete;
DROP TRIGGER memories_tags_update;

CREATE TRIGGER memories_insert AFTER INSERT ON memories WHEN new.trashed_at IS NULL BEGIN
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

-- What left the lists, by deletion, by a change or into the trash, is taken off the counters; what came, is added.
CREATE TRIGGER memories_update
AFTER UPDATE OF owner, status, project, scope, memory_type, resolved_at, created_at, trashed_at ON memories
WHEN (old.owner, old.status, old.project, old.scope, old.memory_type, old.resolved_at, old.created_at,
    old.trashed_at IS NULL)
  IS NOT (new.owner, new.status, new.project, new.scope, new.memory_type, new.resolved_at, new.created_at,
    new.trashed_at IS NULL)
BEGIN
  UPDATE memory_totals SET
    active = active - (old.status = 'active'),
    deferred = deferred - (old.status = 'deferred'),
    resolved = resolved - (old.status = 'resolved'),
    archived = archived - (old.status = 'archived'),
    resolved_seconds = resolved_seconds - CASE old.status
      WHEN 'resolved' THEN max(0, unixepoch(old.resolved_at) - unixepoch(old.created_at)) ELSE 0 END
  WHERE old.trashed_at IS NULL AND owner = old.owner AND project IN ('', coalesce(old.project, ''))
    AND scope = coalesce(old.scope, '') AND memory_type = old.memory_type;
  INSERT INTO memory_totals
  SELECT new.owner, key.value, coalesce(new.scope, ''), new.memory_type, new.status = 'active',
    new.status = 'deferred', new.status = 'resolved', new.status = 'archived',
    CASE new.status WHEN 'resolved' THEN max(0, unixepoch(new.resolved_at) - unixepoch(new.created_at)) ELSE 0 END
  FROM (SELECT '' AS value UNION SELECT coalesce(new.project, '')) AS key WHERE new.trashed_at IS NULL
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

CREATE TRIGGER memories_delete AFTER DELETE ON memories WHEN old.trashed_at IS NULL BEGIN
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
  DELETE FROM memory_tags
  WHERE owner = old.owner AND tag IN (SELECT value FROM json_each(old.tags)) AND memory_id = old.id;
END;

-- See 0016: no number is used twice. Numbers from 2^40 on are reserved for imports.
CREATE TRIGGER memories_number_used AFTER DELETE ON memories BEGIN
  UPDATE users SET last_memory_id = old.id
  WHERE number = old.owner AND last_memory_id < old.id AND old.id < 1099511627776;
END;

CREATE TRIGGER memories_tags_update AFTER UPDATE OF tags, trashed_at ON memories
WHEN (old.tags, old.trashed_at IS NULL) IS NOT (new.tags, new.trashed_at IS NULL) BEGIN
  DELETE FROM memory_tags
  WHERE owner = old.owner AND tag IN (SELECT value FROM json_each(old.tags)) AND memory_id = old.id;
  INSERT INTO memory_tags (owner, tag, memory_id)
  SELECT DISTINCT new.owner, value, new.id FROM json_each(new.tags) WHERE new.trashed_at IS NULL;
END;
