import { addDays, browserDay } from "../../kit/dates.ts";
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

const ACTIVE = { status: "active" } as const;

/**
 * The lists of Today. What is overdue is a list of its own, because it may be long, and what is due today must not wait
 * behind it.
 *
 * @param today the day of this browser, which may not be that of the account's time zone
 */
export function todayQueries(today = browserDay()) {
  const until = addDays(today, DAYS_AHEAD + ZONES_APART + 1);
  return {
    overdue: { ...ACTIVE, due_before: today, sort: "due_date" },
    due: { ...ACTIVE, due_after: today, due_before: until, sort: "due_date" },
    blockers: { ...ACTIVE, memory_type: ["blocker"], sort: "updated_at", order: "asc" },
    deferred: { status: "deferred" },
    lately: { ...ACTIVE, memory_type: ["decision", "commitment"], sort: "created_at" },
  } satisfies Record<string, RecordQuery>;
}
