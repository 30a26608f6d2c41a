import { plainLine } from "../../../../../src/contract/markdown/plain-text.ts";
import { tasksOf } from "../../../../../src/contract/markdown/tasks.ts";
import { type Document, documentsApi } from "../../../api/documents.ts";
import { type Memory, memoriesApi, type NewMemory } from "../../../api/memories.ts";
import { untilAnswered } from "../../../api/persist.ts";
import { randomId } from "../../../api/random-id.ts";
import { shortDay } from "../../../kit/dates.ts";
import { attempt } from "../../../state/attempt.ts";
import { queries, refreshMemories } from "../../../state/queries.ts";
import { begin } from "../../../state/toasts.ts";
import { takeBack, undoOf } from "../../../state/undo.ts";
import { readEntry } from "../../things/read-entry.ts";
import { projectsOf } from "../../things/summary.ts";
import { newestOf, showWritten } from "../data.ts";
import type { Linking } from "../editor/commit-task.ts";
import { inTurn } from "../in-turn.ts";
import { writeText } from "../write-text.ts";
import { writingOf } from "../writing.ts";
import { linkTo, recordIn } from "./link.ts";

// Turns a task of a document into a commitment: a record that belongs to the document, with a link to it after the task.

const MAX_TOPIC = 500;
/** Characters of a task that are copied into the record. */
const MAX_TASK_CHARACTERS = 20_000;

/** Parses a task like quick entry. If it has only markers and dates, these become the topic. */
function recordFromTask(markdown: string, today: string): NewMemory {
  const words = plainLine(markdown).slice(0, MAX_TASK_CHARACTERS);
  const projects = projectsOf(queries.getQueryData(["dashboard", "summary"]));
  const { record } = readEntry(words, { today, projects, plain: [] });
  return record.topic ? record : { ...record, topic: words.slice(0, MAX_TOPIC), content: words };
}

async function create(document: string, markdown: string, today: string, changes: string[]): Promise<Memory> {
  const record = { ...recordFromTask(markdown, today), document_id: document };
  const idempotencyKey = randomId();
  const memory = await untilAnswered(() => memoriesApi.create(record, { idempotencyKey, changes }));
  void refreshMemories();
  return memory;
}

const successMessage = ({ topic, memory_type, due_date }: Memory, today: string) =>
  `“${topic}” is now a ${memory_type}${due_date ? `, due ${shortDay(due_date, today)}` : ""}`;

/** Tasks being turned into commitments, so that a double key press makes only one. */
const pending = new Set<string>();

/** Turns the task whose list item begins at this offset into a commitment, while the text is not being edited. */
export async function commitTask(document: Document, place: number, today: string): Promise<void> {
  const { text } = writingOf(document.content);
  const task = tasksOf(text).find(({ item }) => item === place);
  const key = `${document.id} ${place}`;
  if (!task || recordIn(task.markdown) !== undefined || pending.has(key)) return;
  pending.add(key);
  await attempt(async (changes) => {
    const memory = await create(document.id, task.markdown, today, changes);
    const linked = await inTurn(document.id, (before) => {
      const newest = newestOf(document, before);
      const newestText = writingOf(newest.content).text;
      const same = tasksOf(newestText).find(
        ({ item, markdown }) => item === place && markdown === task.markdown,
      );
      // If the task is no longer there, the link is added to the known text, and newer changes are merged.
      const [base, { end }] = same ? [newest, same] : [document, task];
      const text = writingOf(base.content).text;
      const next = `${text.slice(0, end)} ${linkTo(memory)}${text.slice(end)}`;
      return writeText(base, next, { changes });
    });
    showWritten(linked);
    return successMessage(memory, today);
  });
  pending.delete(key);
}

/** Changes the stored text, after pending changes of a closed editor. */
const changeStored = (id: string, change: (text: string) => string) =>
  inTurn(id, async () => {
    const document = await untilAnswered(() => documentsApi.get(id));
    const { text } = writingOf(document.content);
    const next = change(text);
    const saved = next === text ? document : await writeText(document, next, { changes: [] });
    showWritten(saved);
    return saved;
  });

async function removeStoredLink(id: string, link: string): Promise<undefined> {
  await changeStored(id, (text) => text.replace(` ${link}`, ""));
}

/** The text with a link after the first open task with these words. */
function addLink(text: string, words: string, link: string): string {
  const task = tasksOf(text).find(
    ({ isDone, markdown }) =>
      !isDone && markdown.split("\n")[0]?.trim() === words && recordIn(markdown) === undefined,
  );
  return task ? `${text.slice(0, task.end)} ${link}${text.slice(task.end)}` : text;
}

/**
 * Turns a task into a commitment while the text is being edited.
 *
 * @param linking inserts the link into the editor, and removes it on undo; once the editor is closed, the stored text is
 *   changed instead
 */
export async function commitWords(
  document: string,
  markdown: string,
  today: string,
  linking: Linking,
): Promise<void> {
  const step = begin();
  const changes: string[] = [];
  try {
    const memory = await create(document, markdown, today, changes);
    const link = linkTo(memory);
    if (!linking.insert(link)) await changeStored(document, (text) => addLink(text, markdown, link));
    const undo = async () => {
      if (!linking.remove(link)) await attempt(() => removeStoredLink(document, link));
      await takeBack(changes);
    };
    step.end({ text: successMessage(memory, today), ...undoOf(changes, () => void undo()) });
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message, ...undoOf(changes) });
  }
}
