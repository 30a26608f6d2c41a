import { addDays, browserDay, dayInZone } from "../../kit/dates.ts";
import type { RecordSection } from "../records/section.ts";
import { DAYS_AHEAD } from "./today-queries.ts";

// How many records a section has, while only some are loaded: the number is right, or none is shown.

/** `left`: how many items are not loaded yet. */
type Loading<Item = object> = { items: readonly Item[]; left: number };

export type LoadedLists = Record<"overdue" | "alerts", Loading<{ id: number }>> & {
  deferred: Loading;
  due: Loading<{ due_date: string | null }>;
  lately: Loading<{ created_at: string }>;
};

/** Lists of everything that a section may have, for more than Today loads. */
const WHOLE_LISTS: Record<string, string> = {
  overdue: "/records?due=overdue&sort=due_date",
  undated: "/records?type=commitment&due=none&sort=created_at",
  decisions: "/records?type=decision&sort=created_at",
  waking: "/records?status=deferred",
};

type Clock = { today: string; timezone: string };

/** For each section the list that it shows, or whether records of it may be missing. */
function missing({ overdue, due, alerts, deferred, lately }: LoadedLists, { today, timezone }: Clock) {
  const lastDue = due.items.at(-1)?.due_date ?? "";
  const lastCreated = lately.items.at(-1)?.created_at;
  const weekAgo = addDays(today, -DAYS_AHEAD);
  const isDueMissing = (until: string) => due.left > 0 && lastDue <= until;
  const isNewMissing =
    lately.left > 0 && lastCreated !== undefined && dayInZone(timezone, lastCreated) > weekAgo;
  return new Map<string, Loading<{ id: number }> | boolean>([
    // If the browser's day is the next one already, its list has what is due today, too.
    ["overdue", browserDay() > today ? overdue.left > 0 : overdue],
    ["today", isDueMissing(today)],
    ["soon", isDueMissing(addDays(today, DAYS_AHEAD))],
    ["undated", isNewMissing],
    ["stale", alerts],
    ["waking", deferred.left > 0],
    ["decisions", isNewMissing],
  ]);
}

/** How many records a section has that shows a list. Some that are not loaded in it may be known from another list. */
function sizeOf(rows: readonly { id: number }[], { items, left }: Loading<{ id: number }>): number {
  const loaded = new Set(items.map(({ id }) => id));
  const fromElsewhere = rows.filter(({ id }) => !loaded.has(id)).length;
  return rows.length - fromElsewhere + Math.max(left, fromElsewhere);
}

/** The sections with their true sizes, or without a number where it is not known. */
export function withCounts(
  sections: readonly RecordSection[],
  loaded: LoadedLists,
  clock: Clock,
): RecordSection[] {
  const lists = missing(loaded, clock);
  return sections.map((section) => {
    const known = lists.get(section.key) ?? false;
    const total = typeof known === "object" ? sizeOf(section.rows, known) : known && ("unknown" as const);
    const wholeList = WHOLE_LISTS[section.key];
    if (total === false || total === section.rows.length) return section;
    return { ...section, total, ...(wholeList && { wholeList }) };
  });
}
