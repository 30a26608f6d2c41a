import { z } from "@hono/zod-openapi";
import { Page, RequestQuery, Timestamp } from "../core/fields.ts";
import { DocumentListItem } from "../documents/schema.ts";

export const TrashItem = DocumentListItem.omit({ content: true })
  .extend({
    trashed_at: Timestamp.meta({ description: "Erased 30 days after this" }),
  })
  .meta({ id: "TrashItem" });

export const TrashList = z
  .strictObject({ items: z.array(TrashItem), total: z.int() })
  .meta({ id: "TrashList" });
export type TrashList = z.infer<typeof TrashList>;

export const TrashListQuery = RequestQuery(Page);
