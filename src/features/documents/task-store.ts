import type { Document, DocumentRow } from "../../contract/document.ts";
import type {
  ChangedTask,
  DocumentTask,
  DocumentTaskChange,
  DocumentTaskList,
  DocumentTaskListQuery,
} from "../../contract/document-tasks.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import { runYielding } from "../../platform/queue/yielding.ts";
import { markdownBody } from "../../shared/markdown/content-text.ts";
import { plainLine } from "../../shared/markdown/plain-text.ts";
import { sectionsInSteps } from "../../shared/markdown/sections.ts";
import { type Task, tasksInSteps, withTaskState } from "../../shared/markdown/tasks.ts";
import { changeDocument } from "./change-store.ts";
import type { DocumentWriter } from "./statement-store.ts";
import { getDocument } from "./store.ts";

const LINE_END = /\r\n|\n|\r/g;

/** Some tasks of a text, in order, in the API's form. Linear in the text. */
async function toDocumentTasks(text: string, tasks: readonly Task[], first: number): Promise<DocumentTask[]> {
  const sections = await runYielding(sectionsInSteps(text));
  let [line, read, below] = [1, 0, -1];
  return tasks.map(({ mark, isDone, markdown }, place) => {
    line += text.slice(read, mark).match(LINE_END)?.length ?? 0;
    read = mark;
    while ((sections[below + 1]?.start ?? text.length) < mark) below++;
    const section = sections[below]?.name ?? null;
    return { number: first + place, line, done: isDone, text: plainLine(markdown), section };
  });
}

/** The tasks of a document's text, in order. Throws 404. */
export async function listTasks(
  ctx: Ctx,
  id: string,
  { limit, offset }: DocumentTaskListQuery,
): Promise<DocumentTaskList> {
  const { content, version } = await getDocument(ctx, id);
  const text = markdownBody(content);
  const tasks = await runYielding(tasksInSteps(text));
  const done = tasks.filter(({ isDone }) => isDone).length;
  return {
    items: await toDocumentTasks(text, tasks.slice(offset, offset + limit), offset + 1),
    total: tasks.length,
    open: tasks.length - done,
    done,
    version,
  };
}

const unknownTaskError = (number: number, count: number) =>
  new AppError(
    404,
    `number: there is no task ${number}: the document has ${["none", "one"][count] ?? count}`,
  );

/** A text and one of its tasks, by its number. Throws 404. */
async function findTask(content: DocumentRow["content"] | undefined, number: number) {
  const text = markdownBody(content);
  const tasks = await runYielding(tasksInSteps(text));
  const task = tasks[number - 1];
  if (!task) throw unknownTaskError(number, tasks.length);
  return { text, task };
}

async function toChangedTask(
  { id, version, updated_at, changed_at, content }: Document,
  number: number,
): Promise<ChangedTask> {
  const { text, task } = await findTask(content, number);
  const [shown] = await toDocumentTasks(text, [task], number);
  if (!shown) throw new Error("A task is shown");
  return { ...shown, document_id: id, version, updated_at, changed_at };
}

/** Marks a task as done or open by changing one character. A task already in that state keeps the version. Throws 404, 412. */
export async function changeTask(
  ctx: Ctx,
  { id, number }: { id: string; number: number },
  { done }: DocumentTaskChange,
  writer: DocumentWriter,
): Promise<ChangedTask> {
  const make = async ({ content }: DocumentRow) => {
    const { text, task } = await findTask(content, number);
    return task.isDone === done ? {} : { content: { ...content, text: withTaskState(text, task, done) } };
  };
  return toChangedTask(await changeDocument(ctx, id, { make }, writer), number);
}
