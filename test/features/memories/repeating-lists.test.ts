import { afterEach, expect, test, vi } from "vitest";
import * as memories from "../../../src/features/memories/routes.ts";
import { personAt } from "../../kit/dashboard.ts";
import { at, make, PROMISE } from "../../kit/records.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("lists are of what repeats, or of one series", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  await make(client, { ...PROMISE, topic: "Once" });
  const rent = await make(client, { ...PROMISE, topic: "Rent", repeat: "FREQ=MONTHLY;BYMONTHDAY=1" });
  const plants = await make(client, { ...PROMISE, topic: "Plants", repeat: "FREQ=DAILY" });
  await client.ok(memories.resolveMemoryRoute, { params: at(rent), json: {} });
  const list = async (query: object) => {
    const { items, total } = await client.ok(memories.listMemoriesRoute, {
      query: { sort: "created_at", order: "asc", ...query } as never,
    });
    expect(total).toBe(items.length);
    return items.map(({ topic, status }) => `${topic} ${status}`);
  };
  expect(await list({ repeats: "true", status: "active" })).toEqual(["Plants active", "Rent active"]);
  expect(await list({ repeats: "false" })).toHaveLength(4);
  expect(await list({ series_id: String(rent.id) })).toEqual(["Rent resolved", "Rent active"]);
  expect(await list({ series_id: String(plants.id) })).toEqual(["Plants active"]);
  expect(await list({ series_id: "999" })).toEqual([]);
  const { status } = await client.call(memories.listMemoriesRoute, { query: { series_id: "x" } as never });
  expect(status).toBe(422);
});
