import { freePorts } from "../test/e2e/service.ts";
import { type Copy, type Running, startCopy } from "./copies.ts";
import { type Counts, countRows } from "./counts.ts";
import { type Serving, startFront, startScript } from "./processes.ts";
import { GOALS, ROWS } from "./rows.ts";
import { CONNECTIONS, type Load, type Rounds, runInTurns, type Speed } from "./speed.ts";
import { measureStart, printStarts, type Start } from "./start.ts";
import { createSubject, SIZE, type Subject, signIn } from "./subject.ts";
import { median, printTable } from "./table.ts";
import type { Usage } from "./workers/counted.ts";

/** How many items a row uses up per round, and how many more requests autocannon prepares than it sends. */
const USED_UP = 200;
const SPARE = 2 * CONNECTIONS;

/** A running copy, with its subject and what was measured so far. */
type Prepared = { copy: Copy; subject: Subject; counts: Counts; start: Start; running: Running };

/** Fills a copy through its own `npm start`, counts what its requests use, and leaves it running. */
async function prepare(copy: Copy, stateDir: string, { rounds }: Rounds): Promise<Prepared> {
  const ports = await freePorts();
  console.log(`Filling ${copy.name}…`);
  const filling = await startCopy(copy, stateDir, ports);
  const subject = await createSubject(filling, rounds * (USED_UP + SPARE) + 2);
  await filling.stop();
  const counts = await countRows(copy, stateDir, ports, subject);
  return { copy, subject, counts, ...(await measureStart(copy, stateDir, ports, filling.took)) };
}

const loadsOf = ({ subject, running }: Prepared): Load[] =>
  ROWS.map(({ request, port, usesUp }) => ({
    url: port === "mcp" ? running.mcpUrl : running.apiUrl,
    request: () => request(subject),
    ...(usesUp && { amount: USED_UP }),
  }));

/**
 * The baselines: a Worker that does nothing, with and without the front of `npm start`, and one that asks D1 for
 * nothing.
 */
async function startBare(stateDir: string): Promise<(Serving & { name: string })[]> {
  const config = "bench/workers/wrangler.toml";
  const script = "bench/workers/ok.ts";
  const ok = await startScript({ script, config, stateDir: `${stateDir}-ok` });
  const front = await startFront(script);
  const one = await startScript({
    script: "bench/workers/select-one.ts",
    config,
    stateDir: `${stateDir}-select`,
  });
  return [
    { ...ok, name: "bare Worker" },
    { ...front, name: "bare Worker behind the front" },
    { ...one, name: "bare Worker: SELECT 1" },
  ];
}

/** The values of one figure, beginning with the older commit's. */
const inTurn = (values: (string | number)[]) => values.join(" → ");

const speedCells = (speeds: Speed[]) => [
  inTurn(speeds.map(({ perSecond }) => perSecond.toFixed(0))),
  inTurn(speeds.map(({ p50 }) => p50)),
  inTurn(speeds.map(({ p99 }) => p99)),
];

const countCells = (usages: Usage[]) => [
  inTurn(usages.map(({ calls }) => calls)),
  inTurn(usages.map(({ rowsRead }) => rowsRead)),
  inTurn(usages.map(({ rowsWritten }) => rowsWritten)),
];

/** How many times as fast this commit is as the older one, in each round; undefined if there is only one. */
function ratiosOf([before, now]: Speed[]): number[] | undefined {
  if (!before || !now) return undefined;
  return now.rounds.map((perSecond, round) => perSecond / (before.rounds[round] ?? 0));
}

const inShort = (ratio: number) => ratio.toFixed(2);

function printGoals(ratios: Map<string, number>): void {
  const goals = Object.entries(GOALS).flatMap(([name, goal]) => {
    const ratio = ratios.get(name);
    return ratio === undefined ? [] : [`${name} ${inShort(ratio)} (at least ${goal})`];
  });
  const slower = [...ratios].filter(([, ratio]) => ratio < 1);
  const named = slower.map(([name, ratio]) => `${name} ${inShort(ratio)}`).join(", ");
  console.log(`\n  Goals: ${goals.join(", ") || "none of these"}. Slower than before: ${named || "none"}.`);
}

function printMcp({ rows, initialize }: Counts): void {
  const cells = (name: string, { objects, stored, kv }: Usage) => [name, objects, stored, kv];
  const tools = ROWS.flatMap(({ name, port }, index) => {
    const usage = rows[index];
    return port === "mcp" && usage ? [cells(name, usage)] : [];
  });
  printTable(
    "What MCP uses beside D1",
    ["", "object requests", "object writes", "KV calls"],
    [...tools, cells("initialize", initialize)],
  );
}

/**
 * Measures D1 calls, rows and speed of the requests. The copies take turns: the older commit, if any, and this one.
 *
 * @param options `only` is a pattern of the names of the requests to measure; all without it
 */
export async function benchRequests(
  copies: Copy[],
  stateDir: string,
  { only = "", ...rounds }: Rounds & { only?: string | undefined },
): Promise<void> {
  const wanted = ROWS.map(({ name }, index) => ({ name, index })).filter(({ name }) =>
    new RegExp(only).test(name),
  );
  const prepared: Prepared[] = [];
  for (const copy of copies) prepared.push(await prepare(copy, `${stateDir}-${prepared.length}`, rounds));
  printStarts(
    prepared.map(({ copy }) => copy.name),
    prepared.map(({ start }) => start),
  );
  const bare = await startBare(stateDir);
  console.log("\nMeasuring the speed…");
  const loads = prepared.map(loadsOf);
  const all: Load[] = [
    ...bare.map(({ url }) => ({ url })),
    ...wanted.flatMap(({ index }) => loads.flatMap((each) => each[index] ?? [])),
  ];
  const speeds = await runInTurns(all, rounds, () =>
    Promise.all(prepared.map(({ running, subject }) => signIn(running.apiUrl, subject))),
  );
  await Promise.all([...bare, ...prepared.map(({ running }) => running)].map(({ stop }) => stop()));

  const ratios = new Map<string, number>();
  const rows = wanted.map(({ name, index }, place) => {
    const at = bare.length + place * copies.length;
    const own = speeds.slice(at, at + copies.length);
    const each = ratiosOf(own);
    if (each) ratios.set(name, median(each));
    const usages = prepared.flatMap(({ counts }) => counts.rows[index] ?? []);
    return [
      name,
      ...countCells(usages),
      ...speedCells(own),
      ...(each ? [inShort(median(each)), each.map(inShort).join(" ")] : []),
    ];
  });
  const none = ["", "", ""];
  printTable(
    `Requests of an account with ${SIZE.documents} documents and ${SIZE.records} records through npm start, ` +
      `${CONNECTIONS} connections (medians of ${rounds.rounds} × ${rounds.seconds} s)`,
    [
      "",
      "D1 calls",
      "rows read",
      "rows written",
      "per second",
      "p50 ms",
      "p99 ms",
      ...(ratios.size ? ["ratio", "of each round"] : []),
    ],
    [
      ...bare.map(({ name }, index) => [name, ...none, ...speedCells(speeds.slice(index, index + 1))]),
      ...rows,
    ],
  );
  if (ratios.size > 0) printGoals(ratios);
  const now = prepared.at(-1);
  if (now) printMcp(now.counts);
}
