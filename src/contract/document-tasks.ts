import { z } from "@hono/zod-openapi";
import { ChangedAt, DocumentParams } from "./document.ts";
import { ItemList, NumberParam, PageParams, RequestQuery, Timestamp, UpdateBody, Uuid } from "./fields.ts";

export const DocumentTask = z
  .strictObject({
    number: z.int().meta({ description: "Position among the tasks of the document, from 1" }),
    line: z.int().meta({ description: "Line of the text that contains its checkbox" }),
    done: z.boolean().meta({ description: "Whether its checkbox is ticked" }),
    text: z.string().meta({ description: "Its text in one line, without Markdown" }),
    section: z
      .string()
      .nullable()
      .meta({ description: "The heading above it, without Markdown; null if there is none" }),
  })
  .meta({
    id: "DocumentTask",
    example: { number: 2, line: 5, done: false, text: "passport", section: "Papers" },
  });
export type DocumentTask = z.infer<typeof DocumentTask>;

export const DocumentTaskList = ItemList("DocumentTaskList", DocumentTask, {
  open: z.int().meta({ description: "Number of all open tasks" }),
  done: z.int().meta({ description: "Number of all completed tasks" }),
  version: z.int().meta({ description: "The version of the document that contains them" }),
});
export type DocumentTaskList = z.infer<typeof DocumentTaskList>;

export const DocumentTaskListQuery = RequestQuery(PageParams);
export type DocumentTaskListQuery = z.infer<typeof DocumentTaskListQuery>;

export const DocumentTaskParams = DocumentParams.extend({
  number: NumberParam(7, "the number of a task").openapi({
    example: 1,
    description: "Position among the tasks of the document, from 1",
  }),
});

export const ChangedTask = DocumentTask.extend({
  document_id: Uuid,
  version: z.int().meta({ description: "Version of the document. Its ETag is derived from it" }),
  updated_at: Timestamp.meta({ description: "When the document was last changed" }),
  changed_at: ChangedAt,
}).meta({ id: "ChangedTask" });
export type ChangedTask = z.infer<typeof ChangedTask>;

export const DocumentTaskChange = UpdateBody(
  z.strictObject({ done: z.boolean().meta({ description: "Whether the task is done" }) }),
  ChangedTask,
).meta({
  id: "DocumentTaskChange",
  example: { done: true },
});
export type DocumentTaskChange = z.infer<typeof DocumentTaskChange>;
