import { addDays, localDay } from "../../src/contract/days.ts";
import type { LifeCycleAction } from "../../src/contract/life-cycle.ts";
import * as memories from "../../src/features/memories/routes.ts";
import type { Client } from "./client.ts";

// A record, and the steps of its life.

export const PROMISE = {
  memory_type: "commitment",
  topic: "Send Grace the slides",
  content: "Promised in the Monday call",
} as const;

export const today = () => localDay(new Date(), "UTC");

export const inDays = (days: number) => addDays(today(), days);

export const make = (client: Client, fields: object = {}) =>
  client.ok(memories.createMemoryRoute, { json: { ...PROMISE, ...fields } });

export const at = ({ id }: { id: number }) => ({ memory_id: String(id) });

export const read = (client: Client, id: number) =>
  client.ok(memories.getMemoryRoute, { params: at({ id }) });

export const change = (client: Client, record: { id: number }, json: object) =>
  client.ok(memories.updateMemoryRoute, { params: at(record), json });

const STEP_ROUTES = {
  resolve: memories.resolveMemoryRoute,
  defer: memories.deferMemoryRoute,
  archive: memories.archiveMemoryRoute,
  reopen: memories.reopenMemoryRoute,
  confirm: memories.confirmMemoryRoute,
  supersede: memories.supersedeMemoryRoute,
} as const;

export const step = (client: Client, record: { id: number }, action: LifeCycleAction, json?: object) =>
  client.call(STEP_ROUTES[action], {
    params: at(record),
    json: action === "supersede" ? { content: "Something newer", ...json } : json,
  });

export const eventsOf = async (client: Client, record: { id: number }) => {
  const { items } = await client.ok(memories.listMemoryEventsRoute, { params: at(record) });
  return items.map(({ event, from_status, to_status }) => `${event}: ${from_status} → ${to_status}`);
};
