-- The search entries of memory records also have their type and due date (src/text-index/facts.ts). Documents are as
-- before. The condition is OUTDATED of src/text-index/analyse.ts; when that changes, this index must be created again.
DROP INDEX search_entries_outdated_idx;
CREATE INDEX search_entries_outdated_idx ON search_entries (index_version, entry)
WHERE index_version < 3 OR (index_version < 4 AND kind = 'memory');

-- Another type or due date does not make an entry longer: then its owner's totals are not written.
DROP TRIGGER search_entries_update;
CREATE TRIGGER search_entries_update AFTER UPDATE OF length ON search_entries WHEN old.length <> new.length BEGIN
  UPDATE search_totals SET length = length - old.length + new.length
  WHERE owner = new.owner AND kind = new.kind;
END;
