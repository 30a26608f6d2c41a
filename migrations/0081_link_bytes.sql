-- A link, and another name of a document, counts 200 bytes. Must match LINK_BYTES in src/features/documents/link-bytes.ts.
CREATE TRIGGER usage_link_added AFTER INSERT ON document_links BEGIN
  INSERT INTO usage (owner, documents, records, bytes) VALUES (new.owner, 0, 0, 200)
  ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_link_deleted AFTER DELETE ON document_links BEGIN
  UPDATE usage SET bytes = bytes - 200 WHERE owner = old.owner;
END;
CREATE TRIGGER usage_alias_added AFTER INSERT ON document_aliases BEGIN
  INSERT INTO usage (owner, documents, records, bytes) VALUES (new.owner, 0, 0, 200)
  ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER usage_alias_deleted AFTER DELETE ON document_aliases BEGIN
  UPDATE usage SET bytes = bytes - 200 WHERE owner = old.owner;
END;

INSERT INTO usage (owner, documents, records, bytes)
SELECT owner, 0, 0, 200 * count(*) FROM (SELECT owner FROM document_links UNION ALL SELECT owner FROM document_aliases)
GROUP BY owner
ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
