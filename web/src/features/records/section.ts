import type { NowPosition } from "./due.ts";
import type { RecordItem } from "./row.ts";
import type { RecordActionName } from "./step-actions.ts";

/** An action on all records of a section, also those that are not loaded. */
export type WholeSection = {
  name: string;
  action: RecordActionName;
  read: () => Promise<readonly RecordItem[]>;
};

/** Records under a heading. */
export type RecordSection = {
  key: string;
  /** Without one the section has no heading. */
  title?: string;
  hint?: string;
  rows: readonly RecordItem[];
  /** The total, if `rows` has only some of them; `unknown` shows no number. */
  total?: number | "unknown";
  /** Shows all of them. */
  showAll?: () => void;
  /** Path of the list that has all of them, if some are not loaded. */
  wholeList?: string;
  /** The name under which it is remembered as collapsed, if it can be. */
  fold?: string;
  whole?: WholeSection;
  isFolded?: boolean;
  /** The day that it is about: it is shown without records too, and records are dropped on it. */
  day?: string;
  /** Creates a record on it. */
  onNew?: () => void;
  tone?: "late";
  /** What rows need not show, because the title says it. */
  quiet?: "when" | "type";
  now?: NowPosition | undefined;
};

/** All records of a list, also those that are not loaded. */
export type WholeList = { total: number; read: () => Promise<readonly RecordItem[]> };
