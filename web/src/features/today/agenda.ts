import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type DashboardItem, dashboardApi } from "../../api/dashboard.ts";
import type { Memory } from "../../api/memories.ts";
import type { RecordQuery } from "../../state/cached-lists.ts";
import { fetchOrCopy, type QueryContext } from "../../state/copies.ts";
import { readRecords } from "../../state/read-records.ts";
import { PAGE_SIZE, type PageQuery, pageQueryAt, todayQueries } from "./today-queries.ts";

// What needs attention today, from a few parallel requests. The first pages are shown as soon as they arrive; the rest of
// long lists follows.

/** At most this many items of a list are loaded. */
const MAX_ITEMS = 1000;

type Page<Item> = { items: Item[]; total: number };
type Read<Item> = (page: PageQuery, context: QueryContext) => Promise<Page<Item>>;
/** `left`: how many items are not loaded yet. */
type List<Item> = { items: Item[]; left: number };

/** The pages after the first one, up to MAX_ITEMS. `total`: as far as it is known before they are read. */
async function readRest<Item>(
  read: Read<Item>,
  { from, total }: { from: number; total: number },
  context: QueryContext,
): Promise<Item[]> {
  const count = Math.ceil((Math.min(total, MAX_ITEMS) - from) / PAGE_SIZE);
  const offsets = Array.from({ length: Math.max(0, count) }, (_, page) => from + page * PAGE_SIZE);
  const pages = await Promise.all(offsets.map((offset) => read(pageQueryAt(offset), context)));
  const items = pages.flatMap((page) => page.items);
  const end = from + count * PAGE_SIZE;
  const totalNow = pages.at(-1)?.total ?? 0;
  if (end >= Math.min(totalNow, MAX_ITEMS)) return items;
  return [...items, ...(await readRest(read, { from: end, total: totalNow }, context))];
}

type LoadedList<Item> = { list: List<Item> | undefined; results: UseQueryResult<unknown>[] };

type LoadOptions = {
  /** The offset of the first page, once it is known. */
  at?: number | undefined;
  /** Whether the pages after the first one may be loaded. */
  loadsRest: boolean;
};

/** Loads a list: its first page, and then the rest. */
function useWholeList<Item>(
  queryKey: readonly string[],
  read: Read<Item>,
  { at, loadsRest }: LoadOptions,
): LoadedList<Item> {
  const from = at ?? 0;
  const first = useQuery({
    queryKey: [...queryKey, from],
    queryFn: (context) => read(pageQueryAt(from), context),
    enabled: at !== undefined,
  });
  const total = first.data?.total ?? 0;
  const hasRest = total > from + PAGE_SIZE;
  // Not a query per total: a change refreshes both at once, and is shown on top of them until both have it.
  const rest = useQuery({
    queryKey: [...queryKey, from, "rest"],
    queryFn: (context) => readRest(read, { from: from + PAGE_SIZE, total }, context),
    enabled: loadsRest && hasRest,
    // Otherwise it could still be fresh, and stay as it is, when the first page and its total are read again.
    staleTime: 0,
  });
  const items = [...(first.data?.items ?? []), ...((hasRest && rest.data) || [])];
  const list = first.data && { items, left: Math.max(0, total - from - items.length) };
  return { list, results: [first, rest] };
}

/** `blockers`: because alerts do not include the type. `lately`: because records without a date are in no other list. */
export type AgendaLists = Record<"overdue" | "due" | "blockers" | "deferred" | "lately", List<Memory>> & {
  alerts: List<DashboardItem>;
};

const listKey = (name: string, ...more: string[]) => ["memories", "today", name, ...more];
const readBy = (query: RecordQuery) => (page: PageQuery, context: QueryContext) =>
  readRecords({ ...query, ...page }, context);

const readAlerts = (page: PageQuery, context: QueryContext) =>
  fetchOrCopy(`/api/dashboard/alerts?${page.offset}`, () => dashboardApi.alerts(page), context);

const EMPTY_LIST: List<never> = { items: [], left: 0 };

/**
 * The lists of the day, as far as they are loaded; `problem` is the first error.
 *
 * @param overdue number of overdue records, once known: in the alerts, they come before the stale ones
 */
export function useAgenda(overdue: number | undefined) {
  const queries = todayQueries();
  const [loadsRest, setLoadsRest] = useState(false);
  const options = { at: 0, loadsRest };
  const until = queries.due.due_before;
  const late = useWholeList(listKey("overdue", until), readBy(queries.overdue), options);
  const due = useWholeList(listKey("due", until), readBy(queries.due), options);
  const alerts = useWholeList(["dashboard", "alerts"], readAlerts, { at: overdue, loadsRest });
  const blockers = useWholeList(listKey("blockers"), readBy(queries.blockers), options);
  const deferred = useWholeList(listKey("deferred"), readBy(queries.deferred), options);
  const lately = useQuery({
    queryKey: listKey("lately"),
    queryFn: (context) => readBy(queries.lately)(pageQueryAt(0), context),
  });
  const results = [...[late, due, alerts, blockers, deferred].flatMap((one) => one.results), lately];
  const answers: AgendaLists | undefined = late.list &&
    due.list && {
      overdue: late.list,
      due: due.list,
      alerts: alerts.list ?? EMPTY_LIST,
      blockers: blockers.list ?? EMPTY_LIST,
      deferred: deferred.list ?? EMPTY_LIST,
      lately: lately.data
        ? { items: lately.data.items, left: lately.data.total - lately.data.items.length }
        : EMPTY_LIST,
    };
  const isComplete = Boolean(answers && alerts.list && blockers.list && deferred.list && lately.data);
  // The first pages are rendered before the rest is requested.
  useEffect(() => setLoadsRest(isComplete), [isComplete]);
  return {
    answers,
    isComplete,
    problem: results.find(({ error }) => error)?.error ?? undefined,
    retry: () => void Promise.all(results.filter(({ error }) => error).map(({ refetch }) => refetch())),
  };
}
