import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as memories from "../../../src/features/memories/routes.ts";
import { listActiveWebhooks } from "../../../src/features/webhooks/delivery-store.ts";
import { queueDueEvents } from "../../../src/features/webhooks/queue-store.ts";
import * as routes from "../../../src/features/webhooks/routes.ts";
import { person } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { hookOf } from "../../kit/hooks.ts";

describe("due dates", () => {
  /** What a person's webhooks do at this time. */
  async function at(client: Parameters<typeof ctxOf>[0], time: string) {
    const ctx = await ctxOf(client, new Date(time));
    for (const webhook of await listActiveWebhooks(ctx)) await queueDueEvents(ctx, webhook);
  }

  test("are announced once, at 8 in the morning of the time zone, and once more when they have passed", async () => {
    const ada = await person({ timezone: "Pacific/Auckland" });
    const { params } = await hookOf(ada, { events: ["commitment.due", "commitment.overdue"] });
    const forget = () =>
      env.DB.prepare("UPDATE webhooks SET due_day = '2026-05-01', due_at = '2026-05-01T20:00:00.000Z'").run();
    const record = { memory_type: "commitment", content: "C" };
    for (const [topic, due_date] of [
      ["Slides", "2026-05-02"],
      ["Later", "2026-05-09"],
    ] as const)
      await ada.ok(memories.createMemoryRoute, { json: { ...record, topic, due_date } });
    const decision = { memory_type: "decision", topic: "D", content: "D", due_date: "2026-05-02" };
    await ada.ok(memories.createMemoryRoute, { json: decision });
    await forget();
    const announced = async () => {
      const { items } = await ada.ok(routes.listDeliveriesRoute, { params });
      return items.map(({ event, data }) => [event, data.topic]);
    };
    await at(ada, "2026-05-01T19:59:00Z");
    expect(await announced()).toEqual([]);
    for (let times = 0; times < 3; times++) await at(ada, "2026-05-01T20:17:00Z");
    expect(await announced()).toEqual([["commitment.due", "Slides"]]);
    await at(ada, "2026-05-02T19:00:00Z");
    expect(await announced()).toHaveLength(1);
    // Nothing ran on the 3rd.
    await at(ada, "2026-05-04T01:00:00Z");
    expect(await announced()).toEqual([
      ["commitment.overdue", "Slides"],
      ["commitment.due", "Slides"],
    ]);
    await at(ada, "2026-05-05T01:00:00Z");
    expect(await announced()).toHaveLength(2);
  });

  test("are all announced, however many there are on one morning", async () => {
    const ada = await person();
    const { params } = await hookOf(ada, { events: ["commitment.due"] });
    const commitment = { memory_type: "commitment", topic: "Slides", content: "C" };
    for (const [due_date, count] of [
      ["2026-05-01", 6],
      ["2026-05-02", 1],
    ] as const) {
      const operations = Array.from({ length: 90 }, () => ({ operation: "create", ...commitment, due_date }));
      for (let bulk = 0; bulk < count; bulk++)
        await ada.ok(memories.changeMemoriesRoute, { json: { operations } });
    }
    await env.DB.prepare("UPDATE webhooks SET due_day = '2026-05-01'").run();
    await at(ada, "2026-05-02T08:17:00Z");
    expect((await ada.ok(routes.listDeliveriesRoute, { params })).total).toBe(90);
  });
});
