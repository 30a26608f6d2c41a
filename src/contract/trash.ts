import { z } from "@hono/zod-openapi";
import { DocumentListItem, TrashedAt } from "./document.ts";
import { pickFields } from "./field-spec.ts";
import { Cursor, ItemList, NextCursor, PageParams, RequestQuery } from "./fields.ts";
import { Memory } from "./memory.ts";

export const TrashedDocument = DocumentListItem.omit({ content: true, tasks: true })
  .extend({
    type: z.literal("document").meta({ description: "`document`" }),
    trashed_at: TrashedAt,
    folder_path: z.string().optional().meta({
      description: "Path of the folder it is restored to: the folder names from the top, joined by `/`",
    }),
  })
  .meta({ id: "TrashItem" });
export type TrashedDocument = z.infer<typeof TrashedDocument>;

export const TRASHED_MEMORY_FIELDS = [
  ...(["id", "memory_type", "topic", "status", "project", "scope", "due_date", "tags"] as const),
  ...(["source_type", "created_at", "updated_at"] as const),
];

export const TrashedMemory = z
  .strictObject({
    ...pickFields(Memory.shape, TRASHED_MEMORY_FIELDS),
    type: z.literal("memory").meta({ description: "`memory`" }),
    trashed_at: TrashedAt,
  })
  .meta({ id: "TrashedMemory" });

const TrashedItem = z.discriminatedUnion("type", [TrashedDocument, TrashedMemory]);
export const TrashList = ItemList("TrashList", TrashedItem, { next_cursor: NextCursor });
export type TrashList = z.infer<typeof TrashList>;

const type = z
  .enum(["documents", "memories", "all"])
  .default("documents")
  .meta({ description: "Documents, memory records, or both" });

export const TrashListQuery = RequestQuery({ type, ...PageParams, cursor: Cursor });
export type TrashListQuery = z.infer<typeof TrashListQuery>;

export const TrashEmptyQuery = RequestQuery({ type });
export type TrashEmptyQuery = z.infer<typeof TrashEmptyQuery>;
