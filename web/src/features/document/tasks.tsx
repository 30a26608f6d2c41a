import type { Element, ElementContent } from "hast";
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo } from "react";
import type { ExtraProps } from "react-markdown";
import { tasksOf, withTask } from "../../../../src/contract/markdown/tasks.ts";

// Tasks of a text, which are ticked while it is read.

/** A task that is ticked, or not any more: its number, whether it is done then, and the text. */
export type Ticked = { number: number; done: boolean; text: string };

/** What a click on the task whose list item begins at a place makes of a text; undefined if there is none. */
export function tickedAt(text: string, place: number): Ticked | undefined {
  const tasks = tasksOf(text);
  const index = tasks.findIndex(({ item }) => item === place);
  const task = tasks[index];
  if (!task) return undefined;
  const done = !task.isDone;
  return { number: index + 1, done, text: withTask(text, task, done) };
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

/** The places of the tasks, and what gets that of one that somebody has clicked; nothing where a text can only be read. */
type Ticking = { places: ReadonlySet<number>; tick: (place: number) => void };

const TheTicking = createContext<Ticking | undefined>(undefined);
const TheItem = createContext<Item>({ place: undefined, name: "" });

const isList = ({ tagName }: Element) => tagName === "ul" || tagName === "ol";

/** What an item says, without the lists in it. */
const textIn = (nodes: readonly ElementContent[]): string =>
  nodes
    .map((node) => {
      if (node.type === "text") return node.value;
      return node.type === "element" && !isList(node) ? textIn(node.children) : "";
    })
    .join("");

export function ListItem({ node, children, ...props }: ComponentProps<"li"> & ExtraProps) {
  const name = node ? textIn(node.children).trim() : "";
  return (
    <TheItem value={{ place: node?.position?.start.offset, name }}>
      <li {...props}>{children}</li>
    </TheItem>
  );
}

/** The box of a task. */
export function Box({ checked = false }: { checked?: boolean | undefined }) {
  const ticking = useContext(TheTicking);
  const { place, name } = useContext(TheItem);
  const canBe = ticking && place !== undefined && ticking.places.has(place);
  return (
    <input
      type="checkbox"
      checked={checked}
      aria-label={name || "Task"}
      disabled={!canBe}
      onChange={() => canBe && ticking.tick(place)}
    />
  );
}

type TickableProps = { text: string; onTick: (place: number) => void; children: ReactNode };

/** A text whose tasks can be ticked. */
export function Tickable({ text, onTick, children }: TickableProps) {
  const places = useMemo(() => new Set(tasksOf(text).map(({ item }) => item)), [text]);
  return <TheTicking value={{ places, tick: onTick }}>{children}</TheTicking>;
}
