import type { Element, ElementContent } from "hast";
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo } from "react";
import type { ExtraProps } from "react-markdown";
import { type Task, tasksOf, withTask } from "../../../../src/contract/markdown/tasks.ts";
import { Handshake } from "../../kit/icons.tsx";
import styles from "./commitments/commitments.module.css";
import { recordAt, recordIn } from "./commitments/link.ts";

// Tasks of a text, which are ticked while it is read.

/** A task that is ticked, or not any more: its number, whether it is done then, and the text. */
export type Ticked = { number: number; done: boolean; text: string; markdown: string };

/** What a click on the task whose list item begins at a place makes of a text; undefined if there is none. */
export function tickedAt(text: string, place: number): Ticked | undefined {
  const tasks = tasksOf(text);
  const index = tasks.findIndex(({ item }) => item === place);
  const task = tasks[index];
  if (!task) return undefined;
  const done = !task.isDone;
  return { number: index + 1, done, text: withTask(text, task, done), markdown: task.markdown };
}

/** A text in which the task with the number of another is as it is there. */
export function tickedIn(text: string, { number, done }: Ticked): string {
  const task = tasksOf(text)[number - 1];
  return task ? withTask(text, task, done) : text;
}

/** Two texts that differ only in what is ticked. */
export const isSameButTicks = (one: string, other: string): boolean => {
  const bare = (text: string) => text.replace(/\[[ \txX]\]/g, "[ ]");
  return one.length === other.length && bare(one) === bare(other);
};

type Item = { place: number | undefined; name: string };

/**
 * The tasks by their places, and what gets the place of one that somebody ticks or makes a commitment; nothing where a text
 * can only be read.
 */
type Ticking = { tasks: ReadonlyMap<number, Task> } & Record<"tick" | "commit", (place: number) => void>;

const TheTicking = createContext<Ticking | undefined>(undefined);
const TheItem = createContext<Item>({ place: undefined, name: "" });

const isList = ({ tagName }: Element) => tagName === "ul" || tagName === "ol";

/** Whether it is the link to the commitment that a task has become. */
const isRecordLink = ({ properties: { href } }: Element) => recordAt(String(href)) !== undefined;

/** What an item says, without the lists in it. */
const textIn = (nodes: readonly ElementContent[]): string =>
  nodes
    .map((node) => {
      if (node.type === "text") return node.value;
      return node.type === "element" && !isList(node) && !isRecordLink(node) ? textIn(node.children) : "";
    })
    .join("");

const isTask = ({ properties: { className } }: Element) =>
  Array.isArray(className) && className.includes("task-list-item");

export function ListItem({ node, children, className, ...props }: ComponentProps<"li"> & ExtraProps) {
  const name = node ? textIn(node.children).trim() : "";
  return (
    <TheItem value={{ place: node?.position?.start.offset, name }}>
      <li {...props} className={node && isTask(node) ? `${className} ${styles.item}` : className}>
        {children}
      </li>
    </TheItem>
  );
}

/** Makes the task a commitment. By keyboard, `c` on its box does: with many tasks there are enough stops on the way. */
const Commit = ({ name, onPress }: { name: string; onPress: () => void }) => (
  <button
    type="button"
    tabIndex={-1}
    className={styles.commit}
    aria-label={`Make “${name}” a commitment`}
    title="Make it a commitment (c)"
    onClick={onPress}
  >
    <Handshake aria-hidden="true" />
  </button>
);

/** The box of a task. */
export function Box({ checked = false }: { checked?: boolean | undefined }) {
  const ticking = useContext(TheTicking);
  const { place = -1, name } = useContext(TheItem);
  const task = ticking?.tasks.get(place);
  const mayCommit = task && !task.isDone && recordIn(task.markdown) === undefined;
  const commit = () => ticking?.commit(place);
  return (
    <>
      <input
        type="checkbox"
        checked={checked}
        aria-label={name || "Task"}
        aria-keyshortcuts={mayCommit ? "c" : undefined}
        disabled={!task}
        onChange={() => ticking?.tick(place)}
        onKeyDown={({ key, metaKey, ctrlKey, altKey }) => {
          if (key === "c" && mayCommit && !metaKey && !ctrlKey && !altKey) commit();
        }}
      />
      {mayCommit && <Commit name={name} onPress={commit} />}
    </>
  );
}

type TickableProps = {
  text: string;
  onTick: (place: number) => void;
  onCommit: (place: number) => void;
  children: ReactNode;
};

/** A text whose tasks can be ticked and made commitments. */
export function Tickable({ text, onTick, onCommit, children }: TickableProps) {
  const tasks = useMemo(() => new Map(tasksOf(text).map((task) => [task.item, task])), [text]);
  return <TheTicking value={{ tasks, tick: onTick, commit: onCommit }}>{children}</TheTicking>;
}
