-- The lists of the dashboard in their order, once for every type and scope, so that a list with filters reads what it
-- shows and not what it leaves out; a list of several types or scopes is merged from theirs. '' is no scope, and '~' is
-- after every date.

DROP INDEX memories_active_idx;
DROP INDEX memories_stale_idx;
DROP INDEX memories_closed_project_idx;
DROP INDEX memories_owner_updated_at_idx;
-- An open record with the same content is found through the text index.
DROP INDEX memories_open_topic_idx;

CREATE INDEX memories_active_idx
  ON memories (owner, memory_type, coalesce(scope, ''), coalesce(due_date, '~'), created_at DESC, id DESC)
  WHERE status = 'active';
CREATE INDEX memories_active_project_idx
  ON memories (owner, project, memory_type, coalesce(scope, ''), coalesce(due_date, '~'), created_at DESC, id DESC)
  WHERE status = 'active' AND project IS NOT NULL;

-- Only commitments and blockers without a due date can go stale. In a list of alerts they follow what is overdue.
CREATE INDEX memories_stale_idx
  ON memories (owner, memory_type, coalesce(scope, ''), '~' || touched_at, created_at DESC, id DESC, project)
  WHERE status = 'active' AND due_date IS NULL AND (memory_type = 'commitment' OR memory_type = 'blocker');

-- Beside memories_closed_idx, which has every closed record: those of a type or scope, and those of a project.
CREATE INDEX memories_closed_kind_idx
  ON memories (owner, memory_type, coalesce(scope, ''), status, closed_at DESC, id DESC, deferred_until, touched_at)
  WHERE closed_at IS NOT NULL;
CREATE INDEX memories_closed_project_idx
  ON memories (owner, project, coalesce(scope, ''), status, closed_at DESC, id DESC, memory_type, deferred_until,
    touched_at)
  WHERE closed_at IS NOT NULL AND project IS NOT NULL;

-- Most records are never changed: their one entry is in the order of creation and of change. A changed record has an
-- entry in each.
CREATE INDEX memories_unchanged_idx ON memories (owner, created_at, id) WHERE updated_at = created_at;
CREATE INDEX memories_changed_updated_at_idx ON memories (owner, updated_at, id) WHERE updated_at <> created_at;
CREATE INDEX memories_changed_created_at_idx ON memories (owner, created_at, id) WHERE updated_at <> created_at;
