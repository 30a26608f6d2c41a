import { withChangeId } from "../../contract/change-id-fields.ts";
import { DocumentParams, ETagHeader, TaskHeaders } from "../../contract/document.ts";
import * as schema from "../../contract/document-tasks.ts";
import { etagOf } from "../../platform/http/etag.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { actionWriter } from "./headers.ts";
import { changeTask, listTasks } from "./task-store.ts";

const tags = ["Documents"];
const withETag = <Answer extends object>(answer: Answer) => ({ ...answer, headers: ETagHeader });

export const listDocumentTasksRoute = operation({
  method: "get",
  path: "/{document_id}/tasks",
  operationId: "listDocumentTasks",
  tags,
  summary: "List the tasks of a document",
  description:
    "The tasks in `content.text`, if it is Markdown, in order: list items that begin with `[ ]` or `[x]`, as in GitHub " +
    "Flavored Markdown. Items in code do not count.",
  rules: { access: "docs:read", daily: "limited", alone: true },
  request: { params: DocumentParams, query: schema.DocumentTaskListQuery },
  responses: {
    200: withETag(json(schema.DocumentTaskList, "A page of tasks")),
    ...errors(401, 404, 422),
  },
});

export const changeDocumentTaskRoute = operation({
  method: "patch",
  path: "/{document_id}/tasks/{number}",
  operationId: "changeDocumentTask",
  tags,
  summary: "Mark a task as done or open",
  description:
    "Changes the character in its box. Task numbers belong to a version: with If-Match, the task is changed only if the " +
    "document has not changed since. A task already in the requested state stays unchanged. Task numbers reveal what the " +
    "text contains, so an API key also needs `docs:read`.",
  rules: {
    access: "docs:write",
    daily: "limited",
    body: "1 MiB",
    adds: "history",
    changes: ["document"],
  },
  request: {
    params: schema.DocumentTaskParams,
    headers: TaskHeaders,
    body: body(schema.DocumentTaskChange),
  },
  responses: {
    200: withChangeId(withETag(json(schema.ChangedTask, "The updated task, and the document's version"))),
    ...errors(...BODY_ERRORS, 401, 404, 409, 410, 412, 503),
  },
});

export const taskRoutes = createRouter()
  .openapi(listDocumentTasksRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    const list = await listTasks(c.var.ctx, document_id, c.req.valid("query"));
    return c.json(list, 200, { ETag: etagOf(list.version) });
  })
  .openapi(changeDocumentTaskRoute, async (c) => {
    const { document_id: id, number } = c.req.valid("param");
    const headers = c.req.valid("header");
    const change = c.req.valid("json");
    c.var.ctx.requireKeyScopes?.(["docs:read"]);
    const writer = { ...(await actionWriter(c, headers, change)), editSession: headers["x-sitting"] };
    const answer = await changeTask(c.var.ctx, { id, number }, change, writer);
    return c.json(answer, 200, { ETag: etagOf(answer.version) });
  });
