import type { Element, ElementContent } from "hast";
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo, useRef } from "react";
import type { ExtraProps } from "react-markdown";
import { type Task, tasksOf, withTaskState } from "../../../../src/shared/markdown/tasks.ts";
import { Handshake } from "../../kit/icons.tsx";
import styles from "./commitments/commitments.module.css";
import { linkedRecordId, recordIdFromPath } from "./commitments/link.ts";
import { directionOf } from "./direction.ts";
import { textOf } from "./prose-headings.ts";

// Tasks of a rendered text, which can be ticked.

/** A ticked or unticked task: its number from 1, its new state, the text with it, and the task's Markdown. */
export type TickedTask = { number: number; done: boolean; text: string; markdown: string };

/** Toggles the task whose list item begins at this offset; undefined if there is none. */
export function toggleTaskAt(text: string, place: number): TickedTask | undefined {
  const tasks = tasksOf(text);
  const index = tasks.findIndex(({ item }) => item === place);
  const task = tasks[index];
  if (!task) return undefined;
  const done = !task.isDone;
  return { number: index + 1, done, text: withTaskState(text, task, done), markdown: task.markdown };
}

/** Sets the state of the task with the same number in another version of the text. */
export function applyTick(text: string, { number, done }: TickedTask): string {
  const task = tasksOf(text)[number - 1];
  return task ? withTaskState(text, task, done) : text;
}

/** Whether two texts differ at most in which tasks are ticked. */
export const differsOnlyInTicks = (one: string, other: string): boolean => {
  const withoutTicks = (text: string) => text.replace(/\[[ \txX]\]/g, "[ ]");
  return one.length === other.length && withoutTicks(one) === withoutTicks(other);
};

type Item = { place: number | undefined; name: string };

/** The tasks of a text by the offset of their list items, and handlers that get this offset. Undefined in a read-only text. */
type TaskActions = { taskAt: (place: number) => Task | undefined } & Record<
  "tick" | "commit",
  (place: number) => void
>;

const TaskActionsContext = createContext<TaskActions | undefined>(undefined);
const ItemContext = createContext<Item>({ place: undefined, name: "" });

const isList = ({ tagName }: Element) => tagName === "ul" || tagName === "ol";

const isRecordLink = ({ properties: { href } }: Element) => recordIdFromPath(String(href)) !== undefined;

/** The text of a list item, without nested lists. */
const itemText = (nodes: readonly ElementContent[]): string =>
  nodes
    .map((node) => {
      if (node.type === "text") return node.value;
      return node.type === "element" && !isList(node) && !isRecordLink(node) ? itemText(node.children) : "";
    })
    .join("");

const isTask = ({ properties: { className } }: Element) =>
  Array.isArray(className) && className.includes("task-list-item");

export function ListItem({ node, children, className, ...props }: ComponentProps<"li"> & ExtraProps) {
  const name = node ? itemText(node.children).trim() : "";
  return (
    <ItemContext value={{ place: node?.position?.start.offset, name }}>
      <li
        {...props}
        dir={node && directionOf(textOf(node))}
        className={node && isTask(node) ? `${className} ${styles.item}` : className}
      >
        {children}
      </li>
    </ItemContext>
  );
}

/** Makes the task a commitment. Not in the tab order: with the keyboard, press `c` on the task's checkbox. */
const CommitButton = ({ name, onPress }: { name: string; onPress: () => void }) => (
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

export function TaskCheckbox({ checked = false }: { checked?: boolean | undefined }) {
  const actions = useContext(TaskActionsContext);
  const { place = -1, name } = useContext(ItemContext);
  const task = actions?.taskAt(place);
  const mayCommit = task && !task.isDone && linkedRecordId(task.markdown) === undefined;
  const box = useRef<HTMLInputElement>(null);
  const commit = () => actions?.commit(place);
  return (
    <>
      <input
        ref={box}
        type="checkbox"
        checked={checked}
        aria-label={name || "Task"}
        aria-keyshortcuts={mayCommit ? "c" : undefined}
        disabled={!task}
        onChange={() => actions?.tick(place)}
        onKeyDown={({ key, metaKey, ctrlKey, altKey }) => {
          if (key === "c" && mayCommit && !metaKey && !ctrlKey && !altKey) commit();
        }}
      />
      {mayCommit && (
        <CommitButton
          name={name}
          onPress={() => {
            // The button disappears, so the checkbox gets the focus.
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

/** Makes the tasks of the text inside tickable. */
export function TickableText({ text, onTick, onCommit, children }: TickableProps) {
  const tasks = useMemo(() => new Map(tasksOf(text).map((task) => [task.item, task])), [text]);
  const taskAt = (place: number) => tasks.get(place);
  return (
    <TaskActionsContext value={{ taskAt, tick: onTick, commit: onCommit }}>{children}</TaskActionsContext>
  );
}
