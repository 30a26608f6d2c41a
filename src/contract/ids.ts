import { z } from "zod";

// Published as plain text, because a client may validate what it sends.

const RECORD = /^mem:[1-9]\d{0,15}$/;

const NUMBER =
  /^\s*(?:#|mem(?:ory)?:(?:\/\/)?|https?:\/\/[^/\s]+\/(?:open\/memory|records|api\/memories)\/)?(\d{1,16})\s*$/i;

const FOLDER = /^\s*(folder:[0-9a-f-]{36})\s*$/i;

const UUID = /^\s*(?:\S*[:/])?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:#\d+)?\s*$/i;

type Sent = { input?: unknown };

const isDocument = ({ input }: Sent) =>
  typeof input === "string" && (UUID.test(input) || /^doc:/.test(input));
const isRecord = ({ input }: Sent) => typeof input === "string" && /^mem:/.test(input);

export const RecordId = z
  .stringFormat("record-id", RECORD, {
    error: (sent) =>
      sent.input === undefined
        ? "is required"
        : isDocument(sent)
          ? "is a document, not a record: edit_document and delete_document take it"
          : "must be mem:<number>, as search and list_memories show it",
  })
  .transform((name) => Number(name.slice("mem:".length)));

export const DocumentId = z.uuid({
  error: (sent) =>
    sent.input === undefined
      ? "is required"
      : isRecord(sent)
        ? "is a record, not a document: update_memory and close_memories take it"
        : "must be doc:<uuid>, as search and list_documents show it",
});

/** The id of a document, of which the tool gets the UUID, or `folder:<uuid>` of a folder. */
export const EditableId = z.stringFormat(
  "editable-id",
  /^(?:folder:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  {
    error: (sent) =>
      isRecord(sent)
        ? "is a record, not a document: update_memory and close_memories take it"
        : "must be doc:<uuid>, as search and list_documents show it, or folder:<uuid>, as whoami does",
  },
);

export const AnyId = z.stringFormat("any-id", () => true);

export const ID_FORMATS: readonly unknown[] = ["record-id", "uuid", "editable-id", "any-id"];

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
