import { RequestQuery, Uuid } from "./fields.ts";

export const MarkdownExportQuery = RequestQuery({
  folder_id: Uuid.optional().meta({
    description: "Only this folder, with the folders in it; by default all documents",
  }),
});
