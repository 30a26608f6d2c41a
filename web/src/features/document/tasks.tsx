import type { Element, ElementContent } from "hast";
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo, useRef } from "react";
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
 * The task at a place, and what gets the place of one that somebody ticks or makes a commitment; nothing where a text
 * can only be read.
 */
type Ticking = { taskAt: (place: number) => Task | undefined } & Record<
  "tick" | "commit",
  (place: number) => void
>;

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
  const task = ticking?.taskAt(place);
  const mayCommit = task && !task.isDone && recordIn(task.markdown) === undefined;
  const box = useRef<HTMLInputElement>(null);
  const commit = () => ticking?.commit(place);
  return (
    <>
      <input
        ref={box}
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
      {mayCommit && (
        <Commit
          name={name}
          onPress={() => {
            // The button goes away.
            box.current?.focus({ preventScroll: true });
            commit();
          }}
        />
      )}
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
  const taskAt = (place: number) => tasks.get(place);
  return <TheTicking value={{ taskAt, tick: onTick, commit: onCommit }}>{children}</TheTicking>;
}

/** Where a place of a text is in the one that it has become; undefined within what was changed. */
function movedTo(before: string, after: string): (place: number) => number | undefined {
  const most = Math.min(before.length, after.length);
  let [start, end] = [0, 0];
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  const isSameAtEnd = () =>
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end);
  while (end < most - start && isSameAtEnd()) end += 1;
  return (place) => {
    if (place < start) return place;
    return place >= before.length - end ? place + after.length - before.length : undefined;
  };
}

type StillShownProps = { shown: string; text: string; children: ReactNode };

/** What a text was before, which is shown until the text may be: its tasks are those of the text. */
export function StillShown({ shown, text, children }: StillShownProps) {
  const ticking = useContext(TheTicking);
  const moved = useMemo(() => movedTo(shown, text), [shown, text]);
  const at =
    <Result,>(act: (place: number) => Result) =>
    (place: number) => {
      const now = moved(place);
      return now === undefined ? undefined : act(now);
    };
  const { taskAt, tick, commit } = ticking ?? {};
  const value = taskAt && tick && commit && { taskAt: at(taskAt), tick: at(tick), commit: at(commit) };
  return <TheTicking value={shown === text ? ticking : value}>{children}</TheTicking>;
}
