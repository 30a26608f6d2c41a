import { type QueryKey, queryOptions, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type DashboardItem, dashboardApi } from "../../api/dashboard.ts";
import type { Memory } from "../../api/memories.ts";
import type { RecordQuery } from "../../state/cached-lists.ts";
import { fetchOrCopy, type QueryContext } from "../../state/copies.ts";
import { queries } from "../../state/queries.ts";
import { readRecords } from "../../state/read-records.ts";
import { SUMMARY_QUERY } from "../things/summary.ts";
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

type ListQuery<Item> = { key: QueryKey; read: Read<Item> };

const firstPage = <Item>({ key, read }: ListQuery<Item>, from = 0) =>
  queryOptions({
    queryKey: [...key, from],
    queryFn: (context) => read(pageQueryAt(from), context),
  });

/** Loads a list: its first page, and then the rest. */
function useWholeList<Item>(query: ListQuery<Item>, { at, loadsRest }: LoadOptions): LoadedList<Item> {
  const from = at ?? 0;
  const { read } = query;
  const first = useQuery({ ...firstPage(query, from), enabled: at !== undefined });
  const total = first.data?.total ?? 0;
  const hasRest = total > from + PAGE_SIZE;
  // Not a query per total: a change refreshes both at once, and is shown on top of them until both have it.
  const rest = useQuery({
    queryKey: [...query.key, from, "rest"],
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
export type AgendaLists = Record<keyof ReturnType<typeof todayQueries>, List<Memory>> & {
  alerts: List<DashboardItem>;
};

const listOf = (query: RecordQuery): ListQuery<Memory> => ({
  key: ["memories", "today", query],
  read: (page, context) => readRecords({ ...query, ...page }, context),
});

const ALERTS: ListQuery<DashboardItem> = {
  key: ["dashboard", "alerts"],
  read: (page, context) =>
    fetchOrCopy(`/api/dashboard/alerts?${page.offset}`, () => dashboardApi.alerts(page), context),
};

/** Reads what the first render shows. Resolves when all of it is there or has failed. */
export async function prefetchAgenda(): Promise<void> {
  const lists = Object.values(todayQueries()).map((query) => queries.prefetchQuery(firstPage(listOf(query))));
  await Promise.all([queries.prefetchQuery(SUMMARY_QUERY), ...lists]);
}

const EMPTY_LIST: List<never> = { items: [], left: 0 };

/**
 * The lists of the day, as far as they are loaded; `problem` is the first error.
 *
 * @param overdue number of overdue records, once known: in the alerts, they come before the stale ones
 */
export function useAgenda(overdue: number | undefined) {
  const query = todayQueries();
  const [loadsRest, setLoadsRest] = useState(false);
  const options = { at: 0, loadsRest };
  const late = useWholeList(listOf(query.overdue), options);
  const due = useWholeList(listOf(query.due), options);
  const alerts = useWholeList(ALERTS, { at: overdue, loadsRest });
  const blockers = useWholeList(listOf(query.blockers), options);
  const deferred = useWholeList(listOf(query.deferred), options);
  const lately = useWholeList(listOf(query.lately), { at: 0, loadsRest: false });
  const results = [late, due, alerts, blockers, deferred, lately].flatMap((one) => one.results);
  const answers: AgendaLists | undefined = late.list &&
    due.list && {
      overdue: late.list,
      due: due.list,
      alerts: alerts.list ?? EMPTY_LIST,
      blockers: blockers.list ?? EMPTY_LIST,
      deferred: deferred.list ?? EMPTY_LIST,
      lately: lately.list ?? EMPTY_LIST,
    };
  const isComplete = Boolean(answers && alerts.list && blockers.list && deferred.list && lately.list);
  // The first pages are rendered before the rest is requested.
  useEffect(() => setLoadsRest(isComplete), [isComplete]);
  return {
    answers,
    isComplete,
    problem: results.find(({ error }) => error)?.error ?? undefined,
    retry: () => void Promise.all(results.filter(({ error }) => error).map(({ refetch }) => refetch())),
  };
}
