import { focusManager, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import { createElement, type ReactNode } from "react";
import { expect, onTestFinished, test, vi } from "vitest";
import { CommitmentList } from "../../src/contract/dashboard.ts";
import { MemoryList } from "../../src/contract/memory.ts";
import { useAgenda } from "../src/features/today/agenda.ts";
import { type LoadedLists, withCounts } from "../src/features/today/section-counts.ts";
import { type AgendaItems, agendaSections, mergeRecords } from "../src/features/today/sections.ts";
import { queries } from "../src/state/queries.ts";
import { answer, asked, connect, record, type Sent } from "./kit/wire.ts";

connect();

const TODAY = "2026-11-21";
const listOf = <Item>(...items: Item[]) => ({ items });
const EMPTY: AgendaItems = {
  overdue: listOf(),
  due: listOf(),
  alerts: listOf(),
  blockers: listOf(),
  deferred: listOf(),
  lately: listOf(),
};

const shown = (lists: AgendaItems) =>
  Object.fromEntries(
    agendaSections(mergeRecords(lists), `${TODAY}T12:00`, "Europe/Berlin")
      .filter(({ rows }) => rows.length > 0)
      .map(({ key, rows }) => [key, rows.map(({ topic }) => topic)]),
  );

test("each record is in the first section that it belongs to, by its day", () => {
  const due = [
    record({ topic: "late", due_date: "2026-11-20" }),
    record({ topic: "today", due_date: TODAY, memory_type: "decision", created_at: "2026-11-20T00:00:00Z" }),
    record({ topic: "in a week", due_date: "2026-11-28" }),
    record({ topic: "in eight days", due_date: "2026-11-29" }),
  ];
  const deferred = [
    record({ topic: "far", status: "deferred", deferred_until: "2026-11-29" }),
    record({ topic: "later", status: "deferred", deferred_until: "2026-11-28" }),
    record({ topic: "sooner", status: "deferred", deferred_until: "2026-11-22" }),
    record({ topic: "whenever", status: "deferred" }),
  ];
  const lately = [
    record({ topic: "of the week", memory_type: "decision", created_at: "2026-11-15T09:00:00Z" }),
    record({ topic: "older", memory_type: "decision", created_at: "2026-11-14T09:00:00Z" }),
    record({ topic: "call the plumber", created_at: "2026-11-20T09:00:00Z" }),
    record({ topic: "forgotten", created_at: "2026-11-14T09:00:00Z" }),
    ...due.slice(1, 2),
  ];
  const lists = { ...EMPTY, due: listOf(...due), deferred: listOf(...deferred), lately: listOf(...lately) };
  expect(shown(lists)).toEqual({
    overdue: ["late"],
    today: ["today"],
    soon: ["in a week"],
    undated: ["call the plumber"],
    waking: ["sooner", "later"],
    decisions: ["of the week"],
  });
});

test("a record goes where it will belong, whichever list still has it", () => {
  const late = { ...record({ topic: "late", due_date: "2026-11-20" }), status: "deferred" as const };
  const put = { ...late, deferred_until: "2026-11-24" };
  expect(shown({ ...EMPTY, due: listOf(put) })).toEqual({ waking: ["late"] });
  const back = { ...put, status: "active" as const, deferred_until: null };
  expect(shown({ ...EMPTY, deferred: listOf(back) })).toEqual({ overdue: ["late"] });
});

test("a stale record keeps saying for how long it has not changed", () => {
  const blocker = record({ topic: "stuck", memory_type: "blocker" });
  const alert = { ...blocker, days_stale: 30 };
  const [section] = agendaSections(
    mergeRecords({ ...EMPTY, alerts: listOf(alert as never), blockers: listOf(blocker) }),
    `${TODAY}T12:00`,
    "Europe/Berlin",
  ).filter(({ rows }) => rows.length > 0);
  expect(section).toMatchObject({ key: "stale", rows: [{ memory_type: "blocker", days_stale: 30 }] });
});

test("a number is that of all records, or none is shown", () => {
  const all = <Item>(...items: Item[]) => ({ items, left: 0 });
  const late = record({ due_date: "2026-11-20" });
  const lists = {
    overdue: { items: [late], left: 237 },
    due: all(record({ due_date: TODAY }), record({ due_date: "2026-11-22" })),
    alerts: all(),
    deferred: all(),
    lately: { items: [record({ created_at: "2026-11-20T09:00:00Z" })], left: 5 },
  } satisfies LoadedLists;
  const totals = (more: Partial<LoadedLists> = {}) => {
    // One of the two is not loaded with what is overdue, but with what is new.
    const rows = [late, record()];
    const sections = ["overdue", "today", "soon", "undated"].map((key) => ({ key, rows }));
    return withCounts(sections, { ...lists, ...more }, { today: TODAY, timezone: "Europe/Berlin" }).map(
      ({ total }) => total,
    );
  };
  expect(totals()).toEqual([238, undefined, undefined, "unknown"]);
  // The list is of what is due before the browser's day, which the account has not reached.
  const [earlier] = withCounts([{ key: "overdue", rows: [late] }], lists, {
    today: "2026-11-20",
    timezone: "America/New_York",
  });
  expect(earlier?.total).toBe("unknown");
  // The first page ends on the day after today: all of today are there, but not all of the week.
  expect(totals({ due: { ...lists.due, left: 1 } })).toEqual([238, undefined, "unknown", "unknown"]);
  expect(totals({ due: { items: lists.due.items.slice(0, 1), left: 1 } })[1]).toBe("unknown");
  const old = record({ created_at: "2026-11-01T09:00:00Z" });
  expect(totals({ lately: { items: [old], left: 5 } })[3]).toBeUndefined();
});

const EMPTY_PAGE = { items: [], total: 0 };
const isOfOverdue = ({ query }: Sent) => query.has("due_before") && !query.has("due_after");

const openAgenda = (overdue: number | undefined) => {
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(QueryClientProvider, { client: queries }, children);
  return renderHook(() => useAgenda(overdue), { wrapper }).result;
};

test("the rest of a long list is read again whenever its first page is", async () => {
  const items = Array.from({ length: 130 }, () => record({ due_date: "2026-11-01" }));
  answer({
    "GET /api/dashboard/alerts": () => ({ schema: CommitmentList, body: EMPTY_PAGE }),
    "GET /api/memories": (sent) => {
      const offset = Number(sent.query.get("offset"));
      if (offset > 0 && items.length === 130) vi.setSystemTime(Date.now() + 5000);
      const page = { items: items.slice(offset, offset + 100), total: items.length };
      return { schema: MemoryList, body: isOfOverdue(sent) ? page : EMPTY_PAGE };
    },
  });
  const agenda = openAgenda(0);
  const overdue = () => {
    const { items: loaded = [], left } = agenda.current.answers?.overdue ?? {};
    return [loaded.length, left];
  };
  await waitFor(() => expect(overdue()).toEqual([130, 0]));
  items.push(...Array.from({ length: 30 }, () => record({ due_date: "2026-11-02" })));
  vi.setSystemTime(Date.now() + 6000);
  onTestFinished(() => focusManager.setFocused(undefined));
  act(() => {
    focusManager.setFocused(false);
    focusManager.setFocused(true);
  });
  await waitFor(() => expect(overdue()).toEqual([160, 0]));
});

test("trying again asks only for what failed", async () => {
  let isBroken = true;
  answer({
    "GET /api/memories": (sent) =>
      isBroken && isOfOverdue(sent)
        ? { schema: MemoryList, body: { detail: "Broken" }, status: 400 }
        : { schema: MemoryList, body: EMPTY_PAGE },
  });
  const agenda = openAgenda(undefined);
  await waitFor(() => expect(agenda.current.problem?.message).toBe("Broken"));
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  isBroken = false;
  const before = asked("/api/memories").length;
  act(() => agenda.current.retry());
  await waitFor(() => expect(agenda.current.problem).toBeUndefined());
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  expect(asked("/api/memories").slice(before).map(isOfOverdue)).toEqual([true]);
  expect(asked("/api/dashboard/alerts")).toEqual([]);
});
