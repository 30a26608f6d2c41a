import { useQuery } from "@tanstack/react-query";
import { listOccurrences } from "../../../../src/contract/repeat/occurrences.ts";
import { parseStoredRule } from "../../../../src/contract/repeat/rule.ts";
import { addDays } from "../../kit/dates.ts";
import { readAllRecords } from "../../state/read-records.ts";
import { dueSortKey } from "../records/due.ts";
import { useWithOptimisticChanges } from "../records/optimistic-changes.ts";
import type { RecordItem } from "../records/row.ts";

// The records of the visible days: records due then, and future occurrences of repeating records.

/** Maximum of records per query; a note says if there are more. */
const MAX_RECORDS = 500;

/** A record on a day. `isCopy`: a future occurrence of a repeating record. */
export type CalendarEntry = { row: RecordItem; day: string; isCopy: boolean };

const timeKey = ({ row }: CalendarEntry) => dueSortKey({ due_date: "", due_time: row.due_time ?? null });

function compareEntries(one: CalendarEntry, other: CalendarEntry): number {
  const [a, b] = [timeKey(one), timeKey(other)];
  if (a === b) return one.row.id - other.row.id;
  return a < b ? -1 : 1;
}

export type VisibleDays = { first: string; last: string; today: string };

/** A month has at most six weeks. */
const MAX_DAYS = 42;

/** The visible days of a record's future occurrences: after its due date and after today. */
function futureDays(row: RecordItem, { first, last, today }: VisibleDays): readonly string[] {
  const { repeat, repeat_from, due_date, next_due } = row;
  if (!repeat || !due_date) return [];
  if (repeat_from === "done") return next_due ?? [];
  const after = [due_date, today, addDays(first, -1)].sort().at(-1) ?? today;
  // Copies stored by earlier versions of the app lack `repeat_start`.
  const anchor = row.repeat_start ?? due_date;
  return listOccurrences(parseStoredRule(repeat), { anchor, after, limit: MAX_DAYS }).filter(
    (day) => day <= last,
  );
}

/** Entries by day, ordered by time. Archived records are left out. */
export function entriesByDay(
  due: readonly RecordItem[],
  repeating: readonly RecordItem[],
  shown: VisibleDays,
): Map<string, CalendarEntry[]> {
  const records = due.flatMap((row) =>
    row.due_date && row.status !== "archived" ? [{ row, day: row.due_date, isCopy: false }] : [],
  );
  const copies = repeating
    .filter(({ status }) => status === "active")
    .flatMap((row) => {
      const following = { ...row, ...row.next_values };
      return futureDays(row, shown).map((day) => ({ row: following, day, isCopy: true }));
    });
  return Map.groupBy([...records, ...copies].sort(compareEntries), ({ day }) => day);
}

const BY_DAY = { sort: "due_date", order: "asc" } as const;

/** The records that repeat, whose future occurrences are computed. */
export const useRepeatingRecords = () =>
  useQuery({
    queryKey: ["memories", "calendar", "repeating"],
    queryFn: (asking) => readAllRecords({ status: "active", repeats: true, ...BY_DAY }, asking, MAX_RECORDS),
  });

export function useCalendarEntries(shown: VisibleDays) {
  const { first, last } = shown;
  const until = addDays(last, 1);
  const expected = useWithOptimisticChanges();
  const due = useQuery({
    queryKey: ["memories", "calendar", first, last],
    queryFn: (asking) =>
      readAllRecords({ due_after: first, due_before: until, ...BY_DAY }, asking, MAX_RECORDS),
    placeholderData: (before) => before,
  });
  const repeating = useRepeatingRecords();
  const rows = expected(due.data?.items ?? []);
  const results = [due, repeating];
  return {
    entries: entriesByDay(rows, expected(repeating.data?.items ?? []), shown),
    left: Math.max(0, (due.data?.total ?? 0) - MAX_RECORDS),
    isLoading: results.some(({ data, isPlaceholderData }) => !data || isPlaceholderData),
    problem: results.find(({ data, error }) => error && !data)?.error ?? undefined,
    retry: () => void Promise.all(results.map(({ refetch }) => refetch())),
  };
}
