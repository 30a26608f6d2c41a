import { z } from "@hono/zod-openapi";
import { Page, RequestQuery, Timestamp } from "./fields.ts";
import { SourceType } from "./document.ts";
import { Day, MemoryParams, MemoryStatus, MemoryType, Scope } from "./memory.ts";

export const VersionListQuery = RequestQuery(Page);

export const VersionParams = MemoryParams.extend({
  version: z
    .string()
    .regex(/^[1-9]\d{0,11}$/, "must be a version number")
    .transform(Number)
    .openapi({ type: "integer", minimum: 1 }),
});

const listed = {
  memory_id: z.int(),
  version: z.int(),
  memory_type: MemoryType,
  topic: z.string(),
  status: MemoryStatus,
  scope: Scope.nullable(),
  project: z.string().nullable(),
  tags: z.array(z.string()),
  due_date: Day.nullable(),
  deferred_until: Day.nullable(),
  document_id: z.uuid().nullable().meta({ description: "The document, which may have been deleted since" }),
  resolved_at: Timestamp.nullable(),
  resolution_note: z.string().nullable(),
  note: z
    .string()
    .nullable()
    .meta({ description: "What was said when it was last deferred, archived or reopened" }),
  last_confirmed_at: Timestamp.nullable(),
  source_type: SourceType.nullable().meta({ description: "What kind of program wrote this version" }),
  client_name: z.string().nullable().meta({ description: "The program's name, if it gave one" }),
  created_at: Timestamp.meta({ description: "When this version was written" }),
};

export const MemoryVersion = z.strictObject({ ...listed, content: z.string() }).meta({ id: "MemoryVersion" });
export type MemoryVersion = z.infer<typeof MemoryVersion>;

/** A version in a list, without its content. */
export const MemoryVersionListItem = z.strictObject(listed).meta({ id: "MemoryVersionListItem" });

export const MemoryVersionList = z
  .strictObject({ items: z.array(MemoryVersionListItem), total: z.int() })
  .meta({ id: "MemoryVersionList" });
export type MemoryVersionList = z.infer<typeof MemoryVersionList>;
