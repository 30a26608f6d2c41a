import { useQueries } from "@tanstack/react-query";
import { type DashboardItem, dashboardApi, type Memory, memoriesApi } from "../api.ts";
import { addDays, dayIn } from "../kit/dates.ts";
import type { Section } from "../features/records/record-list.tsx";
import { type Row, staleRow } from "../features/records/row.ts";

// What needs attention today, from a few requests at once.

const DAYS_AHEAD = 7;
const PAGE = 100;
/** Who has more of a kind than this is told that only the first are shown. */
const MOST = 1000;

type List<Item> = { items: Item[]; total: number };

/** A list as a whole, up to MOST items: its first page says how many more are asked for at once. */
async function whole<Item>(
  read: (page: { limit: number; offset: number }) => Promise<List<Item>>,
): Promise<List<Item>> {
  const first = await read({ limit: PAGE, offset: 0 });
  const count = Math.ceil(Math.min(first.total, MOST) / PAGE);
  const offsets = Array.from({ length: Math.max(0, count - 1) }, (_, page) => (page + 1) * PAGE);
  const others = await Promise.all(offsets.map((offset) => read({ limit: PAGE, offset })));
  return { items: [first, ...others].flatMap(({ items }) => items), total: first.total };
}

export type Answers = {
  /** Active and due until a week from now. */
  due: List<Memory>;
  alerts: List<DashboardItem>;
  /** The alerts do not say which of them are blockers. */
  blockers: List<Memory>;
  deferred: List<Memory>;
  decisions: List<Memory>;
};

const key = (name: string, ...more: string[]) => ["memories", "today", name, ...more];

/** What the service knows about the day; `problem` is what kept it from answering. */
export function useAgenda(today: string) {
  const active = { status: "active" } as const;
  const until = addDays(today, DAYS_AHEAD + 1);
  const results = useQueries({
    queries: [
      {
        queryKey: key("due", until),
        queryFn: () =>
          whole((page) => memoriesApi.list({ ...active, ...page, due_before: until, sort: "due_date" })),
      },
      { queryKey: ["dashboard", "alerts"], queryFn: () => whole((page) => dashboardApi.alerts(page)) },
      {
        queryKey: key("blockers"),
        queryFn: () =>
          whole((page) =>
            memoriesApi.list({
              ...active,
              ...page,
              memory_type: ["blocker"],
              sort: "updated_at",
              order: "asc",
            }),
          ),
      },
      {
        queryKey: key("deferred"),
        queryFn: () => whole((page) => memoriesApi.list({ ...page, status: "deferred" })),
      },
      {
        queryKey: key("decisions"),
        queryFn: () =>
          memoriesApi.list({ ...active, limit: PAGE, memory_type: ["decision"], sort: "created_at" }),
      },
    ],
  });
  const [due, alerts, blockers, deferred, decisions] = results.map(({ data }) => data);
  const isWhole = due && alerts && blockers && deferred && decisions;
  return {
    answers: isWhole ? ({ due, alerts, blockers, deferred, decisions } as Answers) : undefined,
    problem: results.find(({ error }) => error)?.error ?? undefined,
    retry: () => void Promise.all(results.map(({ refetch }) => refetch())),
  };
}

const byDay = (day: (row: Row) => string) => (a: Row, b: Row) => (day(a) < day(b) ? -1 : 1);

/** Deferred records that come back within a week. */
const wakingOf = ({ items }: List<Memory>, today: string): Row[] =>
  items
    .filter(({ deferred_until }) => deferred_until && deferred_until <= addDays(today, DAYS_AHEAD))
    .sort(byDay(({ deferred_until }) => deferred_until ?? ""));

const lateRows = ({ items }: List<Memory>, today: string): Row[] =>
  items.filter(({ due_date }) => due_date && due_date < today);

/** The sections of the day, each record in the first one that it belongs to. */
export function sectionsOf(answers: Answers, today: string, timezone: string): Section[] {
  const { due, alerts, blockers, deferred, decisions } = answers;
  const blocking = new Set(blockers.items.map(({ id }) => id));
  const late = lateRows(due, today);
  const weekAgo = addDays(today, -DAYS_AHEAD);
  const all: Section[] = [
    { key: "overdue", title: "Overdue", tone: "late", rows: late },
    {
      key: "today",
      title: "Due today",
      quiet: "when",
      rows: due.items.filter(({ due_date }) => due_date === today),
    },
    {
      key: "soon",
      title: "Due in the next 7 days",
      rows: due.items.filter(({ due_date }) => due_date && due_date > today),
    },
    {
      key: "stale",
      title: "Stale",
      hint: "confirm, or let it go",
      rows: alerts.items.filter((item) => "days_stale" in item).map((item) => staleRow(item, blocking)),
    },
    { key: "waking", title: "Waking soon", rows: wakingOf(deferred, today) },
    {
      key: "decisions",
      title: "Decisions of the last 7 days",
      quiet: "type",
      rows: decisions.items.filter(({ created_at }) => dayIn(timezone, created_at) > weekAgo),
    },
  ];
  const seen = new Set<number>();
  return all.map((section) => ({
    ...section,
    rows: section.rows.filter(({ id }) => !seen.has(id) && seen.add(id)),
  }));
}

/** Whether a record, as it is about to be, still belongs where it is. */
export function staysIn(row: Row, { key: section }: Section): boolean {
  if (section === "waking") return row.status === "deferred";
  return row.status === "active" && (section !== "stale" || row.days_stale !== undefined);
}
