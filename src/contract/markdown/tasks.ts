import { atOnce, type Steps } from "../text/steps.ts";
import { blocksByLine } from "./blocks.ts";
import type { Leaf, Paragraph } from "./leaf.ts";
import { skipDefinitions } from "./link-definitions.ts";

// What is a task, by GFM 0.29, section 5.3: an item of a list that begins with a paragraph, and this with a mark. The service
// counts and changes tasks, and the app has boxes to tick, by this one rule. As on GitHub, the mark is on the line of the
// item's marker. It is never a tab or a line break, and tables and footnotes are read as paragraphs.

/**
 * A task of a text: where its list item begins, where the one character of its mark is, and where its words end; what it
 * says, in Markdown.
 */
export type Task = { item: number; mark: number; end: number; isDone: boolean; markdown: string };

export type TaskCounts = { open: number; done: number };

const MARK = /^\[([ xX])\](?=[ \t\n])/;
const INK = /[^ \t\n]/;
/** What every text with a task has somewhere. */
const MAY_HAVE = /\[[ xX]\]/;

/** A paragraph's text without its link definitions, and where that starts in the whole text. */
function proseOf(text: string, { lines }: Paragraph): { prose: string; start: number } {
  const rows: string[] = [];
  for (let row = 0; row < lines.length; row += 2) rows.push(text.slice(lines[row], lines[row + 1]));
  const whole = rows.join("\n");
  const skipped = skipDefinitions(whole);
  let [row, passed] = [0, 0];
  for (; passed < skipped && row < rows.length; row++) passed += (rows[row]?.length ?? 0) + 1;
  return { prose: whole.slice(skipped), start: lines[2 * row] ?? text.length };
}

function taskIn(text: string, item: number, paragraph: Paragraph): Task | undefined {
  if (text[paragraph.lines[0] ?? 0] !== "[") return undefined;
  const { prose, start } = proseOf(text, paragraph);
  const [mark, state] = MARK.exec(prose) ?? [];
  if (mark === undefined || !INK.test(prose.slice(mark.length))) return undefined;
  return {
    item,
    mark: start + 1,
    end: paragraph.lines.at(-1) ?? text.length,
    isDone: state === "x" || state === "X",
    markdown: prose.slice(mark.length).trim(),
  };
}

/** A paragraph that is underlined in the end is a heading. */
const isUnderlined = (leaf: Leaf, { start }: Paragraph) => leaf.kind === "heading" && leaf.start === start;

/** The tasks of a text in order, in linear time. Each step reads a line. */
export function* tasksInSteps(text: string): Steps<Task[]> {
  if (!MAY_HAVE.test(text)) return [];
  const tasks: Task[] = [];
  let open: { item: number; paragraph: Paragraph } | undefined;
  const finish = () => {
    const task = open && taskIn(text, open.item, open.paragraph);
    if (task) tasks.push(task);
    open = undefined;
  };
  for (const { leaf, first } of blocksByLine(text)) {
    if (open && isUnderlined(leaf, open.paragraph)) open = undefined;
    if (open && leaf !== open.paragraph) finish();
    if (first) open = { item: first.item.start, paragraph: first.paragraph };
    yield;
  }
  finish();
  return tasks;
}

export const tasksOf = (text: string): Task[] => atOnce(tasksInSteps(text));

/** How many tasks of a text are open, and how many are done. */
export function countTasks(text: string): TaskCounts {
  const tasks = tasksOf(text);
  const done = tasks.filter(({ isDone }) => isDone).length;
  return { open: tasks.length - done, done };
}

/** The text with a task of it done, or open again: one character is another. */
export const withTask = (text: string, { mark }: Task, isDone: boolean): string =>
  text.slice(0, mark) + (isDone ? "x" : " ") + text.slice(mark + 1);
