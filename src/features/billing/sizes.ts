import { type SQL, sql } from "drizzle-orm";
import { DOCUMENT } from "../../contract/document-fields.ts";
import { type Field, namesOf } from "../../contract/field.ts";
import { FOLDER } from "../../contract/folder.ts";
import { MEMORY } from "../../contract/memory-fields.ts";

// What documents, records and folders count of an account's bytes: the same as the triggers of migration 0027 compute.

export const ROW_BYTES = 500;
const EVENT_ROW = 100;

const encoder = new TextEncoder();

const lengthOf = (text: string | null | undefined): number => (text ? encoder.encode(text).length : 0);

const lengthOfJson = (value: unknown): number =>
  value === null || value === undefined ? 0 : lengthOf(JSON.stringify(value));

const counted = (fields: Record<string, Field>, values: Record<string, unknown>) =>
  namesOf(fields, "counted").reduce((sum, name) => {
    const value = values[name];
    return sum + (typeof value === "string" ? lengthOf(value) : lengthOfJson(value));
  }, 0);

export const rowBytes = (fields: Record<string, Field>): SQL => {
  const texts = namesOf(fields, "counted").map((name) => `coalesce(octet_length(${name}), 0)`);
  return sql.raw([ROW_BYTES, ...texts].join(" + "));
};

type DocumentTexts = { title: string; content?: object | null | undefined; tags: string[] };

export const documentBytes = (texts: DocumentTexts): number => ROW_BYTES + counted(DOCUMENT, texts);

/** A document's previous state becomes a version, so it needs the bytes of its new one. What shrinks it needs none. */
export function changeBytes(before: DocumentTexts, after: DocumentTexts): number {
  // To measure a long content takes a while, and most changes leave it as it is.
  const isKept = before.content === after.content;
  const sizeOf = (texts: DocumentTexts) => documentBytes(isKept ? { ...texts, content: null } : texts);
  return sizeOf(after) > sizeOf(before) ? documentBytes(after) : 0;
}

type RecordTexts = {
  topic: string;
  content: string;
  tags: string[];
  project: string | null;
  resolution_note: string | null;
  note: string | null;
};

export const recordBytes = (record: RecordTexts): number => ROW_BYTES + counted(MEMORY, record);

export const newRecordBytes = (record: RecordTexts): number => recordBytes(record) + EVENT_ROW;

export const folderBytes = (folder: { name: string }): number => ROW_BYTES + counted(FOLDER, folder);

/** What is kept as it is and not asked about again. */
export const keptBytes = ({ key, detail }: { key: string; detail: string }): number =>
  EVENT_ROW + lengthOf(key) + lengthOf(detail);

/** A file without its thumbnails: the triggers of migration 0070 compute the same. */
export const fileBytes = (file: { bytes: number }): number => ROW_BYTES + file.bytes;

type EventTexts = { state: object | null; note: string | null };

/** A bound of the bytes of a record's event: an import may give its state another document. */
export const eventBytes = ({ state, note }: EventTexts): number =>
  EVENT_ROW + lengthOf(note) + (state ? lengthOfJson(state) + 40 : 0);
