import { screenPath } from "../../../../../src/contract/paths.ts";
import type { Memory } from "../../../api/memories.ts";

// The link after a task that leads to its record.

const LINK = /\]\(\/records\/(\d{1,16})\)/;
const PATH = /^\/records\/(\d{1,16})$/;

export const recordLink = ({ id, memory_type }: Pick<Memory, "id" | "memory_type">): string =>
  `[${memory_type} ${id}](${screenPath("record", id)})`;

/** The id of the record that a task in Markdown links to. */
export function linkedRecordId(markdown: string): number | undefined {
  const [, id] = LINK.exec(markdown) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The id of the record that a path of the app leads to. */
export function recordIdFromPath(href: string): number | undefined {
  const [, id] = PATH.exec(href) ?? [];
  return id === undefined ? undefined : Number(id);
}
