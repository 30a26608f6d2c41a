import { addDays, dayInZone } from "../../kit/dates.ts";
import type { RecordSection } from "../records/record-list.tsx";
import { DAYS_AHEAD } from "./today-queries.ts";

// How many records a section has, while only some are loaded: the number is right, or none is shown.

/** `left`: how many items are not loaded yet. */
type Loading<Item = object> = { items: readonly Item[]; left: number };

export type LoadedLists = Record<"overdue" | "alerts" | "deferred", Loading> & {
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

/** For each section whether records of it may be missing, or how many are. */
function missing({ overdue, due, alerts, deferred, lately }: LoadedLists, { today, timezone }: Clock) {
  const lastDue = due.items.at(-1)?.due_date ?? "";
  const lastCreated = lately.items.at(-1)?.created_at;
  const weekAgo = addDays(today, -DAYS_AHEAD);
  const isDueMissing = (until: string) => due.left > 0 && lastDue <= until;
  const isNewMissing =
    lately.left > 0 && lastCreated !== undefined && dayInZone(timezone, lastCreated) > weekAgo;
  return new Map<string, number | boolean>([
    ["overdue", overdue.left],
    ["today", isDueMissing(today)],
    ["soon", isDueMissing(addDays(today, DAYS_AHEAD))],
    ["undated", isNewMissing],
    ["stale", alerts.left],
    ["waking", deferred.left > 0],
    ["decisions", isNewMissing],
  ]);
}

/** The sections with their true sizes, or without a number where it is not known. */
export function withCounts(
  sections: readonly RecordSection[],
  lists: LoadedLists,
  clock: Clock,
): RecordSection[] {
  const left = missing(lists, clock);
  return sections.map((section) => {
    const more = left.get(section.key) ?? false;
    const wholeList = WHOLE_LISTS[section.key];
    return {
      ...section,
      ...(typeof more === "number" ? { total: section.rows.length + more } : more && { total: "unknown" }),
      ...(more && wholeList && { wholeList }),
    };
  });
}
