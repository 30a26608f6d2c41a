import { and, eq, sql } from "drizzle-orm";
import { folderPathKey } from "../../contract/folder-key.ts";
import { omit } from "../../contract/omit.ts";
import { type ActivityEntry, lastActivityNumber, recordActivity } from "../../platform/activity/store.ts";
import { folders } from "../../platform/db/tables.ts";
import { documentBytes, eventBytes, folderBytes, recordBytes } from "../billing/sizes.ts";
import {
  type ImportedDocument,
  importDocumentStatements,
  importVersionStatement,
  overwriteDocumentStatements,
} from "../documents/import-store.ts";
import { linkBytes } from "../documents/link-bytes.ts";
import type { RecordLine } from "../export/format.ts";
import { FOLDER_STATE } from "../folders/store.ts";
import {
  importEventStatement,
  importMemoryStatements,
  overwriteMemoryStatements,
  withWakeTime,
} from "../memories/import-store.ts";
import { nextRemindAt } from "../memories/remind-at.ts";
import { applyAttachment, applyFile } from "./file-store.ts";
import { applyKeptFinding } from "./kept-findings-store.ts";
import { applySettings } from "./settings-store.ts";
import {
  countResult,
  countsAsAdded,
  decideAction,
  type ImportBatch,
  importTarget,
  type LineOfType,
  memoryNumber,
  referenceSql,
  reserveRoom,
} from "./step-store.ts";

const IMPORT = { source_type: "import" } as const;

function applyFolder(step: ImportBatch, { type: _, ...line }: LineOfType<"folder">): void {
  const { ctx } = step;
  const target = importTarget(step, "folder", line.id);
  const { id } = target;
  const decision = decideAction(step, target);
  const reported = { type: "folder", id: line.id, title: line.name } as const;
  if (decision === "create" && !reserveRoom(step, { bytes: folderBytes(line) }, reported)) return;
  countResult(step, "folder", id, decision);
  if (decision === "skip") return;
  // An existing folder keeps its parent: moving it could create a cycle.
  const { parent_id, ...fields } = omit(line, "id", "created_at");
  const extraFields = { key: folderPathKey(line.name), activity: lastActivityNumber(ctx) };
  const parent = referenceSql(step, "folder", parent_id);
  const statement =
    decision === "overwrite"
      ? ctx.db
          .update(folders)
          .set({ ...fields, ...extraFields })
          .where(and(eq(folders.id, id), eq(folders.owner, ctx.owner)))
      : ctx.db.insert(folders).values({ ...line, ...extraFields, id, owner: ctx.owner, parent_id: parent });
  const existing = sql`FROM folders WHERE id = ${id} AND owner = ${ctx.owner}`;
  const entry: ActivityEntry = {
    verb: decision === "create" ? "created" : "changed",
    kind: "folder",
    record: id,
    title: line.name,
    ...(decision === "overwrite" && { state: FOLDER_STATE, from: existing }),
  };
  step.statements.push([...recordActivity(ctx, entry, IMPORT), statement]);
}

function applyDocument(step: ImportBatch, { type: _, ...line }: LineOfType<"document">): void {
  const { ctx } = step;
  const target = importTarget(step, "document", line.id);
  const decision = decideAction(step, target);
  const documents = countsAsAdded(line.trashed_at, target.existing);
  const reported = { type: "document", id: line.id, title: line.title } as const;
  step.state.document = null;
  const room = { documents, bytes: documentBytes(line) };
  const addedLinkBytes = Math.max(0, linkBytes(line) - (target.existing?.bytes ?? 0));
  if (decision !== "skip" && !reserveRoom(step, room, reported, addedLinkBytes)) return;
  countResult(step, "document", target.id, decision);
  step.state.document = decision === "create" ? target.id : null;
  step.state.versions = { after: 0, before: line.version };
  if (decision === "skip") return;
  const changed_at = line.changed_at ?? line.updated_at;
  const document: ImportedDocument = { ...line, changed_at, id: target.id };
  const folder = referenceSql(step, "folder", line.folder_id);
  if (decision === "overwrite") step.overwritten.push(target.id);
  const make = decision === "create" ? importDocumentStatements : overwriteDocumentStatements;
  step.statements.push(make(ctx, document, { folder, indexing: step.indexing }));
}

/** Only for documents that this import created: others have their own history. Versions must ascend to the current one. */
function applyVersion(step: ImportBatch, { type: _, ...line }: LineOfType<"document_version">): void {
  const counts = step.state.counts.document_version;
  const { document, versions } = step.state;
  if (document === null || line.version <= versions.after || line.version >= versions.before) {
    counts.skipped++;
    return;
  }
  const reported = { type: "document_version", id: line.document_id, title: line.title } as const;
  if (!reserveRoom(step, { bytes: documentBytes(line) }, reported)) return;
  counts.created++;
  step.state.versions = { ...versions, after: line.version };
  // A version may refer to a deleted folder, but not to the original of a copied one.
  const folder = sql`coalesce(${referenceSql(step, "folder", line.folder_id)}, ${line.folder_id})`;
  step.statements.push([importVersionStatement(step.ctx, { ...line, document_id: document }, folder)]);
}

type LinkedDocuments = { document_id: string | null; next_values: { document_id?: string | null } | null };

/** SQL for the ids in this account of the documents that a line refers to. */
const documentReferences = (step: ImportBatch, linked: LinkedDocuments | null) => ({
  document: referenceSql(step, "document", linked?.document_id ?? null),
  nextDocument: referenceSql(step, "document", linked?.next_values?.document_id ?? null),
});

function applyMemory(step: ImportBatch, { type: _, document_id, ...line }: LineOfType<"memory">): void {
  const { ctx } = step;
  const id = memoryNumber(step, line.id);
  const existing = step.existing.memory.get(id);
  const decision = decideAction(step, { id, existing });
  const records = countsAsAdded(line.trashed_at, existing);
  const bytes = recordBytes(line) + (existing ? existing.bytes + eventBytes({ state: null, note: null }) : 0);
  const reported = { type: "memory", id: String(line.id), title: line.topic } as const;
  step.state.memory = null;
  if (decision !== "skip" && !reserveRoom(step, { records, bytes }, reported)) return;
  countResult(step, "memory", id, decision);
  step.state.memory = decision === "create" ? id : null;
  step.state.memory_version = line.version;
  if (decision === "skip") return;
  // A referenced record may come later in the file, so use the number that it will have.
  const named = (id: number | null) => id && memoryNumber(step, id);
  const clock = { now: ctx.now, timezone: step.user.timezone };
  const memory = {
    ...withWakeTime(line, step.user.timezone),
    id,
    remind_at: nextRemindAt(line, clock),
    series_id: line.series_id === null && line.repeat !== null ? id : named(line.series_id),
    supersedes_id: named(line.supersedes_id),
    superseded_by_id: named(line.superseded_by_id),
  };
  const make = decision === "create" ? importMemoryStatements : overwriteMemoryStatements;
  const references = documentReferences(step, { document_id, next_values: line.next_values });
  step.statements.push(make(ctx, memory, references));
}

/** Only for records created by this import, and for states older than the record. */
function applyEvent(step: ImportBatch, { type: _, ...line }: LineOfType<"memory_event">): void {
  const counts = step.state.counts.memory_event;
  const { memory, memory_version } = step.state;
  if (memory === null || (line.state && line.state.version >= memory_version)) {
    counts.skipped++;
    return;
  }
  const reported = { type: "memory_event", id: String(line.memory_id), title: line.event } as const;
  if (!reserveRoom(step, { bytes: eventBytes(line) }, reported)) return;
  counts.created++;
  const event = { ...line, memory_id: memory };
  step.statements.push([importEventStatement(step.ctx, event, documentReferences(step, line.state))]);
}

function applyRecord(step: ImportBatch, line: Exclude<RecordLine, LineOfType<"settings">>): void {
  if (line.type === "folder") applyFolder(step, line);
  else if (line.type === "document") applyDocument(step, line);
  else if (line.type === "document_version") applyVersion(step, line);
  else if (line.type === "memory") applyMemory(step, line);
  else if (line.type === "memory_event") applyEvent(step, line);
  else if (line.type === "file") applyFile(step, line);
  else if (line.type === "attachment") applyAttachment(step, line);
  else applyKeptFinding(step, line);
}

export function planLines(step: ImportBatch, lines: readonly RecordLine[]): void {
  const settings = lines.filter((line) => line.type === "settings");
  applySettings(step, settings);
  for (const line of lines) if (line.type !== "settings") applyRecord(step, line);
}
