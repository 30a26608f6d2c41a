-- What is kept for an Idempotency-Key leads to the record and is no copy of it: a copy brought back what had been erased.
-- An account that is being moved is left alone: its copies are gone after 24 hours.
UPDATE idempotency_keys SET answer = CASE
  WHEN NOT json_valid(answer) THEN answer
  WHEN json_type(answer, '$.successor') = 'object' THEN json_object(
    'memory', json_object('id', answer ->> '$.memory.id', 'version', answer ->> '$.memory.version'),
    'successor', json_object('id', answer ->> '$.successor.id', 'version', answer ->> '$.successor.version'))
  WHEN json_type(answer, '$.memory') = 'object' THEN json_object(
    'memory', json_object('id', answer ->> '$.memory.id', 'version', answer ->> '$.memory.version'))
  WHEN json_type(answer, '$.id') IS NOT NULL THEN json_object('id', answer ->> '$.id', 'version', answer ->> '$.version')
  WHEN substr(route, 1, 23) = 'POST /api/activity/undo' AND json_type(answer, '$.body') = 'text' THEN json_set(answer, '$.body', (
    SELECT json_set(answer ->> '$.body', '$.results',
      json(json_group_array(json_remove(value, '$.title', '$.current', '$.previous'))))
    FROM json_each(answer ->> '$.body', '$.results')) || '')
  WHEN substr(route, 1, 19) = 'POST /api/webhooks/' AND json_type(answer, '$.body') = 'text' THEN
    json_set(answer, '$.body', json_remove(answer ->> '$.body', '$.data') || '')
  ELSE answer END
WHERE NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = idempotency_keys.owner AND is_fenced);
