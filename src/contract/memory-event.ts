import { z } from "@hono/zod-openapi";
import { SourceType } from "./document.ts";
import { ExportedClientName, ExportedInstant } from "./export-fields.ts";
import { ItemList, PageParams, RequestQuery, Timestamp } from "./fields.ts";
import { Id, MemoryState, MemoryStatus, Note } from "./memory.ts";
import { MEMORY_EVENTS } from "./record-words.ts";

export const MemoryEventName = z.enum(MEMORY_EVENTS);
export type MemoryEventName = z.infer<typeof MemoryEventName>;

export const MemoryEvent = z
  .strictObject({
    id: z.int(),
    memory_id: z.int(),
    event: MemoryEventName,
    from_status: MemoryStatus.nullable(),
    to_status: MemoryStatus,
    note: z.string().nullable(),
    source_type: SourceType.nullable().meta({ description: "Null if the service itself did it" }),
    client_name: z.string().nullable(),
    at: Timestamp,
  })
  .meta({ id: "MemoryEvent" });
export type MemoryEvent = z.infer<typeof MemoryEvent>;

export const MemoryEventList = ItemList("MemoryEventList", MemoryEvent);
export type MemoryEventList = z.infer<typeof MemoryEventList>;

export const MemoryEventListQuery = RequestQuery(PageParams);

export const MemoryEventExportLine = z.strictObject({
  type: z.literal("memory_event"),
  memory_id: Id,
  event: MemoryEventName,
  from_status: MemoryStatus.nullable(),
  to_status: MemoryStatus,
  note: Note.nullable(),
  source_type: SourceType.nullable(),
  client_name: ExportedClientName,
  at: ExportedInstant,
  /** The record before the event. Missing in exports of earlier releases. */
  state: MemoryState.nullable().default(null),
});
