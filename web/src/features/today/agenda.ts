import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type DashboardItem, dashboardApi } from "../../api/dashboard.ts";
import type { Memory } from "../../api/memories.ts";
import type { RecordQuery } from "../../state/copied-lists.ts";
import { type Asking, orCopy } from "../../state/copies.ts";
import { readRecords } from "../../state/reading-records.ts";
import { dueBefore, PAGE, type PageQuery, pageAt, queriesOf } from "./asked.ts";

// What needs attention today, from a few requests at once. What they answer first is shown at once, and the rest of long
// lists follows.

/** Who has more of a kind than this is told that only the first are shown. */
const MOST = 1000;

type List<Item> = { items: Item[]; total: number };
type Read<Item> = (page: PageQuery, asking: Asking) => Promise<List<Item>>;

/** What follows the first page of a list of so many items, up to MOST of them. */
async function restOf<Item>(
  read: Read<Item>,
  { from, total }: { from: number; total: number },
  asking: Asking,
): Promise<Item[]> {
  const count = Math.ceil((Math.min(total, MOST) - from) / PAGE);
  const offsets = Array.from({ length: Math.max(0, count) }, (_, page) => from + page * PAGE);
  const pages = await Promise.all(offsets.map((offset) => read(pageAt(offset), asking)));
  return pages.flatMap(({ items }) => items);
}

type Whole<Item> = { list: List<Item> | undefined; results: UseQueryResult<unknown>[] };

type Course = {
  /** Where the list begins, as soon as that is known. */
  at?: number | undefined;
  /** Whether what follows the first page may be read, too. */
  goesOn: boolean;
};

/** A list as far as it has been answered: its first page, and then the whole of it. */
function useWhole<Item>(queryKey: readonly string[], read: Read<Item>, { at, goesOn }: Course): Whole<Item> {
  const from = at ?? 0;
  const first = useQuery({
    queryKey: [...queryKey, from],
    queryFn: (asking) => read(pageAt(from), asking),
    enabled: at !== undefined,
  });
  const total = first.data?.total ?? 0;
  const rest = useQuery({
    queryKey: [...queryKey, from, "rest", total],
    queryFn: (asking) => restOf(read, { from: from + PAGE, total }, asking),
    enabled: goesOn && total > from + PAGE,
    placeholderData: (before) => before,
  });
  const list = first.data && { items: [...first.data.items, ...(rest.data ?? [])], total };
  return { list, results: [first, rest] };
}

export type Answers = {
  /** Active and due until a week from now. */
  due: List<Memory>;
  alerts: List<DashboardItem>;
  /** The alerts do not say which of them are blockers. */
  blockers: List<Memory>;
  deferred: List<Memory>;
  /** Decisions and commitments, the newest first: what has no date is on no other list. */
  lately: List<Memory>;
};

const key = (name: string, ...more: string[]) => ["memories", "today", name, ...more];
const recordsBy = (query: RecordQuery) => (page: PageQuery, asking: Asking) =>
  readRecords({ ...query, ...page }, asking);

const readAlerts = (page: PageQuery, asking: Asking) =>
  orCopy(`/api/dashboard/alerts?${page.offset}`, () => dashboardApi.alerts(page), asking);

const NOTHING: List<never> = { items: [], total: 0 };

/**
 * What the service has said of the day so far; `problem` is what kept it from answering.
 *
 * @param overdue how many records are, once that is known: among the alerts they come before the stale ones
 */
export function useAgenda(overdue: number | undefined) {
  const until = dueBefore();
  const queries = queriesOf(until);
  const [goesOn, setGoesOn] = useState(false);
  const course = { at: 0, goesOn };
  const due = useWhole(key("due", until), recordsBy(queries.due), course);
  const alerts = useWhole(["dashboard", "alerts"], readAlerts, {
    at: overdue,
    goesOn,
  });
  const blockers = useWhole(key("blockers"), recordsBy(queries.blockers), course);
  const deferred = useWhole(key("deferred"), recordsBy(queries.deferred), course);
  const lately = useQuery({
    queryKey: key("lately"),
    queryFn: (asking) => recordsBy(queries.lately)(pageAt(0), asking),
  });
  const results = [...[due, alerts, blockers, deferred].flatMap((one) => one.results), lately];
  const answers: Answers | undefined = due.list && {
    due: due.list,
    alerts: alerts.list ?? NOTHING,
    blockers: blockers.list ?? NOTHING,
    deferred: deferred.list ?? NOTHING,
    lately: lately.data ?? NOTHING,
  };
  const isComplete = Boolean(due.list && alerts.list && blockers.list && deferred.list && lately.data);
  // What comes first is drawn before more is asked for.
  useEffect(() => setGoesOn(isComplete), [isComplete]);
  return {
    answers,
    isComplete,
    problem: results.find(({ error }) => error)?.error ?? undefined,
    retry: () => void Promise.all(results.map(({ refetch }) => refetch())),
  };
}
