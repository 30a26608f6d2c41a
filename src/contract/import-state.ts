import { z } from "@hono/zod-openapi";
import { Flag, Page, RequestQuery, Timestamp, Uuid } from "./fields.ts";

export const ImportMode = z.enum(["skip", "overwrite", "copy"]);
export type ImportMode = z.infer<typeof ImportMode>;

export const ImportQuery = RequestQuery({
  mode: ImportMode.default("skip").meta({
    description:
      "What happens to a record whose id the caller already has: `skip` keeps it, `overwrite` replaces it (the " +
      "previous state becomes a version), `copy` imports everything under new ids",
  }),
  dry_run: Flag("Reports what would happen without writing anything"),
});
export type ImportQuery = z.infer<typeof ImportQuery>;

export const ImportParams = z.object({ import_id: Uuid });

export const ImportListQuery = RequestQuery(Page);

export const ImportHeaders = z.object({
  "content-range": z
    .string()
    .regex(/^bytes \d{1,15}-\d{1,15}\/(\d{1,15}|\*)$/, "must look like bytes 0-999/5000")
    .optional()
    .meta({ description: "Which part of the file this is; without it, the body is the whole file" }),
});

const Counts = z.strictObject({
  created: z.int(),
  overwritten: z.int(),
  skipped: z.int(),
  remapped: z.int().meta({
    description: "How many were created under new ids: all of them in mode `copy`, otherwise 0",
  }),
});
export type Counts = z.infer<typeof Counts>;

const LINES = [
  "folder",
  "document",
  "document_version",
  "memory",
  "memory_event",
  "file",
  "tidy_kept",
] as const;

const NotStored = z.strictObject({
  total: z.int().meta({ description: "How many" }),
  items: z
    .array(
      z.strictObject({
        type: z.enum(LINES),
        id: z
          .string()
          .meta({ description: "The id that it has in the file; of a version or event, its record's" }),
        title: z.string(),
        detail: z.string().meta({ description: "Why, and what to do" }),
      }),
    )
    .meta({ description: "The first 100 of them" }),
});
export type NotStored = z.infer<typeof NotStored>;

export const Import = z
  .strictObject({
    id: Uuid,
    mode: ImportMode,
    dry_run: z.boolean(),
    status: z.enum(["uploading", "applying", "done"]),
    received: z.int().meta({ description: "How many bytes are stored; continue the upload from here" }),
    settings: Counts,
    folders: Counts,
    documents: Counts,
    document_versions: Counts,
    memories: Counts,
    memory_events: Counts,
    files: Counts.meta({
      description:
        "The results for files: those whose bytes the caller has are skipped, and the others are not stored",
    }),
    attachments: Counts.meta({ description: "The results for what files are attached to" }),
    kept_findings: Counts.meta({
      description: "The results for findings that are not to be asked about again",
    }),
    not_stored: NotStored.meta({
      description:
        "What the caller's plan has no room for, what is larger than the database stores, and files whose bytes were " +
        "not uploaded; the rest was imported",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Import" });
export type Import = z.infer<typeof Import>;

export const ImportList = z
  .strictObject({ items: z.array(Import), total: z.int() })
  .meta({ id: "ImportList" });
export type ImportList = z.infer<typeof ImportList>;
