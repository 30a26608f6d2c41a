import type { Element, ElementContent } from "hast";
import { type ComponentProps, createContext, useContext } from "react";
import type { ExtraProps } from "react-markdown";

// Tasks of a text, which are ticked while it is read.

/** The task that stands at a place of a text: where its list item begins. */
const TASK = /(?:[-+*]|\d{1,9}[.)])\s+\[([ \txX])\]/y;

/** The text with the task at a place ticked, or not any more; undefined if there is none. */
export function withTicked(text: string, place: number): string | undefined {
  TASK.lastIndex = place;
  const found = TASK.exec(text);
  if (!found) return undefined;
  const at = TASK.lastIndex - 2;
  return text.slice(0, at) + (found[1]?.trim() ? " " : "x") + text.slice(at + 1);
}

/** Two texts that differ only in what is ticked. */
export const isSameButTicks = (one: string, other: string): boolean => {
  const bare = (text: string) => text.replace(/\[[ \txX]\]/g, "[ ]");
  return one.length === other.length && bare(one) === bare(other);
};

type Item = { place: number | undefined; name: string };

/** Gets the place of a task that somebody has clicked; nothing where a text can only be read. */
export const OnTick = createContext<((place: number) => void) | undefined>(undefined);
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
  const tick = useContext(OnTick);
  const { place, name } = useContext(TheItem);
  const canBe = tick && place !== undefined;
  return (
    <input
      type="checkbox"
      checked={checked}
      aria-label={name || "Task"}
      disabled={!canBe}
      onChange={() => canBe && tick(place)}
    />
  );
}
