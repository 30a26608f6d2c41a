-- When a record that waits for its day was last deferred again, or changed in what it says: closed_at is when it was deferred
-- for the first time, and touched_at the day on which it wakes.
ALTER TABLE memories ADD COLUMN renewed_at TEXT;
UPDATE memories SET renewed_at = (SELECT max(e.at) FROM memory_events AS e
    WHERE e.owner = memories.owner AND e.memory_id = memories.id AND e.event = 'deferred')
  WHERE status = 'deferred' AND deferred_until IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = memories.owner AND moves.is_fenced);
