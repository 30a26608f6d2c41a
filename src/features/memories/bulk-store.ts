import { breathe } from "../../platform/turns/yield.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, notFound } from "../../platform/core/errors.ts";
import type { BulkOperation, BulkResult, MemoryBulkAnswer } from "../../contract/memory-bulk.ts";
import { actOnMemory, supersedeMemory, type Update, updateMemory, updateTogether } from "../../memories/change-store.ts";
import type { Writer } from "./row-store.ts";
import type { Memory } from "../../contract/memory.ts";
import { createMemory } from "./store.ts";
import { deleteMemory, restoreMemory } from "./trash-store.ts";

/** A changed record; of a deleted one, what is needed to name it. */
type Done = Memory | Pick<Memory, "id" | "topic">;

/** Carries out one operation of a bulk request. */
async function operate(ctx: Ctx, operation: BulkOperation, writer: Writer): Promise<Done> {
  switch (operation.operation) {
    case "create": {
      const { operation: _, ...input } = operation;
      return createMemory(ctx, input, writer);
    }
    case "update": {
      const { operation: _, id, ...change } = operation;
      return updateMemory(ctx, id, change, writer);
    }
    case "delete": {
      const { source_type, client_name } = writer;
      const topic = await deleteMemory(ctx, operation.id, { source_type, client_name });
      return { id: operation.id, topic };
    }
    case "restore":
      return restoreMemory(ctx, operation.id, writer);
    case "supersede": {
      const { operation: _, id, ...input } = operation;
      return (await supersedeMemory(ctx, id, input, writer)).successor;
    }
    default: {
      const { operation: action, id, ...input } = operation;
      return actOnMemory(ctx, id, { action, input }, writer);
    }
  }
}

/** Turns a refusal into the result of its operation. Any other error is a bug and fails the request. */
function refused(problem: unknown): { detail: string } {
  if (problem instanceof AppError) return { detail: problem.message };
  throw problem;
}

/** The result of an operation, with the record if there still is one, or the topic of one that was deleted. */
export type Outcome = BulkResult & { memory?: Memory; topic?: string };

/** Carries out operations in order, each in its own transaction; a refused one does not stop the others. */
export async function carryOut(ctx: Ctx, operations: BulkOperation[], writer: Writer): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, operation] of operations.entries()) {
    const done = await operate(ctx, operation, writer).then((record) => ({ record }), refused);
    const known = "id" in operation ? { id: operation.id } : {};
    if ("detail" in done) outcomes.push({ index, ok: false, ...known, ...done });
    else {
      const { record } = done;
      const what = "status" in record ? { memory: record } : { topic: record.topic };
      outcomes.push({ index, ok: true, id: record.id, ...what });
    }
    await breathe();
  }
  return outcomes;
}

/** The same without the records themselves, and counted. */
export async function changeMemories(
  ctx: Ctx,
  operations: BulkOperation[],
  writer: Writer,
): Promise<MemoryBulkAnswer> {
  const results = (await carryOut(ctx, operations, writer)).map(
    ({ memory: _, topic: __, ...result }) => result,
  );
  const succeeded = results.filter(({ ok }) => ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}

/** A record after a change, or why it was not changed. */
export type Updated = { id: number; memory?: Memory; detail?: string };

/**
 * Changes several records, each named once: in one transaction, unless another change of one of them comes first or there
 * is no room for all. Then each has its own, and a refused one does not stop the others.
 */
export async function updateMemories(
  ctx: Ctx,
  updates: readonly Update[],
  writer: Writer,
): Promise<Updated[]> {
  const together = await updateTogether(ctx, updates, writer);
  if (together) {
    const byId = new Map(together.map((memory) => [memory.id, memory]));
    return updates.map(({ id }) => {
      const memory = byId.get(id);
      return memory ? { id, memory } : { id, detail: notFound().message };
    });
  }
  const updated: Updated[] = [];
  for (const { id, change } of updates) {
    const update = updateMemory(ctx, id, change, writer);
    updated.push({ id, ...(await update.then((memory) => ({ memory }), refused)) });
    await breathe();
  }
  return updated;
}
