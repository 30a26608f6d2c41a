import { z } from "@hono/zod-openapi";
import { SourceType } from "./document.ts";
import { Page, RequestQuery, Timestamp } from "./fields.ts";
import { LineClient, LineInstant } from "./line-fields.ts";
import { Id, MemoryState, MemoryStatus, Note } from "./memory.ts";
import { EVENTS } from "./record-words.ts";

export const EventName = z.enum(EVENTS);
export type EventName = z.infer<typeof EventName>;

export const MemoryEvent = z
  .strictObject({
    id: z.int(),
    memory_id: z.int(),
    event: EventName,
    from_status: MemoryStatus.nullable(),
    to_status: MemoryStatus,
    note: z.string().nullable(),
    source_type: SourceType.nullable().meta({ description: "Null if the service itself did it" }),
    client_name: z.string().nullable(),
    at: Timestamp,
  })
  .meta({ id: "MemoryEvent" });
export type MemoryEvent = z.infer<typeof MemoryEvent>;

export const MemoryEventList = z
  .strictObject({ items: z.array(MemoryEvent), total: z.int() })
  .meta({ id: "MemoryEventList" });
export type MemoryEventList = z.infer<typeof MemoryEventList>;

export const MemoryEventListQuery = RequestQuery(Page);

export const MemoryEventLine = z.strictObject({
  type: z.literal("memory_event"),
  memory_id: Id,
  event: EventName,
  from_status: MemoryStatus.nullable(),
  to_status: MemoryStatus,
  note: Note.nullable(),
  source_type: SourceType.nullable(),
  client_name: LineClient,
  at: LineInstant,
  /** The record before the event. Missing in exports of earlier releases. */
  state: MemoryState.nullable().default(null),
});
