import { z } from "@hono/zod-openapi";
import {
  deferralFields,
  Id,
  MemoryCreateRequest,
  memoryChanges,
  noteField,
  resolutionFields,
  SupersedeRequest,
} from "./memory.ts";

export const MAX_BULK_OPERATIONS = 100;

const MemoryBulkOperation = z.discriminatedUnion("operation", [
  MemoryCreateRequest.extend({ operation: z.literal("create") }).meta({ id: "MemoryBulkCreate" }),
  memoryChanges.extend({ operation: z.literal("update"), id: Id }).meta({ id: "MemoryBulkUpdate" }),
  z.strictObject({ operation: z.literal("delete"), id: Id }).meta({ id: "MemoryBulkDelete" }),
  z.strictObject({ operation: z.literal("restore"), id: Id }).meta({ id: "MemoryBulkRestore" }),
  z
    .strictObject({ operation: z.literal("resolve"), id: Id, ...resolutionFields })
    .meta({ id: "MemoryBulkResolve" }),
  z
    .strictObject({ operation: z.literal("defer"), id: Id, ...deferralFields })
    .meta({ id: "MemoryBulkDefer" }),
  z.strictObject({ operation: z.literal("archive"), id: Id, ...noteField }).meta({ id: "MemoryBulkArchive" }),
  z.strictObject({ operation: z.literal("skip"), id: Id, ...noteField }).meta({ id: "MemoryBulkSkip" }),
  z.strictObject({ operation: z.literal("reopen"), id: Id, ...noteField }).meta({ id: "MemoryBulkReopen" }),
  z.strictObject({ operation: z.literal("confirm"), id: Id, ...noteField }).meta({ id: "MemoryBulkConfirm" }),
  SupersedeRequest.extend({ operation: z.literal("supersede"), id: Id }).meta({ id: "MemoryBulkSupersede" }),
]);
export type MemoryBulkOperation = z.infer<typeof MemoryBulkOperation>;

export const MemoryBulkRequest = z
  .strictObject({ operations: z.array(MemoryBulkOperation).min(1).max(MAX_BULK_OPERATIONS) })
  .meta({
    id: "MemoryBulkRequest",
    example: {
      operations: [
        { operation: "create", memory_type: "decision", topic: "Database", content: "We stay with SQLite" },
        { operation: "resolve", id: 1, resolution_note: "Sent on Thursday" },
      ],
    },
  });

export const MemoryBulkResult = z.strictObject({
  index: z.int(),
  ok: z.boolean(),
  id: z.int().optional().meta({ description: "Id of the record; for `supersede`, of the new one" }),
  next_id: z.int().optional().meta({ description: "Id of the next record, if a repeating one was closed" }),
  detail: z.string().optional().meta({ description: "Why the operation was rejected" }),
});
export type MemoryBulkResult = z.infer<typeof MemoryBulkResult>;

export const MemoryBulkAnswer = z
  .strictObject({ results: z.array(MemoryBulkResult), succeeded: z.int(), failed: z.int() })
  .meta({ id: "MemoryBulkAnswer" });
export type MemoryBulkAnswer = z.infer<typeof MemoryBulkAnswer>;
