import { DocumentParams, ETagHeader, TaskHeaders } from "../../contract/document.ts";
import * as schema from "../../contract/document-tasks.ts";
import { named } from "../../contract/ledger.ts";
import { etagOf } from "../../platform/http/etag.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { actionOf } from "./headers.ts";
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
    "The tasks of `content.text`, if that is Markdown, in the order of the text: items of lists that begin with `[ ]` or " +
    "`[x]`, as in GitHub Flavored Markdown. Those in code are none.",
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
    "Changes the one character in its box. The numbers of tasks are those of a version: with If-Match, it is changed only " +
    "if the document has not changed since. A task that is so already is left as it is. Which numbers there are reveals " +
    "what the text contains: a key also needs `docs:read`.",
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
    200: named(withETag(json(schema.ChangedTask, "The task as it is now, and the document's version"))),
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
    c.var.ctx.keyNeeds?.(["docs:read"]);
    const writer = { ...(await actionOf(c, headers, change)), sitting: headers["x-sitting"] };
    const answer = await changeTask(c.var.ctx, { id, number }, change, writer);
    return c.json(answer, 200, { ETag: etagOf(answer.version) });
  });
