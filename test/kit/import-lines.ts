import { EXPORT_FORMAT, EXPORT_VERSION } from "../../src/contract/export-format.ts";
import { closingLines, exportTally, lineBytes } from "../../src/features/export/format.ts";

// An export file of any lines.

export const NOW = "2026-01-02T03:04:05.678Z";
export const ID = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42";

const FROM_API = { source_type: "api", created_at: NOW };
const UNWRITTEN = { writer_source_type: null, writer_client_name: null, trashed_at: null };

export const LINES = {
  settings: {
    ...{ type: "settings", name: "Ada", timezone: "Europe/Berlin" },
    stale_after_days: { commitment: 14, blocker: 7 },
  },
  folder: { type: "folder", id: ID, name: "Top", parent_id: null, created_at: NOW, updated_at: NOW },
  document: {
    ...{ type: "document", id: ID, version: 3, title: "Plan", folder_id: ID, ...FROM_API },
    ...{ updated_at: NOW, ...UNWRITTEN, tags: ["x"], content: { format: "markdown", text: "walrus" } },
  },
  document_version: {
    ...{ type: "document_version", document_id: ID, version: 1, title: "Plan", folder_id: null },
    ...{ ...FROM_API, client_name: null, tags: [], content: null },
  },
  memory: {
    ...{ type: "memory", id: 1, memory_type: "commitment", topic: "Slides", content: "walrus" },
    ...{ scope: null, project: null, tags: ["m"], due_date: null, deferred_until: null, document_id: ID },
    ...{ supersedes_id: null, superseded_by_id: null, resolved_at: null, resolution_note: null },
    ...{ last_confirmed_at: null, ...FROM_API, client_name: null, version: 1, updated_at: NOW },
    ...{ status: "active", closed_at: null, touched_at: NOW },
  },
  memory_event: {
    ...{ type: "memory_event", memory_id: 1, event: "created", from_status: null, to_status: "active" },
    ...{ note: null, source_type: "api", client_name: null, at: NOW },
  },
  file: {
    ...{ type: "file", id: ID, sha256: "0".repeat(64), name: "plan.pdf", media_type: "application/pdf" },
    ...{ bytes: 5, alt: null, width: null, height: null, created_at: NOW },
  },
  attachment: {
    ...{ type: "attachment", sha256: "0".repeat(64), document_id: ID, memory_id: null, created_at: NOW },
  },
  tidy_kept: {
    ...{ type: "tidy_kept", kind: "secret", detail: "a card number", kept_at: NOW },
    items: [{ type: "memory", id: "1" }],
  },
};

/** What the line of a record that repeats has besides. */
export const PLANNED = {
  ...{ due_date: "2026-12-01", due_time: "09:00", remind: [{ before: "PT30M" }], remind_until_done: true },
  ...{ repeat: "FREQ=WEEKLY;BYDAY=TU", repeat_from: "due", repeat_start: "2026-12-01" },
  ...{ next_values: { topic: "Other slides" }, series_id: null },
};

export type Fields = Record<string, unknown>;

export const memory = (id: number, fields: Fields = {}) => ({
  ...LINES.memory,
  document_id: null,
  id,
  ...fields,
});

/** A complete file with these lines, whatever they contain, made while it is read. */
export function* chunksOf(lines: Iterable<Fields>): Generator<Uint8Array> {
  const passed = exportTally();
  const line = (fields: Fields) => {
    const bytes = lineBytes(JSON.stringify(fields));
    passed.add(String(fields.type), bytes);
    return bytes;
  };
  yield line({ type: "header", format: EXPORT_FORMAT, schema_version: EXPORT_VERSION, exported_at: NOW });
  for (const fields of lines) yield line(fields);
  yield* closingLines(passed);
}

/** The same in one piece. */
export function fileOf(lines: Fields[]): string {
  const decoder = new TextDecoder();
  return [...chunksOf(lines)].map((bytes) => decoder.decode(bytes)).join("");
}
