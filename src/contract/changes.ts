import { z } from "@hono/zod-openapi";
import { Document } from "./document.ts";
import { CURSOR_EXAMPLE, IntegerParam, RequestQuery, Uuid } from "./fields.ts";
import { Folder } from "./folder.ts";
import { Memory } from "./memory.ts";

export const ChangeListQuery = RequestQuery({
  cursor: z.string().max(400).optional().meta({
    description: "The `cursor` of the previous page. Without one, everything is listed",
    example: CURSOR_EXAMPLE,
  }),
  limit: IntegerParam({ min: 1, max: 100, default: 100 }),
});
export type ChangeListQuery = z.infer<typeof ChangeListQuery>;

const change = z
  .enum(["new", "changed", "gone"])
  .meta({ description: "`gone`: trashed or permanently deleted; the item then contains no record" });

/** A folder without its document count, which changes when its documents change. */
const ChangedFolder = Folder.omit({ document_count: true }).meta({ id: "ChangedFolder" });

export const Change = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("document"), id: Uuid, change, document: Document.optional() }),
    z.strictObject({ kind: z.literal("memory"), id: z.int(), change, memory: Memory.optional() }),
    z.strictObject({ kind: z.literal("folder"), id: Uuid, change, folder: ChangedFolder.optional() }),
  ])
  .meta({ id: "Change" });
export type Change = z.infer<typeof Change>;

export const ChangeList = z
  .strictObject({
    items: z.array(Change),
    cursor: z.string().meta({ description: "Continue from here, now or later" }),
    has_more: z.boolean().meta({ description: "Whether more changes are available now" }),
  })
  .meta({ id: "ChangeList" });
export type ChangeList = z.infer<typeof ChangeList>;
