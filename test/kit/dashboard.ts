import { onTestFinished, vi } from "vitest";
import { addDays } from "../../src/contract/days.ts";
import { type Client, person, signIn } from "./client.ts";
import { numberOf } from "./ctx.ts";
import { type Prepared, prepare } from "./memories.ts";

// Records whose ages are known, and people whose clock stands at a known time.

const email = "ada@example.com";

/** Sets the clock of the service for the rest of the test, and creates an account at that time. */
export async function personAt(
  time: string,
  timezone = "UTC",
): Promise<{ client: Client; owner: number; email: string }> {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(time) });
  onTestFinished(() => void vi.useRealTimers());
  const client = await person({ email, timezone });
  return { client, owner: await numberOf(client), email };
}

/** Sets the clock on, and signs in again: the session has ended by then. */
export async function goTo(client: Client, email: string, time: string): Promise<void> {
  vi.setSystemTime(new Date(time));
  client.tokens = (await signIn(email)).tokens;
}

export const ids = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id);

export const LONG_AGO = "2026-10-01T08:00:00.000Z";

/** A calendar of records around noon of 2026-11-20 (a Friday) in UTC. The names are what they are in UTC. */
const CALENDAR = {
  overdue_long: { due_date: "2026-10-30", created_at: LONG_AGO, project: "Apollo", scope: "work" },
  overdue_yesterday: { due_date: "2026-11-19", created_at: LONG_AGO, memory_type: "decision" },
  due_today: { due_date: "2026-11-20", created_at: LONG_AGO, scope: "personal" },
  due_tomorrow: { due_date: "2026-11-21", created_at: LONG_AGO, scope: "work" },
  due_next_year: { due_date: "2027-11-21", created_at: LONG_AGO },
  stale_commitment: { created_at: "2026-11-01T08:00:00.000Z", scope: "work" },
  nearly_stale: { created_at: "2026-11-07T00:00:00.000Z" },
  confirmed: { created_at: LONG_AGO, touched_at: "2026-11-19T08:00:00.000Z" },
  stale_blocker: { created_at: "2026-11-10T08:00:00.000Z", memory_type: "blocker", scope: "personal" },
  fresh_blocker: { created_at: "2026-11-15T08:00:00.000Z", memory_type: "blocker" },
  old_preference: { created_at: LONG_AGO, memory_type: "preference" },
  fresh: { created_at: "2026-11-20T08:00:00.000Z", project: "Apollo" },
  woken: { created_at: LONG_AGO, status: "deferred", deferred_until: "2026-11-20" },
  woken_overdue: {
    created_at: LONG_AGO,
    status: "deferred",
    deferred_until: "2026-11-18",
    due_date: "2026-11-18",
  },
  asleep: { created_at: LONG_AGO, status: "deferred", deferred_until: "2026-11-21", due_date: "2026-11-01" },
  resolved: {
    created_at: LONG_AGO,
    status: "resolved",
    closed_at: "2026-11-19T08:00:00.000Z",
    due_date: "2026-11-01",
  },
} as const satisfies Record<string, Prepared>;

/** Puts the calendar into an account; returns the name of each id. */
export async function prepareCalendar(owner: number): Promise<Map<number, string>> {
  const rows = Object.entries(CALENDAR).map(([topic, row]) => ({ topic, ...row }) as Prepared);
  const made = await prepare(owner, rows);
  return new Map(made.map((id, index) => [id, Object.keys(CALENDAR)[index] ?? ""]));
}

export const topics = ({ items }: { items: { topic: string }[] }) => items.map(({ topic }) => topic);

const group = (count: number, row: Prepared): Prepared[] =>
  Array.from({ length: count }, (_, index) => ({ ...row, topic: `${row.topic} ${index}` }));

/** A number of records, created a whole number of days before they were resolved. */
const resolved = (count: number, day: string, days: number, row: Partial<Prepared> = {}): Prepared[] =>
  group(count, {
    ...row,
    topic: "resolved",
    status: "resolved",
    created_at: `${addDays(day, -days)}T09:00:00.000Z`,
    closed_at: `${day}T09:00:00.000Z`,
  });

const closed = (count: number, status: "deferred" | "archived", day: string, row: Partial<Prepared> = {}) =>
  group(count, { ...row, topic: status, status, created_at: LONG_AGO, closed_at: `${day}T09:00:00.000Z` });

/**
 * 200 records as they stand at noon of Friday 2026-11-20. By hand:
 * resolved this week 30; this month 30 + 20 = 50; ever 30 + 20 + 25 + 45 = 120.
 * Mean: (30 × 2 + 20 × 5 + 25 × 10 + 45 × 1) ÷ 120 = 455 ÷ 120 = 3.79 → 3.8 days.
 * Since 21 October 12:00: resolved 75, deferred 15, archived 10: 75 ÷ 100 = 0.75. The woken ones are back.
 */
export const HISTORY: Prepared[] = [
  ...resolved(20, "2026-11-16", 2, { scope: "work", project: "Apollo" }),
  ...resolved(10, "2026-11-20", 2, { scope: "work" }),
  ...resolved(20, "2026-11-15", 5, { scope: "personal", memory_type: "decision" }),
  ...resolved(25, "2026-10-22", 10),
  ...resolved(45, "2026-10-20", 1, { project: "Apollo" }),
  ...closed(10, "deferred", "2026-11-10", { scope: "work" }),
  ...closed(5, "deferred", "2026-11-10", { deferred_until: "2026-12-01" }),
  ...closed(10, "archived", "2026-11-11"),
  ...closed(20, "archived", "2026-10-21"),
  ...closed(10, "deferred", "2026-10-10", { memory_type: "blocker" }),
  ...closed(10, "deferred", "2026-11-01", { deferred_until: "2026-11-18", scope: "work" }),
  ...group(15, { topic: "active", created_at: LONG_AGO, scope: "work" }),
];
