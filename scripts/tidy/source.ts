import type { Thing } from "../../src/contract/tidy/mark.ts";

// What a file of another memory has, as things that can be looked at. `id` says where each is in the file.

export type Source = {
  /** What kind of file it is. */
  name: string;
  things: Thing[];
  /** Lines that could not be read. */
  unread: number;
  /** What cannot be measured there, and why. */
  unmeasured: string[];
};

export const NOTHING = {
  ...{ changed: null, memory_type: null, project: null, due_date: null, supersedes: null, series: null },
  document_id: null,
};

/** The order in the file stands for time, as a text that sorts as numbers do. */
export const inOrder = (place: number) => String(place).padStart(10, "0");
