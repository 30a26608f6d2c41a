import { plainLine } from "../../../../../src/contract/markdown/plain-text.ts";
import { tasksOf } from "../../../../../src/contract/markdown/tasks.ts";
import type { Document } from "../../../api/documents.ts";
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
import { showWritten } from "../data.ts";
import { writeText } from "../write-text.ts";
import { writingOf } from "../writing.ts";
import { linkTo, recordIn } from "./link.ts";

// A task of a document becomes a commitment: a record that belongs to the document, and behind the task a link to it.

const MAX_TOPIC = 500;

/** The record that a task is read as, as quick entry does; signs and days without other words are words. */
function recordOf(markdown: string, today: string): NewMemory {
  const words = plainLine(markdown);
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
    const linked = `${text.slice(0, task.end)} ${linkTo(memory)}${text.slice(task.end)}`;
    showWritten(await writeText(document, linked, { changes }));
    return saidOf(memory, today);
  });
  underWay.delete(name);
}

/**
 * Makes a commitment of a task while the text is written.
 *
 * @param takeOut removes the link from the text, when it is undone
 * @returns the link that comes behind the task; undefined if it was refused
 */
export async function commitWords(
  document: string,
  markdown: string,
  today: string,
  takeOut: (link: string) => void,
): Promise<string | undefined> {
  const step = begin();
  const changes: string[] = [];
  try {
    const memory = await create(document, markdown, today, changes);
    const link = linkTo(memory);
    const undo = () => {
      takeOut(link);
      void takeBack(changes);
    };
    step.end({ text: saidOf(memory, today), ...undoOf(changes, undo) });
    return link;
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message });
    return undefined;
  }
}
