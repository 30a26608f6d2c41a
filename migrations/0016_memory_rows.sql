-- Fewer rows per record. Creating one wrote 23, most of them to indexes for every combination of filters. One index per
-- list, which contains the filter columns, is enough for the number of records that a user has.

DROP INDEX memories_active_idx;
DROP INDEX memories_active_scope_idx;
DROP INDEX memories_active_project_idx;
DROP INDEX memories_active_memory_type_idx;
DROP INDEX memories_active_scope_project_idx;
DROP INDEX memories_active_scope_memory_type_idx;
DROP INDEX memories_active_project_memory_type_idx;
DROP INDEX memories_active_scope_project_memory_type_idx;
DROP INDEX memories_closed_idx;
DROP INDEX memories_closed_scope_idx;
DROP INDEX memories_closed_project_idx;
DROP INDEX memories_closed_memory_type_idx;
DROP INDEX memories_closed_scope_project_idx;
DROP INDEX memories_closed_scope_memory_type_idx;
DROP INDEX memories_closed_project_memory_type_idx;
DROP INDEX memories_closed_scope_project_memory_type_idx;
DROP INDEX memories_stale_idx;
DROP INDEX memories_stale_scope_idx;
DROP INDEX memories_deferred_idx;
DROP INDEX memories_wake_idx;
DROP INDEX memories_owner_created_at_idx;
DROP INDEX memory_tags_memory_id_idx;
DROP INDEX search_entries_owner_idx;
DROP INDEX search_entries_index_version_idx;

-- For a record that is deferred until a day, touched_at is the instant at which it wakes: the beginning of that day in
-- its owner's time zone. Until now queries compared the day itself, so touched_at may be another instant after an owner
-- changed time zones, or after an import. SQLite has no time zones: this is exact for UTC; elsewhere an instant that is
-- not the beginning of the day in any time zone becomes its beginning in UTC.
UPDATE memories SET touched_at = deferred_until || 'T00:00:00.000Z'
WHERE status = 'deferred' AND deferred_until IS NOT NULL
  AND touched_at <> deferred_until || 'T00:00:00.000Z'
  AND ((SELECT timezone FROM users WHERE number = memories.owner) = 'UTC'
    OR touched_at NOT BETWEEN strftime('%Y-%m-%dT%H:%M:%fZ', deferred_until, '-15 hours')
      AND strftime('%Y-%m-%dT%H:%M:%fZ', deferred_until, '+15 hours'));

-- The lists of the dashboard in order, followed by the filter columns. '~' sorts after every date.
CREATE INDEX memories_active_idx
  ON memories (owner, coalesce(due_date, '~'), created_at DESC, id DESC, memory_type, scope, project)
  WHERE status = 'active';
CREATE INDEX memories_closed_idx
  ON memories (owner, status, closed_at DESC, id DESC, memory_type, scope, project, deferred_until, touched_at)
  WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_project_idx
  ON memories (owner, project, status, closed_at DESC, id DESC, memory_type, scope, deferred_until, touched_at)
  WHERE closed_at IS NOT NULL AND project IS NOT NULL;

-- Only commitments and blockers without a due date can become stale.
CREATE INDEX memories_stale_idx
  ON memories (owner, memory_type, touched_at, created_at DESC, id DESC, scope, project)
  WHERE status = 'active' AND due_date IS NULL AND (memory_type = 'commitment' OR memory_type = 'blocker');

-- Records that are deferred until a day, in the order in which they wake: of one user, and of all.
CREATE INDEX memories_sleeping_idx ON memories (owner, touched_at, memory_type, scope, project)
  WHERE status = 'deferred' AND deferred_until IS NOT NULL;
CREATE INDEX memories_wake_idx ON memories (touched_at) WHERE status = 'deferred' AND deferred_until IS NOT NULL;

-- Entries written by an older version of the analysis. The number is INDEX_VERSION of src/text-index/analyse.ts; when
-- that changes, this index must be created again.
CREATE INDEX search_entries_outdated_idx ON search_entries (index_version, entry) WHERE index_version < 2;

-- A new record's number is one above the highest that its owner has or had: users.last_memory_id is the highest that
-- was ever deleted, so that no number is used twice, and creating a record does not write it. Numbers from 2^40 on are
-- reserved for imports.
DROP TRIGGER memories_delete;
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
  DELETE FROM memory_tags
  WHERE owner = old.owner AND tag IN (SELECT value FROM json_each(old.tags)) AND memory_id = old.id;
  UPDATE users SET last_memory_id = old.id
  WHERE number = old.owner AND last_memory_id < old.id AND old.id < 1099511627776;
END;

DROP TRIGGER memories_tags_update;
CREATE TRIGGER memories_tags_update AFTER UPDATE OF tags ON memories WHEN old.tags <> new.tags BEGIN
  DELETE FROM memory_tags
  WHERE owner = old.owner AND tag IN (SELECT value FROM json_each(old.tags)) AND memory_id = old.id;
  INSERT INTO memory_tags (owner, tag, memory_id) SELECT DISTINCT new.owner, value, new.id FROM json_each(new.tags);
END;
