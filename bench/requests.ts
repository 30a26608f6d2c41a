import { setTimeout as sleep } from "node:timers/promises";
import { ownerOf } from "../test/e2e/large.ts";
import { memoryOf } from "../test/e2e/processes.ts";
import { openState } from "../test/e2e/state.ts";
import { tokensOf } from "../test/kit/tokens.ts";
import {
  type Account,
  each,
  fill,
  grantToken,
  LEGACY,
  MODERN,
  moveTo,
  newAccount,
  openSession,
  repeated,
  send,
  type Urls,
} from "./account.ts";
import { type Copy, here, type Running, startBare, startCopy, startCounted, startEach } from "./copies.ts";
import type { Usage } from "./counted.ts";
import {
  type Figures,
  type Measured,
  measureInTurns,
  median,
  printMeasured,
  printTable,
  quantile,
  ratioOf,
  ratiosOf,
  shown,
} from "./figures.ts";
import { OPERATIONS, type Operation, type OperationName } from "./operations.ts";

// D1 calls, rows and speed of requests through `npm start`, its start time, and MCP tools compared with their routes.

const SIZE = { documents: 1000, records: 500 };
const FOLDERS = 20;
const CONNECTIONS = 5;
const STARTS = 3;
const REST_MS = 5000;
const QUIET_MS = 50;

export type Rounds = { rounds: number; seconds: number };

/** The accounts that send the requests: `keeper` keeps its size, in `writer` items are created and used up. */
type Subject = { keeper: Account; writer: Account };

type Prepared = {
  running: Running;
  subject: Subject;
  /** The usage of each operation, and of starting an MCP session. */
  usages: Map<string, Usage>;
  firstStart: number;
  laterStarts: number[];
  memory: number | undefined;
};

const NAMES = Object.keys(OPERATIONS) as OperationName[];

function runOf(name: OperationName, { keeper, writer }: Subject): () => Promise<string> {
  const { run, grows }: Operation = OPERATIONS[name];
  return () => run(grows ? writer : keeper);
}

async function createSubject(urls: Urls): Promise<Subject> {
  const [keeper, writer] = [await newAccount(urls, "keeper"), await newAccount(urls, "writer")];
  await fill(keeper, SIZE);
  await each(repeated(FOLDERS, String), (name) => keeper.send("POST", "/api/folders", { name }));
  keeper.mcpToken = await grantToken(keeper);
  await fill(writer, { documents: 1000, records: 1000 });
  return { keeper, writer };
}

const moveAll = ({ keeper, writer }: Subject, urls: Urls) =>
  Promise.all([moveTo(keeper, urls), moveTo(writer, urls)]);

/** The usage since it was last read, once it no longer grows: some work continues after the answer. */
async function usageUntilQuiet(url: string): Promise<Usage> {
  const used = JSON.parse((await send({ url: `${url}/cost` })).text) as Usage;
  if (Object.values(used).every((count) => count === 0)) return used;
  await sleep(QUIET_MS);
  const more = await usageUntilQuiet(url);
  const names = Object.keys(used) as (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, used[name] + more[name]])) as Usage;
}

/** The usage of the second run of a step. The first may also store that a token is in use. */
async function usageOf(url: string, step: () => Promise<unknown>): Promise<Usage> {
  await step();
  await usageUntilQuiet(url);
  await step();
  return usageUntilQuiet(url);
}

/** Counts the usage of each operation, on the data that `npm start` of the same copy has written. */
async function countAll(
  { copy, stateDir, ports }: Running,
  subject: Subject,
  names: OperationName[],
): Promise<Map<string, Usage>> {
  const { url, stop } = await startCounted(copy, stateDir, ports.mcp);
  await moveAll(subject, { apiUrl: url, mcpUrl: url });
  const usages = new Map<string, Usage>();
  for (const name of names) usages.set(name, await usageOf(url, runOf(name, subject)));
  usages.set("initialize", await usageOf(url, () => openSession(subject.keeper)));
  await stop();
  return usages;
}

/** Fills a copy, counts the usage of its requests, and starts it several times. It is running afterwards. */
async function prepare(first: Running, names: OperationName[]): Promise<Prepared> {
  const { copy, stateDir } = first;
  const subject = await createSubject(first);
  await first.stop();
  const usages = await countAll(first, subject, names);
  let running = await startCopy(copy, stateDir, first.ports);
  const laterStarts = [running.took];
  while (laterStarts.length < STARTS) {
    await running.stop();
    running = await startCopy(copy, stateDir, first.ports);
    laterStarts.push(running.took);
  }
  await sleep(REST_MS);
  const memory = memoryOf(running.pid);
  const { apiUrl, mcpUrl } = running;
  await moveAll(subject, { apiUrl, mcpUrl });
  return { running, subject, usages, firstStart: first.took, laterStarts, memory };
}

/** Sends requests over several connections, each as soon as the previous one was answered. */
async function speedOf(run: () => Promise<unknown>, seconds: number): Promise<Figures> {
  const latencies: number[] = [];
  const began = performance.now();
  await Promise.all(
    repeated(CONNECTIONS, async () => {
      for (let start = began; start < began + seconds * 1000; start = performance.now()) {
        await run();
        latencies.push(performance.now() - start);
      }
    }),
  );
  return {
    "per second": (latencies.length * 1000) / (performance.now() - began),
    "p50 ms": median(latencies),
    "p99 ms": quantile(latencies, 0.99),
  };
}

function printStarts(prepared: Prepared[]): void {
  const row = (name: string, goal: string, cell: (one: Prepared) => string) => [
    name,
    ...prepared.map(cell),
    goal,
  ];
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
  printTable(
    "npm start",
    ["", ...prepared.map(({ running }) => running.copy.name), "goal"],
    [
      row("first start, seconds until both ports answer", "", ({ firstStart }) => seconds(firstStart)),
      row(`later starts, median of ${STARTS}`, "4.0", ({ laterStarts }) => seconds(median(laterStarts))),
      row(
        "memory when idle, MB (PSS of all processes)",
        "600",
        ({ memory }) => memory?.toFixed(0) ?? "unknown",
      ),
    ],
  );
}

function printUsage(usages: Map<string, Usage>): void {
  const rows = [...usages].filter(([name]) => /MCP|initialize/.test(name));
  printTable(
    "What MCP uses beside D1 (goals: 2 writes a call, 10 at initialize)",
    ["", "object requests", "object writes", "KV calls"],
    rows.map(([name, { objects, stored, kv }]) => [name, objects, stored, kv]),
  );
}

/** Tools with the corresponding routes. */
const ROUTES: Record<string, OperationName> = {
  list_memories: "memory: list",
  fetch: "get",
  search: "search for all",
};

/** Prints the speed of tools compared with their routes in the same rounds. */
function printTools(measured: Measured[]): void {
  const roundsOf = (name: string) => measured.find((one) => one.name === name)?.figures.at(-1);
  const rows = Object.entries(ROUTES).flatMap(([tool, name]) => {
    const route = roundsOf(name);
    const tools = [MODERN, LEGACY].map((version) => roundsOf(`${tool}, MCP ${version}`));
    if (!route) return [];
    const perSecond = [route, ...tools].map((rounds = []) =>
      shown({ name, figures: [rounds] }, "per second"),
    );
    const ratios = tools.map((rounds = []) => median(ratiosOf(rounds, route, "per second")).toFixed(2));
    return [[tool, ...perSecond, ...ratios]];
  });
  printTable(
    "Requests per second (goal: a tool at least 0.8 × its route)",
    ["", "route", MODERN, LEGACY, `${MODERN} : route`, `${LEGACY} : route`],
    rows,
  );
}

/** Prints the size of tools' answers compared with their routes, and in tokens. */
async function printSizes(subject: Subject): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const [tool, name] of Object.entries(ROUTES)) {
    const route = await runOf(name, subject)();
    const answer = await runOf(`${tool}, MCP ${MODERN}` as OperationName, subject)();
    const content: string = JSON.parse(answer).result.content[0]?.text ?? "";
    const ratio = (answer.length / route.length).toFixed(2);
    rows.push([
      tool,
      route.length,
      content.length,
      answer.length,
      ratio,
      tokensOf(JSON.parse(content)).toFixed(0),
    ]);
  }
  printTable(
    "What is read (goals: search at most 1.2 × its route and 1400 tokens)",
    ["", "bytes of the route", "of the text", "of the answer", "ratio", "tokens"],
    rows,
  );
}

/** Prints which operations are slower than in the older commit. */
function printSlower(measured: Measured[]): void {
  const slower = measured.flatMap((one) => {
    const ratio = ratioOf(one, "per second") ?? 1;
    return ratio < 1 ? [`${one.name} ${ratio.toFixed(2)}`] : [];
  });
  console.log(`\n  Slower than before: ${slower.join(", ") || "none"}.`);
}

const D1: Figures = { "D1 calls": 0, "rows read": 0, "rows written": 0 };
const SPEED: Figures = { "per second": 0, "p50 ms": 0, "p99 ms": 0 };

/**
 * Measures D1 calls, rows and speed of the requests.
 *
 * @param options `only` is a pattern of the names of the requests to measure; all without it
 */
export async function benchRequests(
  copies: Copy[],
  stateDir: string,
  { only = "", rounds, seconds }: Rounds & { only?: string | undefined },
): Promise<void> {
  const names = NAMES.filter((name) => new RegExp(only).test(name));
  const prepared = await startEach(copies, stateDir, (running) => prepare(running, names));
  printStarts(prepared);
  const bare = await startBare(`${stateDir}-bare`);
  console.log("\nMeasuring the speed…");
  const baselines = { "bare Worker behind the front": "/", "bare Worker: SELECT 1": "/select-one" };
  const cases = [
    ...Object.entries(baselines).map(([name, path]) => ({
      name,
      measures: [() => speedOf(() => send({ url: bare.url + path }), seconds)],
    })),
    ...names.map((name) => ({
      name,
      measures: prepared.map(({ subject, usages }) => async () => {
        const { calls = 0, rowsRead = 0, rowsWritten = 0 } = usages.get(name) ?? {};
        const counted = { "D1 calls": calls, "rows read": rowsRead, "rows written": rowsWritten };
        return { ...counted, ...(await speedOf(runOf(name, subject), seconds)) };
      }),
    })),
  ];
  const measured = await measureInTurns(cases, rounds);
  printMeasured(
    `Requests of an account with ${SIZE.documents} documents and ${SIZE.records} records through npm start, ` +
      `${CONNECTIONS} connections (medians of ${rounds} × ${seconds} s)`,
    { figures: { ...D1, ...SPEED }, ratio: "per second" },
    measured,
  );
  if (copies.length > 1) printSlower(measured);
  const now = prepared.at(-1);
  if (!now) return;
  printUsage(now.usages);
  printTools(measured);
  await printSizes(now.subject);
  for (const { stop } of [bare, ...prepared.map(({ running }) => running)]) await stop();
}

// `dashboard`: the number of rows that each of its answers reads, for different numbers of records.

const SIZES = [1_000, 10_000, 100_000];

/**
 * Records from two years. Of 100: 20 active (5 with a due date around today), 60 resolved, 12 archived, 8 deferred. Six
 * types, two scopes or none, fifty projects or none.
 */
const INSERT_MEMORIES = `
  INSERT INTO memories (id, owner, memory_type, topic, content, status, scope, project, tags, due_date, deferred_until,
    resolved_at, source_type, version, created_at, updated_at, closed_at, touched_at)
  WITH RECURSIVE n(i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?3),
  r AS (SELECT i, (i * 7919) % 100 AS kind, (i * 104729) % 63072000 AS age FROM n),
  d AS (SELECT *, CASE WHEN kind < 20 THEN 'active' WHEN kind < 80 THEN 'resolved' WHEN kind < 92 THEN 'archived'
      ELSE 'deferred' END AS status,
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || age || ' seconds') AS closed FROM r)
  SELECT i, ?1,
    CASE WHEN i % 10 < 5 THEN 'commitment' ELSE
      json_extract('["decision","blocker","pattern","preference","context"]', '$[' || (i % 5) || ']') END,
    'Topic ' || i, 'Something that was promised in the meeting ' || i, status,
    json_extract('["personal","work",null]', '$[' || ((i / 10) % 3) || ']'),
    CASE WHEN i % 4 THEN 'Project ' || ((i / 7) % 50) END, '[]',
    CASE WHEN kind < 5 THEN date('now', (((i * 31) % 400) - 20) || ' days') END,
    CASE WHEN status = 'deferred' AND i % 2 THEN date('now', (1 + (i % 300)) || ' days') END,
    CASE WHEN status = 'resolved' THEN closed END, 'api', 1,
    strftime('%Y-%m-%dT%H:%M:%fZ', closed, '-' || (i % 20) || ' days'), closed,
    CASE WHEN status <> 'active' THEN closed END,
    CASE WHEN status = 'deferred' AND i % 2 THEN date('now', (1 + (i % 300)) || ' days') || 'T00:00:00.000Z' ELSE closed END
  FROM d`;

const SCOPE = "scope=work";
const PROJECT = "project=Project%207";
const HISTORY = "commitment-history?limit=50";

/** The requests, without filters and with those that a user would set. */
const ANSWERS: Record<string, string> = {
  "commitments limit=20": "commitments?limit=20",
  "commitments scope": `commitments?limit=20&${SCOPE}`,
  "commitments project": `commitments?limit=20&${PROJECT}`,
  "commitments scope project": `commitments?limit=20&${SCOPE}&${PROJECT}`,
  "alerts limit=100": "alerts?limit=100",
  "alerts scope": `alerts?limit=100&${SCOPE}`,
  "history limit=50": HISTORY,
  "history status": `${HISTORY}&status=archived`,
  "history scope": `${HISTORY}&${SCOPE}`,
  "history project": `${HISTORY}&${PROJECT}`,
  "history scope project": `${HISTORY}&${SCOPE}&${PROJECT}`,
  "history memory_type": `${HISTORY}&memory_type=decision`,
  "history scope memory_type": `${HISTORY}&${SCOPE}&memory_type=blocker`,
  summary: "summary",
};

/** Fills an account in steps, and counts the rows at each size. */
export async function benchDashboard(stateDir: string): Promise<void> {
  const first = await startCopy(here, stateDir);
  const account = await newAccount(first, "bench");
  await first.stop();
  const rows = new Map<string, (string | number)[]>();
  let filled = 0;
  for (const size of SIZES) {
    const database = openState(stateDir);
    database.prepare(INSERT_MEMORIES).run(ownerOf(database, account.email), filled + 1, size);
    database.close();
    filled = size;
    const { url, stop } = await startCounted(here, stateDir, first.ports.mcp);
    await moveTo(account, { apiUrl: url, mcpUrl: url });
    for (const [name, path] of Object.entries(ANSWERS)) {
      const { rowsRead } = await usageOf(url, () => account.send("GET", `/api/dashboard/${path}`));
      rows.set(name, [...(rows.get(name) ?? [name]), rowsRead]);
    }
    await stop();
  }
  const headings = SIZES.map((size) => `${size.toLocaleString("en")} records`);
  printTable("Rows read by the dashboard", ["", ...headings], [...rows.values()]);
}
