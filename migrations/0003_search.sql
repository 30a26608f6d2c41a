-- Search: one index for the documents and memory records of all users.
-- CONTRIBUTING.md describes the tokens and the reasons for this layout.

CREATE TABLE search_entries (
  entry INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('document', 'memory')),
  record TEXT NOT NULL,
  length INTEGER NOT NULL,
  index_version INTEGER NOT NULL,
  UNIQUE (kind, record)
) STRICT;
-- Finds entries written by an older version of the analysis.
CREATE INDEX search_entries_index_version_idx ON search_entries (index_version);

CREATE TABLE search_totals (
  owner INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entries INTEGER NOT NULL,
  length INTEGER NOT NULL,
  PRIMARY KEY (owner, kind)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search_index USING fts5(
  title, tags, body, extra,
  content = '',
  contentless_delete = 1,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_`{|}~'"
);

CREATE VIRTUAL TABLE search_occurrences USING fts5vocab('search_index', 'instance');
CREATE VIRTUAL TABLE search_words USING fts5vocab('search_index', 'row');

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
