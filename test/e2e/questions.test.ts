import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/contract/days.ts";
import { type Service, startService, temporaryFolder } from "./service.ts";

// What a person asks an assistant. Each question is answered only from what the tools return: whatever a call needs, be
// it an id, a day or a text, comes from an earlier answer.

const run = promisify(execFile);
const ACCOUNT = { email: "demo@example.com", password: "correct horse battery staple" };

/** A zone in which it is about noon, so that no day ends while the test runs. */
function noonZone(): string {
  const ahead = 12 - new Date().getUTCHours();
  return `Etc/GMT${ahead === 0 ? "" : ahead > 0 ? `-${ahead}` : `+${-ahead}`}`;
}

const TERMINATION =
  "Either party may terminate this agreement with three months' notice to the end of a quarter; notice is given in writing.";
/** Longer than one answer of fetch: the passage is in the second part. */
const CONTRACT = [
  "# Hosting contract",
  ...Array.from(
    { length: 400 },
    (_, n) => `## § ${n + 1} Annex\n\n${"The provider keeps the lights on. ".repeat(4)}`,
  ),
  `## § 401 Termination\n\n${TERMINATION}`,
  "## § 402 Venue\n\nBerne.",
].join("\n\n");

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let client: Client;
/** Between what was there and what was changed later. */
let later: string;

type Answer = Record<string, unknown>;
type Row = Record<string, unknown> & { id: number; topic: string };

async function use<Result = Answer>(name: string, args: Record<string, unknown> = {}): Promise<Result> {
  const answer = await client.callTool({ name, arguments: args });
  if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
  return answer.structuredContent as Result;
}

type Found = { results: { id: string; title: string; snippet: string; kind: string }[] };
type Fetched = { title: string; text: string; metadata: Record<string, unknown> };
type Listed = { items: Row[]; total: number; today: string };
type Documents = { documents: { id: string; title: string }[]; total: number };

/** The day of `2026-11-21 (Saturday)`. */
const dayOf = (today: unknown) => String(today).slice(0, 10);

const topics = (rows: Row[]) => rows.map(({ topic }) => topic);

async function signIn(): Promise<(method: string, path: string, body?: unknown) => Promise<Answer>> {
  const call = async (method: string, path: string, body: unknown, token?: string) => {
    const response = await fetch(`${service.apiUrl}${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Answer;
  };
  const { access_token } = await call("POST", "/api/auth/login", ACCOUNT);
  return (method, path, body) => call(method, path, body, String(access_token));
}

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path);
  const account = ["--email", ACCOUNT.email, "--password", ACCOUNT.password, "--timezone", noonZone()];
  await run("npm", ["run", "--silent", "demo", "--", "--url", service.apiUrl, ...account]);
  const call = await signIn();
  const contract = { title: "Hosting contract", content: { format: "markdown", text: CONTRACT } };
  await call("POST", "/api/documents", contract);
  later = new Date().toISOString();
  const { items } = await call("GET", "/api/documents?tag=travel");
  const [list] = items as { id: string }[];
  await call("POST", `/api/documents/${list?.id}/edit`, {
    operation: "append",
    text: "\n\nSpare batteries.",
  });
  const scopes = ["docs:read", "docs:write", "memory:read", "memory:write"];
  const { key } = await call("POST", "/api/api-keys", { name: "Assistant", scopes });
  client = new Client({ name: "assistant", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.mcpUrl}/mcp`), { requestInit }));
});

afterAll(async () => {
  await client?.close();
  await service?.stop();
  await folder?.remove();
});

test("Which decisions on Apollo were made in the last month, and which of them was superseded by what?", async () => {
  const query = { view: "all", memory_type: "decision", project: "Apollo" };
  const { items } = await use<Listed>("list_memories", query);
  const recent = items.filter(({ days_ago }) => Number(days_ago) <= 30);
  expect(topics(recent).sort()).toEqual([
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
  const { items } = await use<Listed>("list_memories", query);
  expect(items.map(({ topic, days_ago }) => [topic, days_ago])).toEqual([
    ["The test account is locked", 2],
    ["Certificate for staging", 11],
  ]);
});

test("Find the passage of the hosting contract on termination and quote it", async () => {
  const { results } = await use<Found>("search", { query: "termination notice type:document" });
  const [hit] = results;
  expect(hit?.title).toBe("Hosting contract");
  let [id, passage] = [hit?.id, ""];
  for (let reads = 0; id && !passage && reads < 5; reads++) {
    const { text } = await use<Fetched>("fetch", { id });
    passage = /## § \d+ Termination\n\n(.*)/.exec(text)?.[1] ?? "";
    id = /\[Truncated: fetch (\S+) to continue\]$/.exec(text)?.[1];
  }
  expect(passage).toBe(TERMINATION);
});

test("Which document did I change last?", async () => {
  const { documents, total } = await use<Documents>("list_documents", { updated_after: later });
  expect(total).toBe(1);
  expect(documents[0]?.title).toBe("Packing list for the mountains");
  const { text } = await use<Fetched>("fetch", { id: documents[0]?.id });
  expect(text).toMatch(/tea\.\n\nSpare batteries\.$/);
});

test("What did I defer, and until when?", async () => {
  const { items, today } = await use<Listed>("list_memories", { view: "history", status: "deferred" });
  expect(Object.fromEntries(items.map(({ topic, deferred_until }) => [topic, deferred_until]))).toEqual({
    "Plan the summer holidays": addDays(dayOf(today), 20),
    "Second security review": addDays(dayOf(today), 30),
    "Paint the kitchen": undefined,
  });
});

test("Which plan am I on, and how much do I keep here?", async () => {
  const mine = await use("whoami");
  const { total } = await use<Listed>("list_memories", { view: "all", limit: 1 });
  expect(mine).toMatchObject({ plan: "self_hosted", plan_status: "active", documents: 11, records: total });
  expect(Number(mine.active_records)).toBeLessThan(total);
});
