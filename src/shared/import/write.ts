import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { DocumentBulkAnswer } from "../../contract/document-bulk.ts";
import { attachedFileIds, contentWithFileIds } from "./attachments.ts";
import { type ApiClient, RequestRejectedError } from "./client.ts";
import { createImportMark, type ImportedDocument, isUpToDate, type PlannedItem } from "./imported.ts";
import type { FileIds } from "./item.ts";
import { MAX_BODY_BYTES, tooLargeMessage } from "./size-limits.ts";

// Writes documents through POST /api/documents/bulk: many per request, each with its own result.

export type DocumentOperation = {
  where: string;
  body: { operation: "create" | "update" | "delete"; id?: string } & Record<string, unknown>;
  files?: string[] | undefined;
};

const MAX_OPERATIONS = 100;
/** The service accepts 1 MiB, including the rest of the body. */
const MAX_BYTES = MAX_BODY_BYTES - 100;

const sizeOf = ({ body }: DocumentOperation) => utf8ToBytes(JSON.stringify(body)).length + 1;

/** The item's times, capped at the service's clock, because the local clock may be fast. */
function timesUntil(now: Date, { created_at, updated_at }: PlannedItem["item"]) {
  const clamp = (time: Date | undefined) => (time && time > now ? now : time)?.toISOString();
  return { created_at: clamp(created_at), updated_at: clamp(updated_at) };
}

type WriteContext = {
  folder_id: string | null;
  now: Date;
  ids: FileIds;
};

/** The operation for a step; undefined if there is nothing to write. */
export function documentOperation(
  step: PlannedItem,
  { folder_id, now, ids }: WriteContext,
): DocumentOperation | undefined {
  if (step.kind === "skip") return undefined;
  const { item } = step;
  const before = "document" in step ? step.document : undefined;
  const imported = createImportMark(item, (before?.version ?? 0) + 1, ids);
  if (step.kind === "update" && isUpToDate(step.document.mark, imported)) return undefined;
  const content = { ...contentWithFileIds(item, ids), imported };
  const written = { title: item.title, tags: item.tags, folder_id, content };
  const body = { ...written, ...timesUntil(now, item) };
  const files = attachedFileIds(item, ids);
  return {
    where: item.where,
    ...(files.length > 0 && { files }),
    body: before
      ? { operation: "update", id: before.id, expected_version: before.version, ...body }
      : { operation: "create", ...body },
  };
}

/** Moves a document to the trash, unless it was changed since it was listed. */
export const trashOperation = ({ id, title, version }: ImportedDocument): DocumentOperation => ({
  where: title,
  body: { operation: "delete", id, expected_version: version },
});

/** Groups operations so that each group fits into a request. An operation that is too large for any request is alone. */
export function* operationGroups<One extends DocumentOperation>(operations: Iterable<One>): Generator<One[]> {
  let group: One[] = [];
  let bytes = 0;
  for (const operation of operations) {
    const size = sizeOf(operation);
    if (group.length > 0 && (bytes + size > MAX_BYTES || group.length === MAX_OPERATIONS)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(operation);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

export type WriteResult = { id?: string | undefined; why?: string };

type Results = DocumentBulkAnswer["results"];

/** Returns the result of each operation. The key makes the request safe to repeat if it gets no answer. */
async function sendGroup(client: ApiClient, group: DocumentOperation[], key: string): Promise<Results> {
  const headers = { "Idempotency-Key": key, "X-Source-Type": "import" };
  const body = { operations: group.map(({ body }) => body) };
  try {
    const path = "/api/documents/bulk";
    return (await client.send<DocumentBulkAnswer>({ method: "POST", path, body, headers })).results;
  } catch (problem) {
    // Parts of a rejected request may still succeed.
    if (!(problem instanceof RequestRejectedError) || ![400, 413, 422].includes(problem.status))
      throw problem;
    return group.map((_, index) => ({ index, ok: false, detail: problem.message }));
  }
}

const NOT_FOUND = "Not found";

async function writeAlone(
  client: ApiClient,
  operation: DocumentOperation,
  key: string,
): Promise<WriteResult> {
  const size = sizeOf(operation);
  if (size > MAX_BYTES) return { why: tooLargeMessage(size) };
  const [result] = await sendGroup(client, [operation], key);
  const isGone = result?.detail === NOT_FOUND;
  if (result?.ok || (isGone && operation.body.operation === "delete")) return { id: result.id };
  const { id, expected_version: _, ...body } = operation.body;
  if (!isGone || body.operation !== "update") return { why: result?.detail ?? "no result" };
  return writeAlone(client, { ...operation, body: { ...body, operation: "create" } }, `${key}-again`);
}

/** Attaches files to a document. Existing attachments stay. */
async function attach(
  client: ApiClient,
  { id, why }: WriteResult,
  files: readonly string[] = [],
): Promise<void> {
  if (id === undefined || why !== undefined) return;
  for (const file of files)
    await client.send({ method: "PUT", path: `/api/files/${file}/documents/${id}` }).catch((problem) => {
      // The file or the document was moved to the trash meanwhile.
      if (!(problem instanceof RequestRejectedError)) throw problem;
    });
}

/** Carries out operations once, under a `key`. Rejected ones are repeated alone, because the work of a request is limited. */
export async function writeOperations(
  client: ApiClient,
  group: DocumentOperation[],
  key: string = crypto.randomUUID(),
): Promise<WriteResult[]> {
  const results = group.length === 1 ? [] : await sendGroup(client, group, key);
  const written: WriteResult[] = [];
  for (const [index, operation] of group.entries()) {
    const result = results[index];
    const outcome = result?.ok ? { id: result.id } : await writeAlone(client, operation, `${key}-${index}`);
    await attach(client, outcome, operation.files);
    written.push(outcome);
  }
  return written;
}
