import { expect, test } from "vitest";
import { type AgendaItems, agendaSections, mergeRecords } from "../src/features/today/sections.ts";
import { record } from "./kit/wire.ts";

const TODAY = "2026-11-21";
const listOf = <Item>(...items: Item[]) => ({ items });
const EMPTY: AgendaItems = {
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
