import { breathe } from "../core/breathe.ts";
import type { Ctx } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import type { BulkOperation, BulkResult, MemoryBulkAnswer } from "./bulk-schema.ts";
import { actOnMemory, supersedeMemory, updateMemory } from "./change-store.ts";
import type { Writer } from "./row-store.ts";
import { createMemory } from "./store.ts";
import { deleteMemory, restoreMemory } from "./trash-store.ts";

/** Carries out one operation of a bulk request and returns the id of its record. */
async function operate(ctx: Ctx, operation: BulkOperation, writer: Writer): Promise<number> {
  switch (operation.operation) {
    case "create": {
      const { operation: _, ...input } = operation;
      return (await createMemory(ctx, input, writer)).id;
    }
    case "update": {
      const { operation: _, id, ...change } = operation;
      return (await updateMemory(ctx, id, change, writer)).id;
    }
    case "delete": {
      const { source_type, client_name } = writer;
      await deleteMemory(ctx, operation.id, { source_type, client_name });
      return operation.id;
    }
    case "restore":
      return (await restoreMemory(ctx, operation.id, writer)).id;
    case "supersede": {
      const { operation: _, id, ...input } = operation;
      return (await supersedeMemory(ctx, id, input, writer)).successor.id;
    }
    default: {
      const { operation: action, id, ...input } = operation;
      return (await actOnMemory(ctx, id, { action, input }, writer)).id;
    }
  }
}

/** Turns a refusal into the result of its operation. Any other error is a bug and fails the request. */
function refused(problem: unknown): { detail: string } {
  if (problem instanceof AppError) return { detail: problem.message };
  throw problem;
}

/** Carries out operations in order, each in its own transaction; a refused one does not stop the others. */
export async function changeMemories(
  ctx: Ctx,
  operations: BulkOperation[],
  writer: Writer,
): Promise<MemoryBulkAnswer> {
  const results: BulkResult[] = [];
  for (const [index, operation] of operations.entries()) {
    const outcome = await operate(ctx, operation, writer).then((id) => ({ id }), refused);
    const known = "id" in operation ? { id: operation.id } : {};
    results.push({ index, ok: "id" in outcome, ...known, ...outcome });
    await breathe();
  }
  const succeeded = results.filter(({ ok }) => ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}
