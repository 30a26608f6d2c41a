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

// A task of a document becomes a commitment: a record that belongs to the document, and behind the task a link to it.

const MAX_TOPIC = 500;
/** What is read of a task: more words are in the document. */
const MAX_WORDS = 20_000;

/** The record that a task is read as, as quick entry does; signs and days without other words are words. */
function recordOf(markdown: string, today: string): NewMemory {
  const words = plainLine(markdown).slice(0, MAX_WORDS);
  const projects = projectsOf(queries.getQueryData(["dashboard", "summary"]));
  const { record } = readEntry(words, { today, projects, plain: [] });
  return record.topic ? record : { ...record, topic: words.slice(0, MAX_TOPIC), content: words };
}

async function create(document: string, markdown: string, today: string, changes: string[]): Promise<Memory> {
  const record = { ...recordOf(markdown, today), document_id: document };
  const idempotencyKey = randomId();
  const memory = await untilAnswered(() => memoriesApi.create(record, { idempotencyKey, changes }));
  void refreshMemories();
  return memory;
}

const saidOf = ({ topic, memory_type, due_date }: Memory, today: string) =>
  `“${topic}” is a ${memory_type} now${due_date ? `, due ${shortDay(due_date, today)}` : ""}`;

/** Those that are on their way: a key that is pressed twice makes one. */
const underWay = new Set<string>();

/** Makes a commitment of the task whose list item begins at a place, while the text is read. */
export async function commitTask(document: Document, place: number, today: string): Promise<void> {
  const { text } = writingOf(document.content);
  const task = tasksOf(text).find(({ item }) => item === place);
  const name = `${document.id} ${place}`;
  if (!task || recordIn(task.markdown) !== undefined || underWay.has(name)) return;
  underWay.add(name);
  await attempt(async (changes) => {
    const memory = await create(document.id, task.markdown, today, changes);
    const linked = await inTurn(document.id, (before) => {
      const newest = newestOf(document, before);
      const now = writingOf(newest.content).text;
      const same = tasksOf(now).find(({ item, markdown }) => item === place && markdown === task.markdown);
      // Where the text is another, what somebody else has written is merged.
      const [base, { end }] = same ? [newest, same] : [document, task];
      const written = writingOf(base.content).text;
      const next = `${written.slice(0, end)} ${linkTo(memory)}${written.slice(end)}`;
      return writeText(base, next, { changes });
    });
    showWritten(linked);
    return saidOf(memory, today);
  });
  underWay.delete(name);
}

/** Changes the text as it is stored, after what an editor that was left has sent last. */
const changeStored = (id: string, changed: (text: string) => string) =>
  inTurn(id, async () => {
    const document = await untilAnswered(() => documentsApi.get(id));
    const { text } = writingOf(document.content);
    const next = changed(text);
    const written = next === text ? document : await writeText(document, next, { changes: [] });
    showWritten(written);
    return written;
  });

async function takeOutStored(id: string, link: string): Promise<undefined> {
  await changeStored(id, (text) => text.replace(` ${link}`, ""));
}

/** The text with a link behind the first open task with these words. */
function linkedIn(text: string, words: string, link: string): string {
  const task = tasksOf(text).find(
    ({ isDone, markdown }) =>
      !isDone && markdown.split("\n")[0]?.trim() === words && recordIn(markdown) === undefined,
  );
  return task ? `${text.slice(0, task.end)} ${link}${text.slice(task.end)}` : text;
}

/**
 * Makes a commitment of a task while the text is written.
 *
 * @param linking puts the link into that text, and takes it out when it is undone; once the editor has been left, the
 *   stored text is changed
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
    if (!linking.put(link)) await changeStored(document, (text) => linkedIn(text, markdown, link));
    const undo = async () => {
      if (!linking.takeOut(link)) await attempt(() => takeOutStored(document, link));
      await takeBack(changes);
    };
    step.end({ text: saidOf(memory, today), ...undoOf(changes, () => void undo()) });
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message, ...undoOf(changes) });
  }
}
