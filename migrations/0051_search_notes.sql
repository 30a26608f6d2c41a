-- The search entry of a memory record also has the words of its note. Only what is written for records with a note differs from
-- version 4 of the analysis (src/text-index/analyse.ts): these entries are marked as of the version before, so that the cron
-- handler writes them anew.
UPDATE search_entries SET index_version = 3
WHERE kind = 'memory' AND index_version = 4
  AND EXISTS (SELECT 1 FROM memories AS m WHERE m.owner = search_entries.owner
    AND m.id = CAST(search_entries.record AS INTEGER) AND m.trashed_at IS NULL
    AND coalesce(m.resolution_note, m.note, '') <> '');
