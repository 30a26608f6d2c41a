import type { ErrorCode } from "../../contract/error-codes.ts";
import type { Memory } from "../../contract/memory.ts";
import type { MemoryBulkAnswer, MemoryBulkOperation, MemoryBulkResult } from "../../contract/memory-bulk.ts";
import { omit } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, hasCode, notFound } from "../../platform/core/errors.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { runMemoryAction, supersedeMemory } from "./action-store.ts";
import type { MemoryWriter } from "./row-store.ts";
import { createMemory } from "./store.ts";
import { deleteMemory, restoreMemory } from "./trash-store.ts";
import { type MemoryUpdate, updateMemoriesTogether, updateMemory } from "./update-store.ts";

export type OperationOutcome = MemoryBulkResult & {
  memory?: Memory;
  next?: Memory;
  topic?: string;
  code?: ErrorCode | undefined;
};

type CompletedOperation = Omit<OperationOutcome, "index" | "ok">;

const completed = (memory: Memory, next?: Memory): CompletedOperation => ({
  id: memory.id,
  memory,
  ...(next && { next, next_id: next.id }),
});

type BulkOptions = { writer: MemoryWriter; isCorrection?: boolean | undefined };

async function runOperation(
  ctx: Ctx,
  operation: MemoryBulkOperation,
  { writer, isCorrection }: BulkOptions,
): Promise<CompletedOperation> {
  switch (operation.operation) {
    case "create": {
      const { operation: _, ...input } = operation;
      return completed(await createMemory(ctx, input, writer));
    }
    case "update": {
      const { operation: _, id, ...change } = operation;
      return completed(await updateMemory(ctx, id, change, writer));
    }
    case "delete": {
      const { source_type, client_name } = writer;
      const { id } = operation;
      return { id, topic: await deleteMemory(ctx, id, { source_type, client_name }) };
    }
    case "restore":
      return completed(await restoreMemory(ctx, operation.id, writer));
    case "supersede": {
      const { operation: _, id, ...input } = operation;
      return completed((await supersedeMemory(ctx, id, input, writer)).successor);
    }
    default: {
      const { operation: action, id, ...input } = operation;
      const { memory, successor } = await runMemoryAction(ctx, id, { action, input, isCorrection }, writer);
      return completed(memory, successor);
    }
  }
}

/** The result of a rejected operation. Any other error is a bug and fails the request. */
function rejection(problem: unknown): { detail: string; code?: ErrorCode | undefined } {
  if (problem instanceof AppError) return { detail: problem.message, code: problem.code };
  throw problem;
}

/** Runs operations in order, each in its own transaction; a rejected one does not stop the others. */
export async function runOperations(
  ctx: Ctx,
  operations: MemoryBulkOperation[],
  how: BulkOptions,
): Promise<OperationOutcome[]> {
  const outcomes: OperationOutcome[] = [];
  for (const [index, operation] of operations.entries()) {
    const known = "id" in operation ? { id: operation.id } : {};
    outcomes.push(
      await runOperation(ctx, operation, how).then(
        (done) => ({ index, ok: true, ...done }),
        (problem: unknown) => ({ index, ok: false, ...known, ...rejection(problem) }),
      ),
    );
    await yieldToOthers();
  }
  return outcomes;
}

export async function changeMemories(
  ctx: Ctx,
  operations: MemoryBulkOperation[],
  writer: MemoryWriter,
): Promise<MemoryBulkAnswer> {
  const results = (await runOperations(ctx, operations, { writer })).map((result) =>
    omit(result, "memory", "next", "topic", "code"),
  );
  const succeeded = results.filter(({ ok }) => ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}

export type UpdateResult = { id: number; memory?: Memory; detail?: string; code?: ErrorCode | undefined };

/**
 * Updates records in one transaction, or each in its own if that fails. Throws 503 if the outcome of a single update is
 * unknown.
 */
export async function updateMemories(
  ctx: Ctx,
  updates: readonly MemoryUpdate[],
  writer: MemoryWriter,
): Promise<UpdateResult[]> {
  const together = await updateMemoriesTogether(ctx, updates, writer);
  if (together) {
    return updates.map(({ id }) => {
      const found = together.get(id) ?? notFound();
      return { id, ...(found instanceof AppError ? rejection(found) : { memory: found }) };
    });
  }
  const refusedOf = (problem: unknown) => {
    if (updates.length === 1 && hasCode(problem, "outcome_unknown")) throw problem;
    return rejection(problem);
  };
  const updated: UpdateResult[] = [];
  for (const { id, change, ifMatch } of updates) {
    const update = updateMemory(ctx, id, change, { ...writer, ifMatch });
    updated.push({ id, ...(await update.then((memory) => ({ memory }), refusedOf)) });
    await yieldToOthers();
  }
  return updated;
}
