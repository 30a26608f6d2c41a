import { z } from "@hono/zod-openapi";
import { ChangedAt, TrashedAt } from "./document-fields.ts";
import { Cursor, IntegerParam, NextCursor, RequestQuery, Uuid } from "./fields.ts";

const named = {
  id: Uuid,
  title: z.string(),
  folder_id: Uuid.nullable(),
  folder_path: z.string().nullable().meta({ description: "Path of its folder; null at the top level" }),
};

export const DocumentLink = z
  .strictObject({
    target: z.string().meta({ description: "The title or path as written, or `doc:<uuid>`" }),
    document: z
      .strictObject({ ...named, trashed_at: TrashedAt.optional() })
      .nullable()
      .meta({ description: "The document it leads to; null if there is none of that name yet" }),
  })
  .meta({ id: "DocumentLink" });

export const Backlink = z
  .strictObject({
    ...named,
    context: z.string().meta({ description: "The sentence in which it first links here, as plain text" }),
    changed_at: ChangedAt,
  })
  .meta({ id: "Backlink" });

export const DocumentLinks = z
  .strictObject({
    links: z.array(DocumentLink).meta({
      description: "The documents to which its text links, in order, each target once; all on the first page",
    }),
    backlinks: z
      .array(Backlink)
      .meta({ description: "The documents that link to it, last changed first, without those in the trash" }),
    backlink_count: z.int().meta({ description: "Number of all documents that link to it" }),
    next_cursor: NextCursor,
  })
  .meta({ id: "DocumentLinks" });
export type DocumentLinks = z.infer<typeof DocumentLinks>;
export type DocumentLink = z.infer<typeof DocumentLink>;
export type Backlink = z.infer<typeof Backlink>;

export const DocumentLinksQuery = RequestQuery({
  limit: IntegerParam({ min: 1, max: 100, default: 50 }),
  cursor: Cursor.describe("The `next_cursor` of the previous page"),
});
export type DocumentLinksQuery = z.infer<typeof DocumentLinksQuery>;
