import { runSteps, type Steps } from "../text/steps.ts";
import { blocksByLine } from "./blocks.ts";
import { type Leaf, type Paragraph, paragraphRows } from "./leaf.ts";
import { skipDefinitions } from "./link-definitions.ts";

// GFM 0.29, section 5.3: a task is a list item that begins with a paragraph that begins with a mark. The service and the app
// share this rule. As on GitHub, the mark is on the line of the item's marker. It is never a tab or a line break, and tables
// and footnotes are read as paragraphs.

export type Task = {
  /** Position of its list item in the text. */
  item: number;
  /** Position of the single character between the brackets. */
  mark: number;
  end: number;
  isDone: boolean;
  markdown: string;
};

export type TaskCounts = { open: number; done: number };

const MARK = /^\[([ xX])\](?=[ \t\n])/;
const NON_BLANK = /[^ \t\n]/;
/** Occurs in every text with a task. */
const MAY_HAVE = /\[[ xX]\]/;

/** The text of a paragraph without its link definitions, and its position in the whole text. */
function paragraphProse(text: string, { lines }: Paragraph): { prose: string; start: number } {
  const rows = paragraphRows(text, lines);
  const whole = rows.join("\n");
  const skipped = skipDefinitions(whole);
  let [row, passed] = [0, 0];
  for (; passed < skipped && row < rows.length; row++) passed += (rows[row]?.length ?? 0) + 1;
  return { prose: whole.slice(skipped), start: lines[2 * row] ?? text.length };
}

function taskIn(text: string, item: number, paragraph: Paragraph): Task | undefined {
  if (text[paragraph.lines[0] ?? 0] !== "[") return undefined;
  const { prose, start } = paragraphProse(text, paragraph);
  const [mark, state] = MARK.exec(prose) ?? [];
  if (mark === undefined || !NON_BLANK.test(prose.slice(mark.length))) return undefined;
  return {
    item,
    mark: start + 1,
    end: paragraph.lines.at(-1) ?? text.length,
    isDone: state === "x" || state === "X",
    markdown: prose.slice(mark.length).trim(),
  };
}

/** An underlined paragraph is a heading. */
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
  for (const { leaf, startedItem } of blocksByLine(text)) {
    if (open && isUnderlined(leaf, open.paragraph)) open = undefined;
    if (open && leaf !== open.paragraph) finish();
    if (startedItem) open = { item: startedItem.item.start, paragraph: startedItem.paragraph };
    yield;
  }
  finish();
  return tasks;
}

export const tasksOf = (text: string): Task[] => runSteps(tasksInSteps(text));

export function countTasks(text: string): TaskCounts {
  const tasks = tasksOf(text);
  const done = tasks.filter(({ isDone }) => isDone).length;
  return { open: tasks.length - done, done };
}

/** The text with one of its tasks done or open. Replaces one character. */
export const withTaskState = (text: string, { mark }: Task, isDone: boolean): string =>
  text.slice(0, mark) + (isDone ? "x" : " ") + text.slice(mark + 1);
