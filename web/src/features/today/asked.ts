import { addDays, browserTimezone, dayIn } from "../../kit/dates.ts";
import type { RecordQuery } from "../../state/copied-lists.ts";

// What Today asks first. The early script (web/src/shell/early.ts) has all of this in it: nothing large belongs here.

/** How many days belong to what is soon, and to what was lately. */
export const DAYS_AHEAD = 7;
/** The account's day may be the one after this browser's. */
const ZONES_APART = 1;

export const PAGE = 100;

export type PageQuery = { limit: number; offset: number; content_length: number };

/** A page of a list. Rows show no content, so none is asked for. */
export const pageAt = (offset: number): PageQuery => ({ limit: PAGE, offset, content_length: 0 });

/** The day before which a record has to be due. */
export const dueBefore = (): string => addDays(dayIn(browserTimezone()), DAYS_AHEAD + ZONES_APART + 1);

const ACTIVE = { status: "active" } as const;

/** The lists of records that the day is made of. */
export const queriesOf = (until: string) =>
  ({
    due: { ...ACTIVE, due_before: until, sort: "due_date" },
    blockers: { ...ACTIVE, memory_type: ["blocker"], sort: "updated_at", order: "asc" },
    deferred: { status: "deferred" },
    lately: { ...ACTIVE, memory_type: ["decision", "commitment"], sort: "created_at" },
  }) satisfies Record<string, RecordQuery>;
