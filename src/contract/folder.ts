import { z } from "@hono/zod-openapi";
import { WriterHeaders } from "./document.ts";
import { ExportedInstant } from "./export-fields.ts";
import { type FieldSpec, pluckFields } from "./field-spec.ts";
import { IntegerParam, ItemList, Name, RequestQuery, Timestamp, UpdateBody, Uuid } from "./fields.ts";
import { IdempotencyHeaders } from "./idempotency.ts";

/** Defines each field of a folder once. Requests, responses, exports, activity and sizes are derived from it. */
export const FOLDER_FIELDS = {
  id: { shown: Uuid },
  name: { requested: Name(255), shown: z.string(), versioned: Name(255), counted: true },
  parent_id: {
    meaning: "Id of the parent folder; null at the top level",
    requested: Uuid.nullable().optional(),
    shown: Uuid.nullable(),
    versioned: Uuid.nullable(),
    compared: Uuid.nullable(),
  },
  document_count: { shown: z.int().meta({ description: "Number of documents directly in this folder" }) },
  created_at: { shown: Timestamp, versioned: ExportedInstant },
  updated_at: { shown: Timestamp, exported: ExportedInstant },
} satisfies Record<string, FieldSpec>;

export const FolderCreateRequest = z
  .strictObject(pluckFields(FOLDER_FIELDS, "requested"))
  .meta({ id: "FolderCreateRequest", example: { name: "Travel", parent_id: null } });
export type FolderCreateRequest = z.infer<typeof FolderCreateRequest>;

export const Folder = z.strictObject(pluckFields(FOLDER_FIELDS, "shown")).meta({ id: "Folder" });
export type Folder = z.infer<typeof Folder>;

export const FolderUpdateRequest = UpdateBody(FolderCreateRequest.partial(), Folder).meta({
  id: "FolderUpdateRequest",
  example: { name: "Trips" },
});
export type FolderUpdateRequest = z.infer<typeof FolderUpdateRequest>;

export const FolderList = ItemList("FolderList", Folder);
export type FolderList = z.infer<typeof FolderList>;

const versioned = z.strictObject(pluckFields(FOLDER_FIELDS, "versioned"));

export type FolderSnapshot = z.infer<typeof versioned>;

export const FolderExportLine = z.strictObject({
  type: z.literal("folder"),
  id: Uuid,
  ...versioned.shape,
  ...pluckFields(FOLDER_FIELDS, "exported"),
});

export const FolderParams = z.object({ folder_id: Uuid });

export const FolderListQuery = RequestQuery({
  parent_id: z
    .union([z.uuid("must be a UUID or none"), z.literal("none")])
    .optional()
    .meta({ description: "Only folders directly in this one. `none`: only top-level folders" }),
  limit: IntegerParam({ min: 1, max: 1000, default: 100 }),
  offset: IntegerParam({ min: 0, default: 0 }),
});
export type FolderListQuery = z.infer<typeof FolderListQuery>;

export const FolderCreateHeaders = IdempotencyHeaders.extend(
  WriterHeaders.pick({ "x-source-type": true }).shape,
);

export const FolderDeleteQuery = RequestQuery({
  on_content: z.enum(["move_up", "trash"]).optional().meta({
    description:
      "`move_up` moves the contents to the parent folder. `trash` moves the documents in it and its subfolders to the trash. Without it, only an empty folder is deleted",
  }),
});
