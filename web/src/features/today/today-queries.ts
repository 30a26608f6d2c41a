import { addDays, browserTimezone, dayInZone } from "../../kit/dates.ts";
import type { RecordQuery } from "../../state/cached-lists.ts";

// The first requests of Today. The early script (web/src/shell/early.ts) bundles this file, so keep it small.

/** Days that count as soon, and as recent. */
export const DAYS_AHEAD = 7;
/** In the account's time zone, it may already be the next day. */
const ZONES_APART = 1;

export const PAGE_SIZE = 100;

export type PageQuery = { limit: number; offset: number; content_length: number };

/** A page of a list, without content, which rows do not show. */
export const pageQueryAt = (offset: number): PageQuery => ({ limit: PAGE_SIZE, offset, content_length: 0 });

/** The exclusive end of the due dates that Today lists. */
export const dueBefore = (): string => addDays(dayInZone(browserTimezone()), DAYS_AHEAD + ZONES_APART + 1);

const ACTIVE = { status: "active" } as const;

export const todayQueries = (until: string) =>
  ({
    due: { ...ACTIVE, due_before: until, sort: "due_date" },
    blockers: { ...ACTIVE, memory_type: ["blocker"], sort: "updated_at", order: "asc" },
    deferred: { status: "deferred" },
    lately: { ...ACTIVE, memory_type: ["decision", "commitment"], sort: "created_at" },
  }) satisfies Record<string, RecordQuery>;
