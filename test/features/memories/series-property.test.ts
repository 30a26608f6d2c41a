import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { addDays } from "../../../src/contract/days.ts";
import type { Memory, ReadMemory } from "../../../src/contract/memory.ts";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { importAccountRoute } from "../../../src/features/import/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { advanceReminders, findDueReminders } from "../../../src/features/reminders/deliver-store.ts";
import { type Client, person, signIn } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { at, PROMISE } from "../../kit/records.ts";
import { CLOSINGS, type Operation, STEP, type Step } from "../../kit/series-steps.ts";
import { slowReminder, slowReminderAfterJourney, wall } from "../../kit/slow-reminders.ts";
import { MANY_RUNS_MS } from "../../kit/time-limits.ts";

afterEach(() => {
  vi.useRealTimers();
});

// Whatever happens to records: of a series one is open, the next reminder is the one that they promise, statistics are right.
// The days are far ahead: an alarm of the account, which follows the real clock, must not ring in between.

const RUNS = Number(env.SERIES_RUNS || 12);

const FOLLOWED = [
  ...(["status", "deferred_until", "trashed_at", "due_date"] as const),
  ...(["due_time", "remind", "remind_until_done"] as const),
];
const followed = (record: ReadMemory) => JSON.stringify(FOLLOWED.map((name) => record[name] ?? null));

type Seen = Map<number, ReadMemory>;

/** So many records a step makes at most: one for each of its operations. */
const MOST_NEW = 5;

/** What a copy in another account has, too. Its documents are others. */
const COPIED = [
  ...["id", "topic", "content", "tags", "memory_type", "status", "deferred_until", "resolution_note"],
  ...["due_date", "due_time", "remind", "remind_until_done"],
  ...["repeat", "repeat_from", "repeat_start", "series_id", "missed"],
] as (keyof ReadMemory)[];
const copied = (record: ReadMemory) => ({
  ...Object.fromEntries(COPIED.map((name) => [name, record[name]])),
  ...{ isTrashed: record.trashed_at !== undefined, isLinked: record.document_id !== null },
});

const SIMPLE: Record<string, [RouteConfig, object?]> = {
  resolve: [memories.resolveMemoryRoute, {}],
  skip: [memories.skipMemoryRoute, {}],
  archive: [memories.archiveMemoryRoute, {}],
  supersede: [memories.supersedeMemoryRoute, { content: "Newer" }],
  reopen: [memories.reopenMemoryRoute],
  delete: [memories.deleteMemoryRoute],
  restore: [memories.restoreMemoryRoute],
  version: [memories.restoreMemoryVersionRoute],
};

let lives = 0;
const nextEmail = () => `life${++lives}@example.com`;

class Life {
  private client: Client;
  private email: string;
  private zone = "Europe/Berlin";
  private seen: Seen = new Map();
  private highest = 0;
  private lastChange: string | null = null;
  /** The changes that closed a record and made the next, and the undos of those, oldest first. */
  private closings: string[] = [];
  /** The document that records are linked to. */
  private document: string | null = null;

  constructor(client: Client, email: string) {
    this.client = client;
    this.email = email;
  }

  private async look(): Promise<Seen> {
    const seen: Seen = new Map();
    for (let id = 1; id <= this.highest + MOST_NEW; id++) {
      const parts = { params: at({ id }), query: { trashed: "true" } };
      const answer = await this.client.call(memories.getMemoryRoute, parts);
      if (answer.status === 200) seen.set(id, answer.body);
    }
    this.highest = Math.max(this.highest, ...seen.keys());
    return seen;
  }

  async take(step: Step): Promise<void> {
    const wasIn = this.zone;
    const claimed = await this.carryOut(step);
    const before = this.seen;
    this.seen = await this.look();
    if (step.does === "copy")
      expect([...this.seen.values()].map(copied)).toEqual([...before.values()].map(copied));
    const now = Date.now();
    for (const [id, record] of this.seen) {
      const old = before.get(id);
      const name = `${JSON.stringify(step)}: ${JSON.stringify(record)}`;
      expect(record.remind_at, name).toBe(this.expected(record, old, { now, wasIn, step, claimed }));
    }
    this.checkSeries();
    if (step.does === "undo closing") this.checkContinued(before, step);
    await this.checkStatistics();
  }

  private expected(
    record: ReadMemory,
    old: ReadMemory | undefined,
    { now, wasIn, step, claimed }: { now: number; wasIn: string; step: Step; claimed: Set<number> },
  ): string | null {
    if (step.does === "wait")
      return claimed.has(record.id) ? slowReminder(record, this.zone, now) : (old?.remind_at ?? null);
    // What was due and not given yet is not told once more by the copy.
    if (step.does === "copy") return slowReminder(record, this.zone, now);
    if (step.does === "zone" && old)
      return slowReminderAfterJourney(old, { from: wasIn, to: this.zone, now });
    if (old && followed(old) === followed(record)) return old.remind_at;
    return slowReminder(record, this.zone, now);
  }

  private checkSeries(): void {
    const open = [...this.seen.values()].filter(
      ({ status, trashed_at }) => !trashed_at && (status === "active" || status === "deferred"),
    );
    const series = open.flatMap(({ series_id }) => series_id ?? []);
    expect(new Set(series).size).toBe(series.length);
    expect(open.every(({ repeat, series_id }) => repeat === null || series_id !== null)).toBe(true);
    expect(open.every(({ repeat, due_date }) => repeat === null || due_date !== null)).toBe(true);
  }

  /** In whatever order closings are undone, no series that went on ends. */
  private checkContinued(before: Seen, step: Step): void {
    const series = (seen: Seen) =>
      [...seen.values()].flatMap(({ status, trashed_at, series_id, repeat }) =>
        !trashed_at && (status === "active" || status === "deferred") && repeat !== null ? [series_id] : [],
      );
    expect(series(this.seen), JSON.stringify(step)).toEqual(expect.arrayContaining(series(before)));
  }

  private async checkStatistics(): Promise<void> {
    const all = [...this.seen.values()].filter(({ trashed_at }) => !trashed_at);
    const count = (is: (record: Memory) => boolean) => all.filter(is).length;
    const now = wall(Date.now(), this.zone);
    const isLate = ({ status, due_date, due_time }: Memory) =>
      status === "active" &&
      due_date !== null &&
      (due_date < now.slice(0, 10) || (due_time !== null && `${due_date}T${due_time}` <= now));
    const summary = await this.client.ok(dashboard.getSummaryRoute);
    const by_status = { active: 0, deferred: 0, resolved: 0, archived: 0 };
    for (const { status } of all) by_status[status] += 1;
    const isToday = (record: Memory) =>
      record.status === "active" && record.due_date === now.slice(0, 10) && !isLate(record);
    expect(summary).toMatchObject({ by_status, overdue: count(isLate), due_today: count(isToday) });
    const { stats } = await this.client.ok(dashboard.listHistoryRoute);
    const closed = by_status.deferred + by_status.resolved + by_status.archived;
    const rate = closed === by_status.deferred ? null : by_status.resolved / closed;
    expect(stats.completion_rate_30d).toBe(rate);
  }

  /** Imports all that this account has. */
  private async importInto(client: Client, query: Record<string, string> = {}): Promise<void> {
    const body = await (await this.client.fetch("/api/export")).text();
    const headers = { "Content-Type": "application/x-ndjson" };
    await client.ok(importAccountRoute, { body, headers, query });
  }

  /** Signs in to another account, which has been given all that this one had. */
  private async moveToCopy(): Promise<void> {
    this.email = nextEmail();
    const copy = await person({ email: this.email, timezone: this.zone });
    await this.importInto(copy);
    this.client = copy;
    this.lastChange = null;
    this.closings = [];
    this.document = null;
  }

  private async linked(isLinked: boolean): Promise<string | null> {
    if (!isLinked) return null;
    if (this.document === null) {
      const json = { title: "Plan", content: { format: "markdown", text: "All of it" } };
      this.document = (await this.client.ok(documents.createDocumentRoute, { json })).id;
    }
    return this.document;
  }

  /** Each record at most once: of what is changed and changed back a reminder may be new. */
  private many(operations: readonly Operation[]): object[] {
    const taken = new Set<number>();
    return operations.flatMap((one): object[] => {
      if (one.operation === "create") return [{ operation: "create", ...PROMISE, ...one.json }];
      const id = this.pick(one);
      if (id === 0 || taken.has(id)) return [];
      taken.add(id);
      const { operation } = one;
      if (operation === "update") return [{ operation, id, ...one.json }];
      if (operation === "defer") return [{ operation, id, deferred_until: this.dayIn(one.days) }];
      return [{ operation, id, ...(operation === "supersede" && { content: "Newer" }) }];
    });
  }

  private dayIn(days: number): string | null {
    const today = wall(Date.now(), this.zone).slice(0, 10);
    return days === 0 ? null : addDays(today, days);
  }

  private async changeDocument(becomes: "deleted" | "restored" | "erased"): Promise<void> {
    if (this.document === null) return;
    const params = { document_id: this.document };
    if (becomes === "restored")
      return this.send(this.client.call(documents.restoreDocumentRoute, { params }));
    const query = { permanent: String(becomes === "erased") };
    await this.send(this.client.call(documents.deleteDocumentRoute, { params, query }));
    if (becomes === "erased") this.document = null;
  }

  private pick(step: { pick: number }): number {
    const ids = [...this.seen.keys()];
    return ids[ids.length - 1 - (step.pick % Math.max(1, ids.length))] ?? 0;
  }

  private async send(call: Promise<{ status: number; headers: Headers; text: string }>): Promise<void> {
    const { status, headers, text } = await call;
    expect([200, 201, 204, 400, 404, 422], text).toContain(status);
    this.lastChange = headers.get("Change-Id") ?? this.lastChange;
  }

  private async wait(hours: number): Promise<Set<number>> {
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    this.client = await signIn(this.email);
    const ctx = await ctxOf(this.client);
    const now = new Date().toISOString();
    const awake = await this.look();
    const due = [...awake.values()].filter(({ remind_at }) => remind_at !== null && remind_at <= now);
    const { found } = await findDueReminders(ctx);
    await advanceReminders(ctx, found, found);
    const given = new Set(found.map(({ id }) => id));
    expect(given).toEqual(new Set(due.map(({ id }) => id)));
    return given;
  }

  private async undo(alone: boolean): Promise<void> {
    if (this.lastChange === null) return;
    const { items } = await this.client.ok(listActivityRoute, { query: { limit: 1 } });
    const json = alone ? { ids: items.map(({ id }) => id) } : { change_id: this.lastChange };
    await this.send(this.client.call(undoActivityRoute, { json }));
  }

  private async undoClosing({ nth, half }: { nth: number; half: "all" | "first" | "last" }): Promise<void> {
    const change_id = this.closings.at(-1 - (nth % Math.max(1, this.closings.length)));
    if (change_id === undefined) return;
    const ends = change_id.split(/[-,]/);
    const json = half === "all" ? { change_id } : { ids: [ends.at(half === "first" ? 0 : -1)] };
    const { body, headers } = await this.client.call(undoActivityRoute, { json });
    this.lastChange = headers.get("Change-Id") ?? this.lastChange;
    if (body.undone > 0) this.closings.push(headers.get("Change-Id") ?? "");
  }

  private async carryOut(step: Step): Promise<Set<number>> {
    const { client } = this;
    const params = { ...("pick" in step ? at({ id: this.pick(step) }) : { memory_id: "1" }), version: "1" };
    const call = (route: RouteConfig, json?: object) => this.send(client.call(route, { params, json }));
    switch (step.does) {
      case "create":
        await call(memories.createMemoryRoute, { ...PROMISE, ...step.json });
        break;
      case "edit":
        await call(memories.updateMemoryRoute, step.json);
        break;
      case "defer":
        await call(memories.deferMemoryRoute, { deferred_until: this.dayIn(step.days) });
        break;
      case "link": {
        const { does: _, pick: __, isLinked, ...apply } = step;
        await call(memories.updateMemoryRoute, { document_id: await this.linked(isLinked), ...apply });
        break;
      }
      case "document":
        await this.changeDocument(step.becomes);
        break;
      case "many": {
        const operations = this.many(step.operations);
        if (operations.length > 0) await call(memories.changeMemoriesRoute, { operations });
        break;
      }
      case "copy":
        await this.moveToCopy();
        break;
      case "undo":
        await this.undo(step.alone);
        break;
      case "undo closing":
        await this.undoClosing(step);
        break;
      case "zone":
        await client.ok(updateMeRoute, { json: { timezone: step.zone } });
        this.zone = step.zone;
        break;
      case "import":
        await this.importInto(client, { mode: step.mode });
        break;
      case "wait":
        return this.wait(step.hours);
      default: {
        const was = this.lastChange;
        await call(...(SIMPLE[step.does] as [RouteConfig, object?]));
        const isClosing = step.does === "resolve" || step.does === "skip";
        if (isClosing && this.lastChange !== was) this.closings.push(this.lastChange ?? "");
      }
    }
    return new Set();
  }
}

async function live(steps: readonly Step[]): Promise<void> {
  vi.setSystemTime(new Date("2036-11-20T12:00:00Z"));
  const email = nextEmail();
  const life = new Life(await person({ email, timezone: "Europe/Berlin" }), email);
  for (const step of steps) await life.take(step);
}

test.for([
  ["whatever happens", fc.array(STEP, { minLength: 8, maxLength: 20 })],
  ["and in whichever order closings are undone, no series ends", CLOSINGS],
] as const)(
  "of a series one record is open, and the next reminder is the one that is promised, %s",
  { timeout: MANY_RUNS_MS },
  async ([, story]) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await fc.assert(fc.asyncProperty(story, live), { numRuns: RUNS });
  },
);
