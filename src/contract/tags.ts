import { z } from "@hono/zod-openapi";
import { Tag } from "./document.ts";
import { ItemList, PageParams, RequestQuery, UpdateBody } from "./fields.ts";

export const TagParams = z.object({ name: Tag });

export const TagItem = z.strictObject({ name: z.string(), document_count: z.int() }).meta({ id: "Tag" });
export type TagItem = z.infer<typeof TagItem>;

const changes = z.strictObject({
  name: Tag.meta({
    description: "The new name. If a tag of that name exists, the two are merged",
    example: "trips",
  }),
});

export const TagUpdateRequest = UpdateBody(changes, TagItem).meta({ id: "TagUpdateRequest" });

export const TagList = ItemList("TagList", TagItem);
export type TagList = z.infer<typeof TagList>;

export const TagListQuery = RequestQuery(PageParams);
