import { randomUUID } from "node:crypto";
import type { DocumentBulkAnswer } from "../../src/documents/bulk-schema.ts";
import { type Client, Refused } from "./client.ts";
import type { Step } from "./imported.ts";
import { type Imported, markOf } from "./imported.ts";
import { MAX_BODY_BYTES, tooLarge } from "./size.ts";

// Writes through POST /api/documents/bulk: many documents per request, each with its own result.

/** An operation of a bulk request, and where its text comes from. */
export type Operation = {
  where: string;
  body: { operation: "create" | "update" | "delete"; id?: string } & Record<string, unknown>;
};

const MAX_OPERATIONS = 100;
/** The service accepts 1 MiB; the rest of the body needs some of it. */
const MAX_BYTES = MAX_BODY_BYTES - 100;

const wrap = (operations: Operation[]) => ({ operations: operations.map(({ body }) => body) });
const sizeOf = ({ body }: Operation) => Buffer.byteLength(JSON.stringify(body)) + 1;

/** The item's times, limited to the service's clock: ours may be fast. */
function timesUntil(now: Date, { created_at, updated_at }: Step["item"]) {
  const clamp = (time: Date | undefined) => (time && time > now ? now : time)?.toISOString();
  return { created_at: clamp(created_at), updated_at: clamp(updated_at) };
}

/** The operation of a step, or undefined if it writes nothing. */
export function operationOf(step: Step, folder_id: string | null, now: Date): Operation | undefined {
  if (step.kind === "skip") return undefined;
  const { item } = step;
  const before = "document" in step ? step.document : undefined;
  const imported = markOf(item, (before?.version ?? 0) + 1);
  const written = { title: item.title, tags: item.tags, folder_id, content: { ...item.content, imported } };
  const body = { ...written, ...timesUntil(now, item) };
  return {
    where: item.where,
    body: before
      ? { operation: "update", id: before.id, expected_version: before.version, ...body }
      : { operation: "create", ...body },
  };
}

/** Moves a document to the trash, unless it was changed since it was listed. */
export const trashOperation = ({ id, title, version }: Imported): Operation => ({
  where: title,
  body: { operation: "delete", id, expected_version: version },
});

/** Groups operations so that each group fits into a request. One that is too large for any request stays alone. */
export function* groupsOf(operations: Iterable<Operation>): Generator<Operation[]> {
  let group: Operation[] = [];
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

type Results = DocumentBulkAnswer["results"];

/**
 * The service's result for each operation. The Idempotency-Key makes it safe to repeat the request if no answer comes.
 */
async function request(client: Client, group: Operation[]): Promise<Results> {
  const headers = { "Idempotency-Key": randomUUID(), "X-Source-Type": "import" };
  const body = wrap(group);
  try {
    const path = "/api/documents/bulk";
    return (await client.send<DocumentBulkAnswer>({ method: "POST", path, body, headers })).results;
  } catch (problem) {
    // Parts of a refused request may still succeed.
    if (!(problem instanceof Refused) || ![400, 413, 422].includes(problem.status)) throw problem;
    return group.map((_, index) => ({ index, ok: false, detail: problem.message }));
  }
}

/** The service's error for a document that does not exist; for a folder it names the field. */
const NOT_FOUND = "Not found";

/**
 * Writes one document in a request of its own, and creates it again if it was deleted in the meantime. Returns why it
 * was refused, if it was.
 */
async function writeAlone(client: Client, operation: Operation): Promise<string | undefined> {
  const size = sizeOf(operation);
  if (size > MAX_BYTES) return tooLarge(size);
  const [result] = await request(client, [operation]);
  const isGone = result?.detail === NOT_FOUND;
  if (result?.ok || (isGone && operation.body.operation === "delete")) return undefined;
  const { id, expected_version: _, ...body } = operation.body;
  if (!isGone || body.operation !== "update") return result?.detail ?? "no result";
  return writeAlone(client, { ...operation, body: { ...body, operation: "create" } });
}

/**
 * Carries out operations, each once. Those refused in a group are repeated alone, because the work per request is
 * limited. Returns for each why it was finally refused, or undefined.
 */
export async function writeGroup(client: Client, group: Operation[]): Promise<(string | undefined)[]> {
  const results = group.length === 1 ? [] : await request(client, group);
  const problems: (string | undefined)[] = [];
  for (const [index, operation] of group.entries())
    problems.push(results[index]?.ok ? undefined : await writeAlone(client, operation));
  return problems;
}
