import type { TidySubject } from "../../src/shared/tidy/fingerprint.ts";

// A file of memories, as items that can be checked. An item's `id` says where it is in the file.

export type MemoryFile = {
  name: string;
  things: TidySubject[];
  unread: number;
  /** What cannot be checked in such a file, and why. */
  unmeasured: string[];
};

export const EMPTY_THING = {
  changed: null,
  memory_type: null,
  project: null,
  due_date: null,
  supersedes: null,
  series: null,
  is_linked: null,
  document_id: null,
};

/** The position in the file in place of a time, as text that sorts like the number. */
export const sequenceTime = (position: number) => String(position).padStart(10, "0");
