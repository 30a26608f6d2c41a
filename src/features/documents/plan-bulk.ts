import { type DocumentCreateRequest, type DocumentRow, MAX_TAGS } from "../../contract/document.ts";
import type {
  DocumentBulkOperation,
  DocumentBulkResult,
  InvalidBulkOperation,
} from "../../contract/document-bulk.ts";
import { omit } from "../../contract/omit.ts";
import { applyTagChange } from "../../contract/tag-rule.ts";
import type { RemainingQuota } from "../billing/remaining-quota.ts";
import { documentBytes, quotaForDocumentChange } from "../billing/sizes.ts";
import { sizeProblem } from "./document-size.ts";
import { type FieldsToWrite, invalidTimesReason, nextDocumentState } from "./document-state.ts";
import { addedLinkBytes, linkBytes } from "./link-bytes.ts";
import { type LinkingRow, renamedLinkChanges } from "./link-rename-store.ts";

/** All operations on a document create one version, so that a short request cannot store a long text a hundred times. */
export type DocumentPlan = { before?: DocumentRow; after?: DocumentRow; trashed?: boolean };

export type BulkInput = { documents: DocumentRow[]; folders: Set<string>; room: RemainingQuota };

type OperationPlan = { result: Omit<DocumentBulkResult, "index">; plan?: [id: string, plan: DocumentPlan] };

const rejected = (detail: string, id?: string): OperationPlan => ({
  result: { ok: false, ...(id && { id }), detail },
});

function fieldsToChange(
  row: DocumentRow,
  operation: Exclude<DocumentBulkOperation, { operation: "create" | "delete" }>,
): FieldsToWrite | string {
  switch (operation.operation) {
    case "update":
      return omit(operation, "operation", "id", "expected_version");
    case "move":
      return { folder_id: operation.folder_id };
    case "add_tags": {
      const tags = applyTagChange(row.tags, { add_tags: operation.tags });
      return tags.length > MAX_TAGS ? `tags: a document has at most ${MAX_TAGS}` : { tags };
    }
    case "remove_tags":
      return { tags: applyTagChange(row.tags, { remove_tags: operation.tags }) };
  }
}

const targetFolder = (operation: DocumentBulkOperation) =>
  "folder_id" in operation ? operation.folder_id : undefined;

function planOnExisting(
  plan: DocumentPlan,
  operation: Exclude<DocumentBulkOperation, { operation: "create" }>,
  now: string,
): OperationPlan {
  const { id } = operation;
  const row = plan.after ?? plan.before;
  if (!row || plan.trashed) return rejected("Not found", id);
  const { expected_version: expected } = operation;
  if (expected !== undefined && expected !== row.version) {
    return rejected(`The document is at version ${row.version}, not ${expected}`, id);
  }
  if (operation.operation === "delete")
    return { result: { ok: true, id }, plan: [id, { ...plan, trashed: true }] };
  const change = fieldsToChange(row, operation);
  if (typeof change === "string") return rejected(change, id);
  const result = { ok: true, id };
  const next = nextDocumentState(row, change, now);
  if (!next) return { result };
  const problem = invalidTimesReason(next, now);
  if (problem) return rejected(problem, id);
  const after = { ...next, version: (plan.before?.version ?? 0) + 1 };
  return { result, plan: [id, { ...plan, after }] };
}

function planNew(row: DocumentRow, now: string): OperationPlan {
  const problem = invalidTimesReason(row, now);
  if (problem) return rejected(problem);
  return { result: { ok: true, id: row.id }, plan: [row.id, { after: row }] };
}

const bytesOf = ({ before, after }: DocumentPlan): number =>
  after ? (before ? quotaForDocumentChange(before, after) : documentBytes(after)) : 0;

const linkBytesOf = ({ before, after }: DocumentPlan): number =>
  after ? (before ? addedLinkBytes(before, after) : linkBytes(after)) : 0;

function usageOf(plan: DocumentPlan): { documents: number; bytes: number } {
  const { before, trashed } = plan;
  return {
    documents: (before ? 0 : 1) - (trashed ? 1 : 0),
    bytes: bytesOf(plan) + linkBytesOf(plan),
  };
}

function quotaProblem(
  room: RemainingQuota,
  earlier: DocumentPlan | undefined,
  plan: DocumentPlan,
): string | undefined {
  const before = earlier ? usageOf(earlier) : { documents: 0, bytes: 0 };
  const now = usageOf(plan);
  const more = { documents: now.documents - before.documents, bytes: now.bytes - before.bytes };
  return sizeProblem(bytesOf(plan)) ?? room.take(more);
}

/** The documents whose texts have the new title of another one, in order. */
export type RenamedLinks = { from: string; to: DocumentRow }[];

/** Adds the texts that link to renamed documents to the plans. Those for which there is no room stay as they are. */
export function planRenamedLinks(
  plans: Map<string, DocumentPlan>,
  { linking, room }: BulkInput & { linking: readonly LinkingRow[] },
  now: string,
): RenamedLinks {
  const renamed: RenamedLinks = [];
  for (const { before, after, trashed } of [...plans.values()]) {
    if (!before || !after || trashed) continue;
    const latest = (row: DocumentRow) => {
      const plan = plans.get(row.id);
      return plan?.trashed ? undefined : (plan?.after ?? row);
    };
    for (const { row, next } of renamedLinkChanges({ row: before, next: after }, linking, now, latest)) {
      const earlier = plans.get(row.id);
      const plan = { before: earlier?.before ?? row, after: { ...next, version: row.version + 1 } };
      if (quotaProblem(room, earlier, plan)) continue;
      plans.set(row.id, plan);
      renamed.push({ from: row.id, to: after });
    }
  }
  return renamed;
}

/** The result of each operation, in order, and the new states. An operation sees the effects of earlier ones. */
export function planBulk(
  operations: (DocumentBulkOperation | InvalidBulkOperation)[],
  found: BulkInput,
  newRow: (input: DocumentCreateRequest) => DocumentRow,
  now: string,
): { results: DocumentBulkResult[]; plans: Map<string, DocumentPlan> } {
  const plans = new Map<string, DocumentPlan>();
  for (const row of found.documents) plans.set(row.id, { before: row });
  const make = (operation: DocumentBulkOperation | InvalidBulkOperation): OperationPlan => {
    if (operation.operation === "invalid") return rejected(operation.detail);
    const folder = targetFolder(operation);
    if (folder && !found.folders.has(folder)) {
      return rejected("folder_id: not found", "id" in operation ? operation.id : undefined);
    }
    if (operation.operation !== "create") {
      return planOnExisting(plans.get(operation.id) ?? {}, operation, now);
    }
    return planNew(newRow(operation), now);
  };
  const results = operations.map((operation, index) => {
    const { result, plan: [id, plan] = [] } = make(operation);
    if (id === undefined || !plan) return { index, ...result };
    const problem = quotaProblem(found.room, plans.get(id), plan);
    if (problem) return { index, ...rejected(problem, "id" in operation ? id : undefined).result };
    plans.set(id, plan);
    return { index, ...result };
  });
  const changed = [...plans].filter(([, { after, trashed }]) => after || trashed);
  return { results, plans: new Map(changed) };
}
