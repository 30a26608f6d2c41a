import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { Temporal } from "temporal-polyfill";
import { expect, test } from "vitest";
import type { MemoryList } from "../../src/contract/memory.ts";
import { random } from "../kit/random.ts";
import { ADA } from "./accounts.ts";
import { askWith } from "./ask.ts";
import { folder, start } from "./instances.ts";
import { listen } from "./loopback.ts";
import { login, register, type Service, until } from "./service.ts";

// Reminders over a year of the service's clock, which is killed in each month while they come, and once they have come.

const MONTHS = process.env.NIGHTLY ? 12 : 2;
const RECORDS = process.env.NIGHTLY ? 1000 : 60;
const LATE_MS = 60_000;
/** Half an hour off from other zones, with summer time. */
const ZONE = "America/St_Johns";
const DAY = 15;
const TIME = "09:00";
const AT_ONCE = 50;
const TIMEOUT_MS = (MONTHS + 1) * 120_000;

/** The fifteenth of each month from the next one on. */
const today = Temporal.Now.plainDateISO(ZONE);
const DAYS = Array.from({ length: MONTHS }, (_, month) =>
  today.with({ day: DAY }).add({ months: month + 1 }),
);
const instantOn = (day: Temporal.PlainDate) =>
  day.toZonedDateTime({ timeZone: ZONE, plainTime: TIME }).epochMilliseconds;

type Fields = Record<string, unknown>;

/** What reminds on a day at nine. */
const FORMS: ((day: Temporal.PlainDate) => Fields)[] = [
  (day) => ({ due_date: `${day}`, due_time: TIME }),
  (day) => ({ due_date: `${day}`, due_time: "10:30", remind: [{ before: "PT1H30M" }] }),
  (day) => ({ due_date: `${day.add({ days: 1 })}`, due_time: TIME, remind: [{ before: "P1D" }] }),
  (day) => ({ due_date: `${day.add({ days: 7 })}`, remind: [{ before: "P7D" }] }),
  (day) => ({ remind: [{ at: `${day}T${TIME}` }] }),
];

const COMMITMENT = { memory_type: "commitment", content: "C" };
const REPEATING = "Pay the rent";

/** Records in all months, and one that is done in each and comes again. `expected`: topics by the time of their reminder. */
function prepare() {
  const records: Fields[] = [];
  const expected = new Map(DAYS.map((day) => [instantOn(day), [REPEATING]]));
  for (let at = 0; at < RECORDS - 1; at++) {
    const [topic, day] = [`Call ${at}`, DAYS[at % MONTHS] ?? today];
    const form = FORMS[Math.floor(at / MONTHS) % FORMS.length];
    records.push({ ...COMMITMENT, topic, ...form?.(day) });
    expected.get(instantOn(day))?.push(topic);
  }
  const repeat = `FREQ=MONTHLY;BYMONTHDAY=${DAY}`;
  records.push({ ...COMMITMENT, topic: REPEATING, due_date: `${DAYS[0]}`, due_time: TIME, repeat });
  return { records, expected };
}

type Message = { id: string; topic: string; due: number; arrived: number };

/** The compiled part replaces a function of the C library of Linux. */
const isLinux = process.platform === "linux";

test.skipIf(!isLinux)(
  "each reminder of a year comes once and in time, although the service is killed in every month",
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const { records, expected } = prepare();
    const messages: Message[] = [];
    let ahead = 0;
    const receiver = await listen(
      createServer(async (request, response) => {
        const { data } = (await json(request)) as { data: { topic: string; remind_at: string } };
        const arrived = Date.now() + ahead;
        const id = String(request.headers["webhook-id"]);
        messages.push({ id, topic: data.topic, due: Date.parse(data.remind_at), arrived });
        response.end();
      }),
    );
    const stateDir = await folder();
    const clock = join(stateDir, "clock-ahead.so");
    execFileSync("cc", ["-shared", "-fPIC", "-o", clock, join(import.meta.dirname, "clock-ahead.c")]);
    const settings = { WEBHOOK_PRIVATE: "allow" };
    const begun: number[] = [];
    let service: Service;
    const startAgain = async () => {
      begun.push(Date.now() + ahead);
      const time = { LD_PRELOAD: clock, CLOCK_AHEAD: String(ahead / 1000) };
      service = await start(stateDir, { ...settings, ...time });
    };

    const before = Date.now();
    service = await start(stateDir, settings);
    /** The clock is set so long before the reminders that they come some time after the start. The first start may build. */
    const lead = Math.min(2 * (Date.now() - before), 20_000);
    const ask = askWith(service.apiUrl, await register(service.apiUrl, ADA));
    await ask("PATCH", "/api/auth/me", { timezone: ZONE });
    const events = ["commitment.reminder"];
    await ask("POST", "/api/webhooks", { name: "Reminders", url: receiver.url, events });
    for (let at = 0; at < records.length; at += AT_ONCE) {
      const operations = records
        .slice(at, at + AT_ONCE)
        .map((record) => ({ operation: "create", ...record }));
      await ask("POST", "/api/memories/bulk", { operations });
    }
    await service.kill();
    const seed = Date.now();
    const chance = random(seed);

    for (const [instant, topics] of expected) {
      const arrived = () =>
        new Set(messages.filter(({ due }) => due === instant).map(({ topic }) => topic)).size;
      const haveCome = (count: number) =>
        until(
          () => arrived() >= count,
          () =>
            `${arrived()} of ${count} came on ${new Date(instant).toISOString()}, seed ${seed}:\n${service.output()}`,
        );
      ahead = 1000 * Math.floor((instant - lead - Date.now()) / 1000);
      await startAgain();
      await haveCome(Math.floor(chance() * topics.length));
      await service.kill();
      await startAgain();
      await haveCome(topics.length);
      const then = askWith(service.apiUrl, await login(service.apiUrl, ADA));
      const { items } = await then<MemoryList>("GET", "/api/memories?status=active&repeats=true");
      expect(items.map(({ topic }) => topic)).toEqual([REPEATING]);
      await then("POST", `/api/memories/${items[0]?.id}/resolve`, {});
      await service.kill();
    }

    const ids = Map.groupBy(messages, ({ topic, due }) => `${topic} ${new Date(due).toISOString()}`);
    const all = [...expected].flatMap(([due, topics]) =>
      topics.map((topic) => `${topic} ${new Date(due).toISOString()}`),
    );
    expect([...ids.keys()].sort()).toEqual(all.sort());
    // What was being sent when the service was killed comes again, as the same message.
    expect([...ids.values()].filter((same) => new Set(same.map(({ id }) => id)).size > 1)).toEqual([]);
    expect(messages.length - all.length).toBeLessThanOrEqual(2 * MONTHS);
    const isFirst = (message: Message) => messages.find(({ id }) => id === message.id) === message;
    const isInTime = ({ due, arrived }: Message) => {
      // While the service was gone, nothing could come.
      const since = Math.max(due, ...begun.filter((one) => one <= arrived));
      return arrived >= due && arrived - since <= LATE_MS;
    };
    expect(messages.filter((message) => isFirst(message) && !isInTime(message))).toEqual([]);
    await receiver.close();
  },
);
