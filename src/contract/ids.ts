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
const isRecord = ({ input }: Sent) =>
  typeof input === "number" || (typeof input === "string" && (NUMBER.test(input) || /^mem:/.test(input)));

/** What is meant as an id of a document, or as one of a record. */
const MEANT_AS_ID = /^\s*(?:doc|mem):\S*\s*$/;

/** Whether what stands for a document or folder is a title: what has the form of an id always is one. */
export const isTitle = (sent: string): boolean => !UUID.test(sent) && !FOLDER.test(sent);

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

const ofDocument = (format: string, ids: string) =>
  z.stringFormat(format, (sent) => !isTitle(sent) || !(MEANT_AS_ID.test(sent) || NUMBER.test(sent)), {
    error: (sent) => {
      if (sent.input === undefined) return "is required";
      return isRecord(sent)
        ? "is a record, not a document: update_memory and close_memories take it. A document whose title is a number needs its id"
        : `must be ${ids}`;
    },
  });

/** The id of a document, of which the tool gets the UUID, or its title. */
export const DocumentId = ofDocument(
  "document-id",
  "doc:<uuid>, as search and list_documents show it, or a title",
);

/** The same, or `folder:<uuid>` of a folder. */
export const EditableId = ofDocument(
  "editable-id",
  "doc:<uuid>, as search and list_documents show it, or a title, or folder:<uuid>, as whoami does",
);

export const AnyId = z.stringFormat("any-id", () => true);

const TITLED: readonly unknown[] = ["document-id", "editable-id"];
export const ID_FORMATS: readonly unknown[] = ["record-id", ...TITLED, "any-id"];

/** Whether a text with commas is a list of ids: a title may have commas as well. */
export const mayBeList = (format: string | undefined, items: readonly string[]): boolean =>
  !TITLED.includes(format) || items.every((item) => !isTitle(item));

/** Turns `"12"`, `#12`, 12 and the URL of a record into `mem:12`, `"doc:<uuid>"` and a URL into the UUID; a title stays. */
export function plainId(format: string | undefined, value: unknown): unknown {
  if (TITLED.includes(format)) {
    if (typeof value !== "string" || isTitle(value)) return value;
    const folder = format === "editable-id" ? FOLDER.exec(value)?.[1] : undefined;
    return (folder ?? value.replace(UUID, "$1")).toLowerCase();
  }
  if (typeof value !== "string" && typeof value !== "number") return value;
  if (format === "any-id") return String(value);
  return String(value).replace(NUMBER, "mem:$1");
}
