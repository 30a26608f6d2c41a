import { z } from "@hono/zod-openapi";
import { ChangedAt, DocumentParams } from "./document.ts";
import { ChangeBody, Page, RequestQuery, Timestamp, Uuid } from "./fields.ts";

export const DocumentTask = z
  .strictObject({
    number: z.int().meta({ description: "Which task of the text it is: the first one is 1" }),
    line: z.int().meta({ description: "The line of the text on which its box is" }),
    done: z.boolean().meta({ description: "Whether its box is ticked" }),
    text: z.string().meta({ description: "What it says, without Markdown, in one line" }),
    section: z
      .string()
      .nullable()
      .meta({ description: "The heading that it is below, without Markdown; null if there is none" }),
  })
  .meta({
    id: "DocumentTask",
    example: { number: 2, line: 5, done: false, text: "passport", section: "Papers" },
  });
export type DocumentTask = z.infer<typeof DocumentTask>;

export const DocumentTaskList = z
  .strictObject({
    items: z.array(DocumentTask),
    total: z.int(),
    open: z.int().meta({ description: "How many of all tasks are not done" }),
    done: z.int().meta({ description: "How many of all tasks are done" }),
    version: z.int().meta({ description: "The version of the document that has them" }),
  })
  .meta({ id: "DocumentTaskList" });
export type DocumentTaskList = z.infer<typeof DocumentTaskList>;

export const DocumentTaskListQuery = RequestQuery(Page);
export type DocumentTaskListQuery = z.infer<typeof DocumentTaskListQuery>;

export const DocumentTaskParams = DocumentParams.extend({
  number: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, "must be the number of a task")
    .transform(Number)
    .openapi({
      type: "integer",
      minimum: 1,
      example: 1,
      description: "Which task of the text: the first one is 1",
    }),
});

export const ChangedTask = DocumentTask.extend({
  document_id: Uuid,
  version: z.int().meta({ description: "The document's version, from which its ETag is derived" }),
  updated_at: Timestamp.meta({ description: "When the document was last changed" }),
  changed_at: ChangedAt,
}).meta({ id: "ChangedTask" });
export type ChangedTask = z.infer<typeof ChangedTask>;

export const DocumentTaskChange = ChangeBody(
  z.strictObject({ done: z.boolean().meta({ description: "Whether it is done" }) }),
  ChangedTask,
).meta({
  id: "DocumentTaskChange",
  example: { done: true },
});
export type DocumentTaskChange = z.infer<typeof DocumentTaskChange>;
