import { sql } from "drizzle-orm";
import type { StoredFile } from "../../contract/file.ts";

/** A file as listed in the document or record that it is attached to. */
export type AttachedFile = Pick<StoredFile, "id" | "name" | "kind" | "type" | "bytes" | "pages">;

const MAX_LISTED = 100;

/** The files of a document or record, in SQL: a JSON list without trashed files, oldest first. */
const attachedFilesJson = (links: string, column: string, table: string) =>
  sql<string>`(SELECT json_group_array(json_object('id', id, 'name', name, 'kind', kind, 'type', type, 'bytes', bytes, 'pages', pages))
    FROM (SELECT f.* FROM ${sql.raw(links)} AS l CROSS JOIN files AS f ON f.id = l.file_id AND f.owner = l.owner
      WHERE l.owner = ${sql.raw(table)}.owner AND l.${sql.raw(column)} = ${sql.raw(table)}.id AND f.trashed_at IS NULL
      ORDER BY l.created_at, f.id LIMIT ${sql.raw(String(MAX_LISTED))}))`;

export const FILES_OF_DOCUMENT = attachedFilesJson("document_files", "document_id", "documents");
export const FILES_OF_RECORD = attachedFilesJson("memory_files", "memory_id", "memories");

export const parseAttachedFiles = (json: string): AttachedFile[] => JSON.parse(json) as AttachedFile[];
