import type { Thing } from "../../src/contract/tidy/mark.ts";

// A file of memories, as items that can be checked. An item's `id` says where it is in the file.

export type Source = {
  /** The kind of file. */
  name: string;
  things: Thing[];
  /** Lines that could not be read. */
  unread: number;
  /** What cannot be checked in such a file, and why. */
  unmeasured: string[];
};

export const NOTHING = {
  changed: null,
  memory_type: null,
  project: null,
  due_date: null,
  supersedes: null,
  series: null,
  document_id: null,
};

/** The position in the file in place of a time, as text that sorts like the number. */
export const inOrder = (position: number) => String(position).padStart(10, "0");
