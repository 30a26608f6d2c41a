import { z } from "@hono/zod-openapi";
import { EXPORT_SECTIONS } from "./export-format.ts";
import { BooleanParam, ItemList, PageParams, RequestQuery, Timestamp, Uuid } from "./fields.ts";

export const ImportMode = z.enum(["skip", "overwrite", "copy"]);
export type ImportMode = z.infer<typeof ImportMode>;

export const ImportQuery = RequestQuery({
  mode: ImportMode.default("skip").meta({
    description:
      "How to treat ids that already exist in the account: `skip` keeps what is stored, `overwrite` replaces it (the " +
      "previous state becomes a version), `copy` imports everything under new ids",
  }),
  dry_run: BooleanParam("Report what would happen without writing anything"),
});
export type ImportQuery = z.infer<typeof ImportQuery>;

export const ImportParams = z.object({ import_id: Uuid });

export const ImportListQuery = RequestQuery(PageParams);

export const ImportHeaders = z.object({
  "content-range": z
    .string()
    .regex(/^bytes \d{1,15}-\d{1,15}\/(\d{1,15}|\*)$/, "must look like bytes 0-999/5000")
    .optional()
    .meta({ description: "The part of the file in the body. Without it, the body is the whole file" }),
});

const ImportCounts = z.strictObject({
  created: z.int(),
  overwritten: z.int(),
  skipped: z.int(),
  remapped: z.int().meta({
    description: "Number created under new ids: all in mode `copy`, otherwise 0",
  }),
});

export type ImportCounts = z.infer<typeof ImportCounts>;

const NotStoredItems = z.strictObject({
  total: z.int().meta({ description: "Number of items not stored" }),
  items: z
    .array(
      z.strictObject({
        type: z.enum(EXPORT_SECTIONS).exclude(["settings", "attachment"]),
        id: z
          .string()
          .meta({ description: "Id in the file. For a version or event, the id of its document or record" }),
        title: z.string(),
        detail: z.string().meta({ description: "The reason, and what to do" }),
      }),
    )
    .meta({ description: "The first 100" }),
});

export type NotStoredItems = z.infer<typeof NotStoredItems>;

export const Import = z
  .strictObject({
    id: Uuid,
    mode: ImportMode,
    dry_run: z.boolean(),
    status: z.enum(["uploading", "applying", "done"]),
    received: z.int().meta({ description: "Number of bytes stored. Continue the upload from here" }),
    settings: ImportCounts,
    folders: ImportCounts,
    documents: ImportCounts,
    document_versions: ImportCounts,
    memories: ImportCounts,
    memory_events: ImportCounts,
    files: ImportCounts.meta({
      description:
        "Counts of files. Files whose bytes are already in the account are skipped; the others are not stored",
    }),
    attachments: ImportCounts.meta({
      description: "Counts of attachments of files to documents and records",
    }),
    kept_findings: ImportCounts.meta({
      description: "Counts of tidy findings that were kept as they are",
    }),
    not_stored: NotStoredItems.meta({
      description:
        "Items that exceed the caller's plan or the size limits of the database, and files whose bytes were not " +
        "uploaded. Everything else was imported",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Import" });
export type Import = z.infer<typeof Import>;

export const ImportList = ItemList("ImportList", Import);
export type ImportList = z.infer<typeof ImportList>;
