import { expect, test } from "vitest";
import type { MemoryList } from "../../src/contract/memory.ts";
import { ADA } from "./accounts.ts";
import { type Ask, askWith } from "./ask.ts";
import { folder, start } from "./instances.ts";
import { register, until } from "./service.ts";
import { openState } from "./state.ts";

// Reminders of a service that is killed in between: each comes once, and in time for as long as the service runs.

/** The gate takes a part of them. */
const RECORDS = process.env.NIGHTLY ? 1000 : 60;
const KILLS = process.env.NIGHTLY ? 6 : 1;
/** Within so many seconds of the beginning they all come. */
const SECONDS = process.env.NIGHTLY ? 90 : 12;
const LATE_MS = 60_000;
/** That time, and a minute for each start and for the end. */
const TIMEOUT_MS = SECONDS * 1000 + (KILLS + 2) * 60_000;
const AT_ONCE = 50;

/** The due day of all: what has been given is to be reminded of then. */
const FAR = "2099-01-02";

async function write(ask: Ask): Promise<void> {
  const record = { operation: "create", memory_type: "commitment", content: "C" };
  const due = { due_date: FAR, due_time: "09:00" };
  for (let at = 0; at < RECORDS; at += AT_ONCE) {
    const length = Math.min(AT_ONCE, RECORDS - at);
    const operations = Array.from({ length }, (_, n) => ({ ...record, ...due, topic: `Call ${at + n}` }));
    await ask("POST", "/api/memories/bulk", { operations });
  }
}

/** Moves their reminders from the far year to the seconds to come, and has a webhook note those that are given. */
function bringNear(stateDir: string): void {
  const now = Date.now();
  const database = openState(stateDir);
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  database
    .prepare(
      `INSERT INTO webhooks (id, owner, name, url, events, include_content, status, secret, cursor, due_day, failures, created_at,
        updated_at)
      SELECT '01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42', number, 'Hook', 'https://127.0.0.1:9/', '["commitment.reminder"]', 0, 'active',
        'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0', 1000000, '2099-01-01', 0, ?1, ?1 FROM users`,
    )
    .run(at(0));
  const ids = database.prepare("SELECT id FROM memories ORDER BY id").all() as { id: number }[];
  const move = database.prepare("UPDATE memories SET remind_at = ? WHERE id = ?");
  for (const [place, { id }] of ids.entries())
    move.run(at(((place * 7919) % RECORDS) * (SECONDS / RECORDS)), id);
  database.close();
}

/** How many reminders have been given. */
async function given(ask: Ask): Promise<number> {
  let count = 0;
  for (let offset = 0; offset < RECORDS; offset += 100) {
    const { items } = await ask<MemoryList>("GET", `/api/memories?limit=100&offset=${offset}`);
    count += items.filter(({ remind_at }) => remind_at?.startsWith("2099")).length;
  }
  return count;
}

test("each reminder comes once and in time, although the service is killed while they come", {
  timeout: TIMEOUT_MS,
}, async () => {
  const stateDir = await folder();
  let service = await start(stateDir);
  const token = await register(service.apiUrl, ADA);
  await write(askWith(service.apiUrl, token));
  await service.stop();
  bringNear(stateDir);
  const starts: number[] = [];
  for (let kill = 0; kill <= KILLS; kill += 1) {
    starts.push(Date.now());
    service = await start(stateDir);
    const ask = askWith(service.apiUrl, token);
    const enough = Math.ceil((RECORDS * (kill + 1)) / (KILLS + 1));
    await until(
      async () => (await given(ask)) >= enough,
      () => `less than ${enough} were given:\n${service.output()}`,
    );
    await service.kill();
  }
  const database = openState(stateDir);
  const told = database
    .prepare(
      "SELECT data ->> 'memory_id' AS id, data ->> 'remind_at' AS due, occurred_at AS at FROM webhook_deliveries",
    )
    .all() as { id: number; due: string; at: string }[];
  database.close();
  expect(told.length).toBe(RECORDS);
  expect(new Set(told.map(({ id }) => id)).size).toBe(RECORDS);
  /** While the service was gone, nothing could come. */
  const late = told.filter(({ due, at }) => {
    const since = Math.max(Date.parse(due), ...starts.filter((one) => one <= Date.parse(at)));
    return Date.parse(at) - since > LATE_MS;
  });
  expect(late).toEqual([]);
});
