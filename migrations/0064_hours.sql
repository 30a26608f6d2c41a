-- At its hour, and again: the time of day by which a record is due, when its person is reminded of it, and how it repeats.
-- `remind` is a list in JSON. `repeat` is a rule of RFC 5545 that counts from `repeat_start`; the records that follow each
-- other by it have the number of the first of them as `series_id`. `next_values` is what the next of them takes instead of
-- this one's values, in JSON. `remind_at` follows from the others: the next reminder.
ALTER TABLE memories ADD COLUMN due_time TEXT;
ALTER TABLE memories ADD COLUMN remind TEXT;
ALTER TABLE memories ADD COLUMN remind_until_done INTEGER;
ALTER TABLE memories ADD COLUMN repeat TEXT;
ALTER TABLE memories ADD COLUMN repeat_from TEXT;
ALTER TABLE memories ADD COLUMN repeat_start TEXT;
ALTER TABLE memories ADD COLUMN next_values TEXT;
ALTER TABLE memories ADD COLUMN series_id INTEGER;
ALTER TABLE memories ADD COLUMN remind_at TEXT;

-- Those of an account, and those of all.
CREATE INDEX memories_remind_idx ON memories (owner, remind_at) WHERE remind_at IS NOT NULL;
CREATE INDEX memories_remind_at_idx ON memories (remind_at) WHERE remind_at IS NOT NULL;

-- The open record of a series.
CREATE INDEX memories_series_idx ON memories (owner, series_id)
  WHERE series_id IS NOT NULL AND status IN ('active', 'deferred') AND trashed_at IS NULL;

-- Within a day, what is due on it comes first, then what is due at an hour.
DROP INDEX memories_active_idx;
DROP INDEX memories_active_project_idx;
CREATE INDEX memories_active_idx
  ON memories (owner, memory_type, coalesce(scope, ''), coalesce(due_date || coalesce('T' || due_time, ''), '~'),
    created_at DESC, id DESC)
  WHERE status = 'active' AND trashed_at IS NULL;
CREATE INDEX memories_active_project_idx
  ON memories (owner, project, memory_type, coalesce(scope, ''), coalesce(due_date || coalesce('T' || due_time, ''), '~'),
    created_at DESC, id DESC)
  WHERE status = 'active' AND project IS NOT NULL AND trashed_at IS NULL;

-- As in 0027, with `next_values`, which may be as long as a text.
DROP TRIGGER usage_record_added;
DROP TRIGGER usage_record_changed;
DROP TRIGGER usage_record_erased;

CREATE TRIGGER usage_record_added AFTER INSERT ON memories BEGIN
  INSERT INTO usage (owner, documents, records, bytes)
  VALUES (new.owner, 0, new.trashed_at IS NULL,
    500 + octet_length(new.topic) + octet_length(new.content) + octet_length(new.tags) + coalesce(octet_length(new.project), 0)
      + coalesce(octet_length(new.resolution_note), 0) + coalesce(octet_length(new.note), 0) + coalesce(octet_length(new.next_values), 0)
      + coalesce((SELECT sum(100 + coalesce(octet_length(state), 0) + coalesce(octet_length(note), 0))
        FROM memory_events WHERE owner = new.owner AND memory_id = new.id), 0))
  ON CONFLICT (owner) DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER usage_record_changed
AFTER UPDATE OF topic, content, tags, project, resolution_note, note, next_values, version, trashed_at ON memories BEGIN
  UPDATE usage SET records = usage.records + more.records, bytes = usage.bytes + more.bytes
  FROM (SELECT (new.trashed_at IS NULL) - (old.trashed_at IS NULL) AS records,
      (500 + octet_length(new.topic) + octet_length(new.content) + octet_length(new.tags) + coalesce(octet_length(new.project), 0)
      + coalesce(octet_length(new.resolution_note), 0) + coalesce(octet_length(new.note), 0) + coalesce(octet_length(new.next_values), 0))
      - (500 + octet_length(old.topic) + octet_length(old.content) + octet_length(old.tags) + coalesce(octet_length(old.project), 0)
      + coalesce(octet_length(old.resolution_note), 0) + coalesce(octet_length(old.note), 0) + coalesce(octet_length(old.next_values), 0))
      + coalesce((SELECT 100 + coalesce(octet_length(state), 0) + coalesce(octet_length(note), 0)
        FROM memory_events WHERE owner = new.owner AND memory_id = new.id AND old.version <> new.version
          AND id = (SELECT max(id) FROM memory_events WHERE owner = new.owner AND memory_id = new.id)
          AND state ->> '$.version' = old.version), 0)
      - coalesce((SELECT sum(octet_length(state))
        FROM memory_events WHERE owner = new.owner AND memory_id = new.id AND id
          BETWEEN (SELECT max(id) FROM memory_events WHERE owner = new.owner AND memory_id = new.id) - 54
          AND (SELECT max(id) FROM memory_events WHERE owner = new.owner AND memory_id = new.id) - 50), 0) AS bytes) AS more
  WHERE owner = new.owner AND (more.records <> 0 OR more.bytes <> 0);
  UPDATE memory_events SET state = NULL
  WHERE owner = new.owner AND memory_id = new.id AND state IS NOT NULL AND id
    BETWEEN (SELECT max(id) FROM memory_events WHERE owner = new.owner AND memory_id = new.id) - 54
    AND (SELECT max(id) FROM memory_events WHERE owner = new.owner AND memory_id = new.id) - 50;
END;

CREATE TRIGGER usage_record_erased BEFORE DELETE ON memories BEGIN
  UPDATE usage SET records = records - (old.trashed_at IS NULL),
    bytes = bytes - (500 + octet_length(old.topic) + octet_length(old.content) + octet_length(old.tags) + coalesce(octet_length(old.project), 0)
      + coalesce(octet_length(old.resolution_note), 0) + coalesce(octet_length(old.note), 0) + coalesce(octet_length(old.next_values), 0))
      - coalesce((SELECT sum(100 + coalesce(octet_length(state), 0) + coalesce(octet_length(note), 0))
        FROM memory_events WHERE owner = old.owner AND memory_id = old.id), 0)
  WHERE owner = old.owner;
  DELETE FROM memory_events WHERE owner = old.owner AND memory_id = old.id;
END;
