import { z } from "zod";

// Ids in the parameters of tools. Published as plain text, because a client may validate them before they are normalized.

const RECORD = /^mem:[1-9]\d{0,15}$/;

const NUMBER =
  /^\s*(?:#|mem(?:ory)?:(?:\/\/)?|https?:\/\/[^/\s]+\/(?:open\/memory|records|api\/memories)\/)?(\d{1,16})\s*$/i;

const FOLDER = /^\s*(folder:[0-9a-f-]{36})\s*$/i;

const UUID = /^\s*(?:\S*[:/])?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:#\d+)?\s*$/i;

type Sent = { input?: unknown };

const looksLikeDocument = ({ input }: Sent) =>
  typeof input === "string" && (UUID.test(input) || /^doc:/.test(input));
const looksLikeRecord = ({ input }: Sent) =>
  typeof input === "number" || (typeof input === "string" && (NUMBER.test(input) || /^mem:/.test(input)));

/** Text that is meant as an id, whether or not it is valid. */
const MEANT_AS_ID = /^\s*(?:doc|mem):\S*\s*$/;

/** Whether a reference to a document or folder is a title. Anything in the form of an id is an id. */
export const isTitle = (sent: string): boolean => !UUID.test(sent) && !FOLDER.test(sent);

export const RecordId = z
  .stringFormat("record-id", RECORD, {
    error: (sent) =>
      sent.input === undefined
        ? "is required"
        : looksLikeDocument(sent)
          ? "is a document, not a record: edit_document and delete_document accept it"
          : "must be mem:<number>, as shown by search and list_memories",
  })
  .transform((name) => Number(name.slice("mem:".length)));

const ofDocument = (format: string, ids: string) =>
  z.stringFormat(format, (sent) => !isTitle(sent) || !(MEANT_AS_ID.test(sent) || NUMBER.test(sent)), {
    error: (sent) => {
      if (sent.input === undefined) return "is required";
      return looksLikeRecord(sent)
        ? "is a record, not a document: update_memory and close_memories accept it. To name a document whose title is a number, use its id"
        : `must be ${ids}`;
    },
  });

/** The title or id of a document. Ids are passed to the tool as UUIDs. */
export const DocumentId = ofDocument(
  "document-id",
  "doc:<uuid>, as shown by search and list_documents, or a title",
);

/** The title or id of a document, or `folder:<uuid>`. */
export const EditableId = ofDocument(
  "editable-id",
  "doc:<uuid>, as shown by search and list_documents, or a title, or folder:<uuid>, as shown by whoami",
);

export const AnyId = z.stringFormat("any-id", () => true);

const TITLED: readonly unknown[] = ["document-id", "editable-id"];
export const ID_FORMATS: readonly unknown[] = ["record-id", ...TITLED, "any-id"];

/** Whether the parts of a text with commas are a list of ids. A title may contain commas, too. */
export const isIdList = (format: string | undefined, items: readonly string[]): boolean =>
  !TITLED.includes(format) || items.every((item) => !isTitle(item));

/** Converts `"12"`, `#12`, 12 and a memory's URL to `mem:12`, and `doc:<uuid>` and a document's URL to the UUID. */
export function normalizeId(format: string | undefined, value: unknown): unknown {
  if (TITLED.includes(format)) {
    if (typeof value !== "string" || isTitle(value)) return value;
    const folder = format === "editable-id" ? FOLDER.exec(value)?.[1] : undefined;
    return (folder ?? value.replace(UUID, "$1")).toLowerCase();
  }
  if (typeof value !== "string" && typeof value !== "number") return value;
  if (format === "any-id") return String(value);
  return String(value).replace(NUMBER, "mem:$1");
}
