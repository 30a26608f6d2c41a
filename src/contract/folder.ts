import { z } from "@hono/zod-openapi";
import { each, type Field } from "./field.ts";
import { ChangeBody, IntegerParam, Name, RequestQuery, Timestamp, Uuid } from "./fields.ts";
import { IdempotencyHeaders } from "./idempotency.ts";
import { LineInstant } from "./line-fields.ts";

/** Each field of a folder, once. Requests, answers, exports, the ledger and sizes follow from it. */
export const FOLDER = {
  id: { shown: Uuid },
  name: { requested: Name(255), shown: z.string(), versioned: Name(255), counted: true },
  parent_id: {
    meaning: "The folder that it is in; null for the top level",
    requested: Uuid.nullable().optional(),
    shown: Uuid.nullable(),
    versioned: Uuid.nullable(),
    compared: Uuid.nullable(),
  },
  document_count: { shown: z.int().meta({ description: "Documents directly in this folder" }) },
  created_at: { shown: Timestamp, versioned: LineInstant },
  updated_at: { shown: Timestamp, exported: LineInstant },
} satisfies Record<string, Field>;

export const FolderCreateRequest = z
  .strictObject(each(FOLDER, "requested"))
  .meta({ id: "FolderCreateRequest", example: { name: "Travel", parent_id: null } });
export type FolderCreateRequest = z.infer<typeof FolderCreateRequest>;

export const Folder = z.strictObject(each(FOLDER, "shown")).meta({ id: "Folder" });
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

const versioned = z.strictObject(each(FOLDER, "versioned"));

export type KeptFolder = z.infer<typeof versioned>;

export const FolderLine = z.strictObject({
  type: z.literal("folder"),
  id: Uuid,
  ...versioned.shape,
  ...each(FOLDER, "exported"),
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
