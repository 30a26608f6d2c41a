import { type SQL, sql } from "drizzle-orm";
import { DOCUMENT_FIELDS } from "../../contract/document-fields.ts";
import { type FieldSpec, fieldNamesWith, type pluckFields } from "../../contract/field-spec.ts";
import { FOLDER_FIELDS } from "../../contract/folder.ts";
import { MEMORY_FIELDS } from "../../contract/memory-fields.ts";

// How many bytes documents, records and folders count towards an account's limit. Must match the triggers
// `usage_…` of the migrations.

export const ROW_BYTES = 500;
const EVENT_ROW_BYTES = 100;

const encoder = new TextEncoder();

const byteLength = (text: string | null | undefined): number => (text ? encoder.encode(text).length : 0);

const jsonByteLength = (value: unknown): number =>
  value === null || value === undefined ? 0 : byteLength(JSON.stringify(value));

const countedBytes = (fields: Record<string, FieldSpec>, values: Record<string, unknown>) =>
  fieldNamesWith(fields, "counted").reduce((sum, name) => {
    const value = values[name];
    return sum + (typeof value === "string" ? byteLength(value) : jsonByteLength(value));
  }, 0);

export const rowBytes = (fields: Record<string, FieldSpec>): SQL => {
  const texts = fieldNamesWith(fields, "counted").map((name) => `coalesce(octet_length(${name}), 0)`);
  return sql.raw([ROW_BYTES, ...texts].join(" + "));
};

type DocumentTexts = { title: string; content?: object | null | undefined; tags: string[] };

export const documentBytes = (texts: DocumentTexts): number =>
  ROW_BYTES + countedBytes(DOCUMENT_FIELDS, texts);

/** A change that grows a document needs the bytes of its new state, because the old one becomes a version. */
export function quotaForDocumentChange(before: DocumentTexts, after: DocumentTexts): number {
  // Measuring a long content is slow, and most changes keep it.
  const isUnchanged = before.content === after.content;
  const sizeOf = (texts: DocumentTexts) => documentBytes(isUnchanged ? { ...texts, content: null } : texts);
  return sizeOf(after) > sizeOf(before) ? documentBytes(after) : 0;
}

type RecordTexts = Record<keyof ReturnType<typeof pluckFields<typeof MEMORY_FIELDS, "counted">>, unknown>;

export const recordBytes = (record: RecordTexts): number => ROW_BYTES + countedBytes(MEMORY_FIELDS, record);

export const newRecordBytes = (record: RecordTexts): number => recordBytes(record) + EVENT_ROW_BYTES;

export const folderBytes = (folder: { name: string }): number =>
  ROW_BYTES + countedBytes(FOLDER_FIELDS, folder);

/** A decision to keep something as it is, so that tidying does not ask again. */
export const keepDecisionBytes = ({ key, detail }: { key: string; detail: string }): number =>
  EVENT_ROW_BYTES + byteLength(key) + byteLength(detail);

/** A file without its thumbnails. Must match the triggers of migration 0070. */
export const fileBytes = (file: { bytes: number }): number => ROW_BYTES + file.bytes;

type EventTexts = { state: object | null; note: string | null };

/** An upper bound for a record's event: an import may replace the document id in its state. */
export const eventBytes = ({ state, note }: EventTexts): number =>
  EVENT_ROW_BYTES + byteLength(note) + (state ? jsonByteLength(state) + 40 : 0);
