import { z } from "@hono/zod-openapi";
import { RequestQuery, Uuid } from "./fields.ts";

export const ExportQuery = RequestQuery({
  format: z.enum(["ndjson", "zip"]).default("ndjson").meta({
    description: "Only the lines, or a zip with the lines, the documents as Markdown, and the files",
  }),
});

export const MarkdownExportQuery = RequestQuery({
  folder_id: Uuid.optional().meta({
    description: "Only this folder and its subfolders. Default: all documents",
  }),
});
