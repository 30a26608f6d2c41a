import { z } from "@hono/zod-openapi";
import { SourceType } from "./document-fields.ts";
import { pluckFields } from "./field-spec.ts";
import { ItemList, PageParams, RequestQuery, Timestamp, VersionNumberParam } from "./fields.ts";
import { MemoryParams } from "./memory.ts";
import { MEMORY_FIELDS } from "./memory-fields.ts";

export const VersionListQuery = RequestQuery(PageParams);

export const VersionParams = MemoryParams.extend({ version: VersionNumberParam });

const { shape: versionedFields } = z.strictObject(pluckFields(MEMORY_FIELDS, "shown")).omit({
  content: true,
  updated_at: true,
  supersedes_id: true,
  superseded_by_id: true,
  series_id: true,
  remind_at: true,
});

const versionSummary = {
  memory_id: z.int(),
  ...versionedFields,
  version: z.int(),
  project: z.string().nullable(),
  document_id: z
    .uuid()
    .nullable()
    .meta({ description: "Id of the document, which may have been deleted since" }),
  source_type: SourceType.nullable().meta({ description: "The kind of program that wrote this version" }),
  client_name: z.string().nullable().meta({ description: "Name of the program, if it gave one" }),
  created_at: Timestamp.meta({ description: "When this version was written" }),
};

export const MemoryVersion = z
  .strictObject({ ...versionSummary, content: z.string() })
  .meta({ id: "MemoryVersion" });
export type MemoryVersion = z.infer<typeof MemoryVersion>;

export const MemoryVersionListItem = z.strictObject(versionSummary).meta({ id: "MemoryVersionListItem" });

export const MemoryVersionList = ItemList("MemoryVersionList", MemoryVersionListItem);
export type MemoryVersionList = z.infer<typeof MemoryVersionList>;
