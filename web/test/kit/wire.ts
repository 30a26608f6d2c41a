import { beforeEach, expect, vi } from "vitest";
import type { z } from "zod";
import { User } from "../../../src/contract/auth.ts";
import { Usage } from "../../../src/contract/billing.ts";
import { Summary } from "../../../src/contract/dashboard.ts";
import type { DocumentListItem } from "../../../src/contract/document.ts";
import { Memory } from "../../../src/contract/memory.ts";
import { MemoryBulkAnswer } from "../../../src/contract/memory-bulk.ts";

// The service as a component sees it: requests that go out, and answers, each checked against the contract. What the service
// itself does is tested in test/, and both together in test/e2e.

/** A request that went out. */
export type Sent = { method: string; path: string; query: URLSearchParams; headers: Headers; body: unknown };

/** Without a body, the answer has no headers about one either. */
type Answer = { schema?: z.ZodType; body?: unknown; status?: number; headers?: Record<string, string> };
type Answers = Record<string, (sent: Sent) => Answer | Promise<Answer>>;

let answers: Answers = {};
let sent: Sent[] = [];
let unexpected: string[] = [];

/** Says how requests are answered, by method and path: `"POST /api/memories"`. */
export function answer(more: Answers): void {
  answers = { ...answers, ...more };
}

/** The requests so far, without those that only read. */
export const written = (): Sent[] => sent.filter(({ method }) => method !== "GET");

/** The requests so far that only read from a path. */
export const asked = (path: string): Sent[] =>
  sent.filter((one) => one.method === "GET" && one.path === path);

async function carry(input: string, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input, "http://localhost");
  const { method = "GET", body } = init;
  const one: Sent = {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers: new Headers(init.headers),
    body: typeof body === "string" ? JSON.parse(body) : body,
  };
  sent.push(one);
  const name = `${method} ${url.pathname}`;
  const found = answers[name];
  if (!found) unexpected.push(name);
  const { schema, body: said, status = 200, headers = {} } = (await found?.(one)) ?? NOT_FOUND;
  if (said === undefined) return new Response(null, { status, headers });
  return Response.json(status < 400 ? schema?.parse(said) : said, { status, headers });
}

const NOT_FOUND: Answer = { schema: User, body: { detail: "Not found" }, status: 404 };

export const ADA = {
  id: "0b1c7d8e-3c52-4f0c-9f0e-3f0f6c0f2a11",
  email: "ada@example.com",
  email_verified_at: null,
  name: "Ada",
  role: "member",
  timezone: "Europe/Berlin",
  stale_after_days: { commitment: 14, blocker: 7 },
  created_at: "2026-01-01T00:00:00.000Z",
};

let lastId = 0;

/** A record as the service answers it. */
export function record(fields: Partial<Memory> = {}): Memory {
  lastId += 1;
  const at = "2026-11-01T09:00:00.000Z";
  return Memory.parse({
    ...Object.fromEntries(Object.keys(Memory.shape).map((name) => [name, null])),
    id: lastId,
    memory_type: "commitment",
    topic: `Record ${lastId}`,
    content: "As promised",
    status: "active",
    tags: [],
    source_type: "api",
    version: 1,
    created_at: at,
    updated_at: at,
    ...fields,
  });
}

/** Answers each new record with what was sent. */
export const answerNewRecords = (): void =>
  answer({
    "POST /api/memories": ({ body }) => ({
      ...{ schema: Memory, body: record(body as Partial<Memory>), status: 201 },
      headers: { "Change-Id": "1" },
    }),
  });

/** The answer to a step that succeeded for all of these records. */
export const allDone = (ids: readonly number[]): Answer => ({
  schema: MemoryBulkAnswer,
  body: { results: ids.map((id, index) => ({ index, id, ok: true })), succeeded: ids.length, failed: 0 },
  headers: { "Change-Id": "1" },
});

/** A document as lists have it. */
export const listedDocument = (id: string, fields: Partial<DocumentListItem> = {}): DocumentListItem => ({
  ...{ id, title: id, tags: [], folder_id: null, version: 1, source_type: "web" },
  ...{ created_at: "2026-11-01T08:00:00.000Z", updated_at: "2026-11-01T08:00:00.000Z" },
  ...{ changed_at: "2026-11-01T08:00:00.000Z", ...fields },
});

const NO_LIMIT = { used: 0, limit: null };
const USAGE = {
  ...{ plan_tier: "free", sells_plans: false },
  ...{ documents: NO_LIMIT, records: NO_LIMIT, bytes: NO_LIMIT, api_keys: NO_LIMIT, connections: NO_LIMIT },
  requests_per_day: NO_LIMIT,
};

const NO_COUNTS = { active: 0, deferred: 0, resolved: 0, archived: 0 };
const SUMMARY = {
  today: "2026-11-21",
  timezone: ADA.timezone,
  by_status: { ...NO_COUNTS, active: 1 },
  by_memory_type: [],
  by_project: [{ project: "Apollo", ...NO_COUNTS, active: 1 }],
  ...{ overdue: 0, due_today: 0, due_in_7_days: 0, stale: 0 },
};

/** Puts the service in the place of the network, in each test of a file. */
export function connect(): void {
  beforeEach(() => {
    answers = {
      "GET /api/auth/me": () => ({ schema: User, body: ADA }),
      "GET /api/billing/usage": () => ({ schema: Usage, body: USAGE }),
      "GET /api/dashboard/summary": () => ({ schema: Summary, body: SUMMARY }),
    };
    sent = [];
    unexpected = [];
    vi.stubGlobal("fetch", carry);
    return () => expect(unexpected).toEqual([]);
  });
}
