import { expect, vi } from "vitest";
import * as memories from "../../src/features/memories/routes.ts";
import { listTrashRoute } from "../../src/features/trash/routes.ts";
import type { Client } from "./client.ts";

// A record on its way into the trash and out of it.

export const NOW = "2026-11-20T12:00:00.000Z";
export const setNow = (time = NOW) => vi.useFakeTimers({ toFake: ["Date"], now: new Date(time) });

export const at = (id: number) => ({ params: { memory_id: String(id) } });

export const trash = async (client: Client, id: number) => {
  expect((await client.call(memories.deleteMemoryRoute, at(id))).status).toBe(204);
};
export const restore = (client: Client, id: number) => client.ok(memories.restoreMemoryRoute, at(id));
export const read = (client: Client, id: number) => client.call(memories.getMemoryRoute, at(id));
export const inTrash = async (client: Client, type = "all") => {
  const { items, total } = await client.ok(listTrashRoute, { query: { type } });
  expect(total).toBe(items.length);
  return items.map((item) => item.id);
};
