// What a document and a record count of an account's bytes: the same as the triggers of migration 0027 compute.

/** For the rest of a row and its places in the indexes. */
const ROW = 500;
const EVENT_ROW = 100;

const encoder = new TextEncoder();

/** The length of a text in UTF-8. */
const lengthOf = (text: string | null | undefined): number => (text ? encoder.encode(text).length : 0);

const lengthOfJson = (value: unknown): number =>
  value === null || value === undefined ? 0 : lengthOf(JSON.stringify(value));

type DocumentTexts = { title: string; content?: object | null | undefined; tags: string[] };

/** The bytes of a document, or of a version of it. */
export const documentBytes = ({ title, content, tags }: DocumentTexts): number =>
  ROW + lengthOf(title) + lengthOfJson(content) + lengthOfJson(tags);

/**
 * The bytes that a change of a document needs besides those that it has, which become a version: those of its new state.
 * What shrinks it needs none, so that this works over the limit too.
 */
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

/** The bytes of a record without its history. */
export const recordBytes = (record: RecordTexts): number =>
  ROW +
  lengthOf(record.topic) +
  lengthOf(record.content) +
  lengthOfJson(record.tags) +
  lengthOf(record.project) +
  lengthOf(record.resolution_note) +
  lengthOf(record.note);

/** The bytes of a new record with its event. */
export const newRecordBytes = (record: RecordTexts): number => recordBytes(record) + EVENT_ROW;

/** The bytes of a folder. */
export const folderBytes = (name: string): number => ROW + lengthOf(name);

type EventTexts = { state: object | null; note: string | null };

/** A bound of the bytes of a record's event: an import may give its state another document. */
export const eventBytes = ({ state, note }: EventTexts): number =>
  EVENT_ROW + lengthOf(note) + (state ? lengthOfJson(state) + 40 : 0);
