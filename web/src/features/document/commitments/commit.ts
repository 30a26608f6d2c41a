import { BLOCK_ID } from "../../../../../src/shared/markdown/note-links.ts";
import { plainLine } from "../../../../../src/shared/markdown/plain-text.ts";
import { type Task, tasksOf } from "../../../../../src/shared/markdown/tasks.ts";
import { type Document, documentsApi } from "../../../api/documents.ts";
import { type Memory, memoriesApi, type NewMemory } from "../../../api/memories.ts";
import { randomId } from "../../../api/random-id.ts";
import { retryUntilAnswered } from "../../../api/retry.ts";
import { shortDay } from "../../../kit/dates.ts";
import { queries, refreshMemories } from "../../../state/queries.ts";
import { runWithToast } from "../../../state/run-with-toast.ts";
import { beginToast } from "../../../state/toasts.ts";
import { undoChanges, undoOffer } from "../../../state/undo.ts";
import { readEntry } from "../../things/read-entry.ts";
import { projectNames } from "../../things/summary.ts";
import { queueChange } from "../change-queue.ts";
import { newestVersion, publishDocument } from "../data.ts";
import type { TaskLinker } from "../editor/commit-task.ts";
import { mergeAndSaveText } from "../write-text.ts";
import { writingOf } from "../writing.ts";
import { linkedRecordId, recordLink } from "./link.ts";

// Turns a task of a document into a commitment: a record that belongs to the document, with a link to it after the task.

const MAX_TOPIC = 500;
/** Characters of a task that are copied into the record. */
const MAX_TASK_CHARACTERS = 20_000;

/** Parses a task like quick entry. If it has only markers and dates, these become the topic. */
function recordFromTask(markdown: string, today: string): NewMemory {
  const words = plainLine(markdown.replace(BLOCK_ID, "")).slice(0, MAX_TASK_CHARACTERS);
  const projects = projectNames(queries.getQueryData(["dashboard", "summary"]));
  const { record } = readEntry(words, { today, projects, plain: [] });
  return record.topic ? record : { ...record, topic: words.slice(0, MAX_TOPIC), content: words };
}

async function create(document: string, markdown: string, today: string, changes: string[]): Promise<Memory> {
  const record = { ...recordFromTask(markdown, today), document_id: document };
  const idempotencyKey = randomId();
  const memory = await retryUntilAnswered(() => memoriesApi.create(record, { idempotencyKey, changes }));
  void refreshMemories();
  return memory;
}

const successMessage = ({ topic, memory_type, due_date }: Memory, today: string) =>
  `“${topic}” is now a ${memory_type}${due_date ? `, due ${shortDay(due_date, today)}` : ""}`;

/** A text with a link after a task, before the id of its block, which has to be at the end. */
function withLink(text: string, { item, end }: Task, link: string): string {
  const at = item + text.slice(item, end).replace(BLOCK_ID, "").length;
  return `${text.slice(0, at)} ${link}${text.slice(at)}`;
}

/** Tasks being turned into commitments, so that a double key press makes only one. */
const pending = new Set<string>();

/** Turns the task whose list item begins at this offset into a commitment, while the text is not being edited. */
export async function makeCommitment(document: Document, place: number, today: string): Promise<void> {
  const { text } = writingOf(document.content);
  const task = tasksOf(text).find(({ item }) => item === place);
  const key = `${document.id} ${place}`;
  if (!task || linkedRecordId(task.markdown) !== undefined || pending.has(key)) return;
  pending.add(key);
  await runWithToast(async (changes) => {
    const memory = await create(document.id, task.markdown, today, changes);
    const linked = await queueChange(document.id, (before) => {
      const newest = newestVersion(document, before);
      const newestText = writingOf(newest.content).text;
      const same = tasksOf(newestText).find(
        ({ item, markdown }) => item === place && markdown === task.markdown,
      );
      // If the task is no longer there, the link is added to the known text, and newer changes are merged.
      const [base, found] = same ? [newest, same] : [document, task];
      const next = withLink(writingOf(base.content).text, found, recordLink(memory));
      return mergeAndSaveText(base, next, { changes });
    });
    publishDocument(linked);
    return successMessage(memory, today);
  });
  pending.delete(key);
}

/** Changes the stored text, after pending changes of a closed editor. */
const changeStored = (id: string, change: (text: string) => string) =>
  queueChange(id, async () => {
    const document = await retryUntilAnswered(() => documentsApi.get(id));
    const { text } = writingOf(document.content);
    const next = change(text);
    const saved = next === text ? document : await mergeAndSaveText(document, next, { changes: [] });
    publishDocument(saved);
    return saved;
  });

/** The text with a link after the first open task with these words. */
function addLink(text: string, words: string, link: string): string {
  const task = tasksOf(text).find(
    ({ isDone, markdown }) =>
      !isDone && markdown.split("\n")[0]?.trim() === words && linkedRecordId(markdown) === undefined,
  );
  return task ? withLink(text, task, link) : text;
}

/** While the text is edited: `linking` inserts and removes the link. Once the editor is closed, the stored text is changed. */
export async function makeCommitmentWhileEditing(
  document: string,
  markdown: string,
  today: string,
  linking: TaskLinker,
): Promise<void> {
  const step = beginToast();
  const changes: string[] = [];
  try {
    const memory = await create(document, markdown, today, changes);
    const link = recordLink(memory);
    if (!linking.insert(link)) await changeStored(document, (text) => addLink(text, markdown, link));
    const undo = async () => {
      const removeLink = (text: string) => text.replace(` ${link}`, "");
      if (!linking.remove(link))
        await runWithToast(() => changeStored(document, removeLink).then(() => undefined));
      await undoChanges(changes);
    };
    step.end({ text: successMessage(memory, today), ...undoOffer(changes, () => void undo()) });
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message, ...undoOffer(changes) });
  }
}
