import { beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/contract/days.ts";
import { DEMO_DOCUMENTS } from "../../src/shared/demo/documents.ts";
import { type Ask, askWith } from "./ask.ts";
import { sharedService } from "./instances.ts";
import { connectWith, type Speaker, use } from "./official-clients.ts";
import { runScript } from "./script.ts";
import { login } from "./service.ts";

// What a person asks an assistant about the demo, answered only from what the tools return. More of it is in
// test/front-door/questions.test.ts; what single tools answer is in test/doors/mcp.

/** A zone in which it is about noon, so that no day ends while the test runs. */
function noonZone(): string {
  const ahead = 12 - new Date().getUTCHours();
  return `Etc/GMT${ahead === 0 ? "" : ahead > 0 ? `-${ahead}` : `+${-ahead}`}`;
}

type Row = Record<string, unknown> & { id: number; topic: string };
type Listed = { items: Row[]; today: string };

const shared = sharedService();
let account: { email: string; password: string };
let client: Speaker;
let ask: Ask;

beforeAll(async () => {
  const { apiUrl, mcpUrl } = shared.service;
  const { output } = await runScript("demo", ["--url", apiUrl, "--timezone", noonZone()], {});
  const [, email = "", password = ""] = /email: +(\S+)\npassword: (\S+)/.exec(output) ?? [];
  account = { email, password };
  const token = await login(apiUrl, account);
  ask = askWith(apiUrl, token);
  client = await connectWith("SDK v2 negotiating", mcpUrl, token);
  return () => client.close();
});

test("npm run demo fills a fresh account, and refuses one that holds anything", async () => {
  const counts = await ask<{ by_memory_type: unknown[] }>("GET", "/api/dashboard/summary");
  expect(counts.by_memory_type).toHaveLength(6);
  const by_status = { deferred: 3, resolved: 17 };
  expect(counts).toMatchObject({ by_status, due_today: 2, overdue: 3, stale: 4 });
  const options = ["--url", shared.service.apiUrl, "--email", account.email, "--password", account.password];
  expect((await runScript("demo", options, {})).output).toContain("the demo needs an empty one");
});

test("Which plan am I on, and how much do I keep here?", async () => {
  const mine = await use(client, "whoami");
  const { total } = await use<{ total: number }>(client, "list_memories", { view: "all", limit: 1 });
  const documents = DEMO_DOCUMENTS.length;
  expect(mine).toMatchObject({ plan: "self_hosted", plan_status: "active", documents, records: total });
  expect(Number(mine.active_records)).toBeLessThan(total);
});

test("Which decisions on Apollo were made in the last month, and which of them was superseded by what?", async () => {
  const query = { view: "all", memory_type: "decision", project: "Apollo" };
  const { items } = await use<Listed>(client, "list_memories", query);
  const recent = items.filter(({ days_ago }) => Number(days_ago) <= 30);
  expect(recent.map(({ topic }) => topic).sort()).toEqual([
    "Beta starts with ten customers",
    "Choose the pricing model",
    "One database for everything",
    "One database for everything",
  ]);
  const [old, ...others] = recent.filter(({ replaced_by_id }) => replaced_by_id);
  expect(others).toEqual([]);
  expect(old).toMatchObject({ status: "archived", days_ago: 28 });
  const successor = recent.find(({ id }) => id === old?.replaced_by_id);
  expect(successor).not.toHaveProperty("status");
  expect(successor).toMatchObject({
    replaces_id: old?.id,
    content: "D1 for everything but files; files go to R2.",
  });
});

test("What blocks the release of Apollo, and since when?", async () => {
  const query = { view: "active", memory_type: "blocker", project: "Apollo" };
  const { items } = await use<Listed>(client, "list_memories", query);
  expect(items.map(({ topic, days_ago }) => [topic, days_ago])).toEqual([
    ["The test account is locked", 2],
    ["Certificate for staging", 11],
  ]);
});

test("Which document did I change last?", async () => {
  const { items } = await ask<{ items: { id: string }[] }>("GET", "/api/documents?tag=travel");
  const updated_after = new Date().toISOString();
  const edit = { operation: "append", text: "\n\nSpare batteries." };
  await ask("POST", `/api/documents/${items[0]?.id}/edit`, edit);
  type Documents = { documents: { id: string; title: string }[]; total: number };
  const { documents, total } = await use<Documents>(client, "list_documents", { updated_after });
  expect([total, documents[0]?.title]).toEqual([1, "Packing list for the mountains"]);
  const { text } = await use<{ text: string }>(client, "fetch", { id: documents[0]?.id });
  expect(text).toMatch(/tea\.\n\nSpare batteries\.$/);
});

test("What did I defer, and until when?", async () => {
  const { items, today } = await use<Listed>(client, "list_memories", {
    view: "history",
    status: "deferred",
  });
  // Today is told as `2026-11-21 (Saturday)`.
  const day = today.slice(0, 10);
  expect(Object.fromEntries(items.map(({ topic, deferred_until }) => [topic, deferred_until]))).toEqual({
    "Plan the summer holidays": addDays(day, 20),
    "Second security review": addDays(day, 30),
    "Paint the kitchen": undefined,
  });
});
