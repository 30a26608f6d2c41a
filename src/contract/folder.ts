import { z } from "@hono/zod-openapi";
import { ChangeBody, IntegerParam, Name, RequestQuery, Timestamp, Uuid } from "./fields.ts";
import { LineInstant } from "./line-fields.ts";
import { IdempotencyHeaders } from "../idempotency/schema.ts";

export const FolderCreateRequest = z
  .strictObject({ name: Name(255), parent_id: Uuid.nullable().optional() })
  .meta({ id: "FolderCreateRequest", example: { name: "Travel", parent_id: null } });
export type FolderCreateRequest = z.infer<typeof FolderCreateRequest>;

export const Folder = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    parent_id: Uuid.nullable(),
    document_count: z.int().meta({ description: "Documents directly in this folder" }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Folder" });
export type Folder = z.infer<typeof Folder>;

export const FolderUpdateRequest = ChangeBody(FolderCreateRequest.partial(), Folder).meta({
  id: "FolderUpdateRequest",
  example: { name: "Trips" },
});
export type FolderUpdateRequest = z.infer<typeof FolderUpdateRequest>;

export const FolderList = z
  .strictObject({ items: z.array(Folder), total: z.int() })
  .meta({ id: "FolderList" });
export type FolderList = z.infer<typeof FolderList>;

/** A folder in an export. */
export const FolderLine = z.strictObject({
  type: z.literal("folder"),
  id: Uuid,
  name: FolderCreateRequest.shape.name,
  parent_id: Uuid.nullable(),
  created_at: LineInstant,
  updated_at: LineInstant,
});

export const FolderParams = z.object({ folder_id: Uuid });

export const FolderListQuery = RequestQuery({
  parent_id: z
    .union([z.uuid("must be a UUID or none"), z.literal("none")])
    .optional()
    .meta({ description: "Only the folders in this one; `none` for the top level" }),
  limit: IntegerParam({ min: 1, max: 1000, default: 100 }),
  offset: IntegerParam({ min: 0, default: 0 }),
});
export type FolderListQuery = z.infer<typeof FolderListQuery>;

export const FolderCreateHeaders = IdempotencyHeaders;

export const FolderDeleteQuery = RequestQuery({
  on_content: z.enum(["move_up", "trash"]).optional().meta({
    description:
      "`move_up` moves its contents to the parent folder; `trash` moves its documents, and those in its subfolders, to the trash. Without it, only an empty folder is deleted",
  }),
});
