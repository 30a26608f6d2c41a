import { z } from "zod";

// Ids of records as tools take them: as answers have them (`mem:4`, `doc:<uuid>`), bare, or as one of our URLs. Published
// as plain text, because a client may validate what it sends.

const RECORD = /^mem:[1-9]\d{0,15}$/;

/** The id of a memory record; the tool gets its number. */
export const RecordId = z
  .stringFormat("record-id", RECORD, { error: "must be mem:<number>, as search and list_memories show it" })
  .transform((name) => Number(name.slice("mem:".length)));

/** The id of a document; the tool gets its UUID. */
export const DocumentId = z.uuid({ error: "must be doc:<uuid>, as search and list_documents show it" });

/** The id of a document, of which the tool gets the UUID, or `folder:<uuid>` of a folder. */
export const EditableId = z.stringFormat(
  "editable-id",
  /^(?:folder:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  {
    error: "must be doc:<uuid>, as search and list_documents show it, or folder:<uuid>, as whoami does",
  },
);

/** The id of either, for `readReference`. */
export const AnyId = z.stringFormat("any-id", () => true);

/** The formats of these ids. */
export const ID_FORMATS: readonly unknown[] = ["record-id", "uuid", "editable-id", "any-id"];

const NUMBER =
  /^\s*(?:#|mem(?:ory)?:(?:\/\/)?|https?:\/\/[^/\s]+\/(?:open\/memory|records|api\/memories)\/)?(\d{1,16})\s*$/i;

const FOLDER = /^\s*(folder:[0-9a-f-]{36})\s*$/i;

const UUID = /^\s*(?:\S*[:/])?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:#\d+)?\s*$/i;

/** Turns `"12"`, `#12`, 12 and the URL of a record into `mem:12`, and `"doc:<uuid>"` and a URL into the UUID. */
export function plainId(format: string | undefined, value: unknown): unknown {
  if (format === "uuid") return typeof value === "string" ? value.replace(UUID, "$1") : value;
  if (format === "editable-id") {
    if (typeof value !== "string") return value;
    return (FOLDER.exec(value)?.[1] ?? value.replace(UUID, "$1")).toLowerCase();
  }
  if (typeof value !== "string" && typeof value !== "number") return value;
  if (format === "any-id") return String(value);
  return String(value).replace(NUMBER, "mem:$1");
}
