import { z } from "@hono/zod-openapi";
import { RequestQuery, Uuid } from "./fields.ts";

export const ExportQuery = RequestQuery({
  format: z.enum(["ndjson", "zip"]).default("ndjson").meta({
    description:
      "The lines alone, or a zip that has them, the documents as Markdown, and the bytes of the files",
  }),
});

export const MarkdownExportQuery = RequestQuery({
  folder_id: Uuid.optional().meta({
    description: "Only this folder, with the folders in it; by default all documents",
  }),
});
