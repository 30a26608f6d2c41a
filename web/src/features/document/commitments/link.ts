import { pathOf } from "../../../../../src/contract/paths.ts";
import type { Memory } from "../../../api/memories.ts";

// The link behind the words of a task that leads to its record.

const LINK = /\]\(\/records\/(\d{1,16})\)/;
const PATH = /^\/records\/(\d{1,16})$/;

export const linkTo = ({ id, memory_type }: Pick<Memory, "id" | "memory_type">): string =>
  `[${memory_type} ${id}](${pathOf("record", id)})`;

/** The number of the record that a task in Markdown leads to. */
export function recordIn(markdown: string): number | undefined {
  const [, number] = LINK.exec(markdown) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The number of the record that an address of the app leads to. */
export function recordAt(href: string): number | undefined {
  const [, number] = PATH.exec(href) ?? [];
  return number === undefined ? undefined : Number(number);
}
