import { cpus } from "node:os";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { openSnapshot, requireDatabaseFile } from "../scripts/common/local-database.ts";
import { memoryOfAll, type Process, processorTimeOf, processTree } from "../test/e2e/processes.ts";
import { random as generator } from "../test/kit/random.ts";
import { type Account, each, fill, newAccount, repeated, send } from "./account.ts";
import { here, type Running, startBare, startCopy } from "./copies.ts";
import { type Checked, median, printChecked, printTable, quantile } from "./figures.ts";
import { OPERATIONS, type OperationName } from "./operations.ts";

// `load`: how many requests per second are answered in time, for each operation, in one account and in a thousand. Requests
// are sent at a fixed rate, whether or not the earlier ones have been answered, and their latency counts from the time at
// which they were due.

/** Calls `run` at a fixed rate, until the time is up or `isOver`. Then waits for all calls. */
async function offer(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  run: (due: number) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  const start = performance.now();
  const waiting = new Set<Promise<void>>();
  for (let number = 0; number < perSecond * seconds && !isOver(); number++) {
    const due = start + (number * 1000) / perSecond;
    const early = due - performance.now();
    await (early > 0 ? sleep(early) : setImmediate());
    const sent = run(due).finally(() => waiting.delete(sent));
    waiting.add(sent);
  }
  await Promise.all(waiting);
}

/** A rate, its median latency in milliseconds, and why a higher rate was not held. */
type Held = { perSecond: number; p50: number; endedBy: string };

const LIMIT_MS = 250;
const FIRST_RATE = 32;
const STEP_SECONDS = 4;
/** With fewer, a short pause of the machine would make more than one request in a hundred late. */
const FEWEST_REQUESTS = 400;
const REFINEMENTS = 3;
const LATE = 0.01;

/** Tries a rate for a few seconds. It is not held if a request fails, or more than one in a hundred is late. */
async function tryRate(perSecond: number, run: () => Promise<unknown>): Promise<Held> {
  const latencies: number[] = [];
  const seconds = Math.max(STEP_SECONDS, FEWEST_REQUESTS / perSecond);
  const allowed = perSecond * seconds * LATE;
  let late = 0;
  let endedBy = "";
  const timed = async (due: number) => {
    await run().catch(({ message }: Error) => {
      endedBy ||= message;
    });
    const latency = performance.now() - due;
    latencies.push(latency);
    if (latency > LIMIT_MS) late++;
    if (late > allowed) endedBy ||= "p99";
  };
  await offer({ perSecond, seconds }, timed, () => endedBy !== "");
  return { perSecond, p50: quantile(latencies, 0.5), endedBy };
}

/** Finds the highest rate that is held: doubles it, then bisects. A rate that fails is tried twice. */
async function highestHeld(run: () => Promise<unknown>): Promise<Held> {
  let held: Held = { perSecond: 0, p50: Number.NaN, endedBy: "" };
  let missed: Held | undefined;
  for (let refined = 0; refined < REFINEMENTS; refined += missed ? 1 : 0) {
    const rate = missed ? (held.perSecond + missed.perSecond) / 2 : Math.max(FIRST_RATE, held.perSecond * 2);
    const first = await tryRate(rate, run);
    const tried = first.endedBy ? await tryRate(rate, run) : first;
    if (tried.endedBy) missed = tried;
    else held = tried;
  }
  return { ...held, endedBy: missed?.endedBy ?? "" };
}

const ONE = { name: "one", count: 1, size: { documents: 1000, records: 500 } };
const MANY = { name: "many", count: 1000, size: { documents: 20, records: 20 } };

const TITLES: [title: string, name: OperationName][] = [
  ["read a document", "get"],
  ["list 20 documents", "list"],
  ["search for 3 words", "search"],
  ["create a document", "create"],
  ["change a document", "update"],
  ["the tool list_memories", "list_memories, MCP 2026-07-28"],
];

/** Returns the function that runs an operation with the next account. */
function inTurn(accounts: Account[], name: OperationName): () => Promise<unknown> {
  let turn = 0;
  return () => OPERATIONS[name].run(accounts[turn++ % accounts.length] as Account);
}

/** Prints the highest rates, also relative to a Worker that does nothing. */
export async function benchLoad(stateDir: string, only = ""): Promise<void> {
  const bare = await startBare(`${stateDir}-bare`);
  const most = await highestHeld(() => send({ url: bare.url }));
  await bare.stop();
  console.log(`Filling ${ONE.count + MANY.count} accounts…`);
  const running = await startCopy(here, stateDir);
  const accounts: Account[][] = [];
  for (const { name, count, size } of [ONE, MANY])
    accounts.push(
      await each(repeated(count, String), async (number) => {
        const account = await newAccount(running, `${name}${number}`);
        await fill(account, size);
        // The first request with a key also stores that it is in use.
        await OPERATIONS["list_memories, MCP 2026-07-28"].run(account);
        return account;
      }),
    );
  console.log("Raising the load…");
  const cells = ({ perSecond, p50, endedBy }: Held) => [
    ...[perSecond.toFixed(0), (perSecond / most.perSecond).toFixed(2), p50.toFixed(0), endedBy.slice(0, 40)],
  ];
  const rows: string[][] = [["a Worker that does nothing", ...cells(most)]];
  for (const [title, name] of TITLES.filter((row) => new RegExp(only).test(row.join(" "))))
    for (const all of accounts) {
      const row = `${title}, ${all.length} ${all.length === 1 ? "account" : "accounts"}`;
      rows.push([row, ...cells(await highestHeld(inTurn(all, name)))]);
    }
  await running.stop();
  printTable(
    `Requests per second, offered at a fixed rate, with p99 within ${LIMIT_MS} ms`,
    ["", "per second", "ratio", "p50 ms", "ended by"],
    rows,
  );
}

// `soak`: the mix of requests of a working day, at half of the machine's highest rate. Checks that memory, latency and disk
// usage do not grow, and that no write is lost.

const PEOPLE = 100;
const SIZE = { documents: 200, records: 100 };
const SAMPLE_MS = 5000;
const SHORTEST = 10;
const LONG_ENOUGH = 120;
const SHOWN = 10;
const WARM_UP = 0.1;
const GROWTH_MB = 1;
const DRIFT = 0.1;

const GROUPS = ["read", "search", "write", "tool"] as const;
type Group = (typeof GROUPS)[number];

/**
 * The mix of a hundred requests. As many documents are trashed as created: accounts keep their size, while the trash, the
 * versions and the activity grow.
 */
const DAY: Record<Group, Partial<Record<OperationName, number>>> = {
  read: { get: 34, list: 18, "memory: list": 8, commitments: 6, tags: 4 },
  search: { search: 10 },
  write: {
    ...{
      create: 3,
      update: 3,
      edit: 2,
      delete: 3,
      "memory: create": 2,
      "memory: resolve": 1,
      "memory: delete": 1,
    },
  },
  tool: {
    ...{
      "list_memories, MCP 2026-07-28": 2,
      "list_memories, MCP 2025-11-25": 1,
      "search, MCP 2026-07-28": 1,
    },
    "remember, MCP 2025-11-25": 1,
  },
};

const TICKETS = GROUPS.flatMap((group) =>
  Object.entries(DAY[group]).flatMap(([name, count]) =>
    repeated(count, () => ({ group, name: name as OperationName })),
  ),
);

/** Returns the function that draws the next request and its account. The sequence is the same in every run. */
function workingDay(accounts: Account[]) {
  const random = generator(1);
  const oneOf = <Item>(items: Item[]) => items[Math.floor(random() * items.length)] as Item;
  return (): { group: Group; run: () => Promise<unknown> } => {
    const { group, name } = oneOf(TICKETS);
    const account = oneOf(accounts);
    return { group, run: () => OPERATIONS[name].run(account) };
  };
}

/** `minute` counts from the start. */
type Sample = { minute: number; value: number };
/** The number of rows in all tables, and the size of the database file. */
type Stored = { rows: number; bytes: number };

/** The measurements of a run: latencies by minute, memory in MB, and the number of processors that other programs used. */
type Seen = {
  minutes: Record<Group, number[]>[];
  samples: Record<"memory" | "runtime" | "front" | "others", Sample[]>;
  stored: Stored[];
  errors: { minute: number; message: string }[];
  answered: number;
};

/** The processor time in seconds of all programs other than these processes and this one. */
function othersTime(processes: Process[]): number {
  const busy = cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq);
  const own = [...processes.map(({ pid }) => pid), process.pid].map(processorTimeOf);
  return (busy.reduce((sum, ms) => sum + ms, 0) - own.reduce((sum, ms) => sum + ms, 0)) / 1000;
}

/** Records the memory of the service and the load by other programs. Returns the function that stops it. */
function sample(seen: Seen, processes: Process[]): () => void {
  const start = performance.now();
  const those = (name: RegExp) => processes.filter(({ command }) => name.test(command));
  const [runtime, front] = [those(/workerd\S* serve/), those(/start\/start\.js/)];
  let last = { others: othersTime(processes), at: start };
  const sampler = setInterval(() => {
    const now = { others: othersTime(processes), at: performance.now() };
    const minute = (now.at - start) / 60_000;
    const values = {
      ...{ memory: memoryOfAll(processes), runtime: memoryOfAll(runtime), front: memoryOfAll(front) },
      others: ((now.others - last.others) * 1000) / (now.at - last.at),
    };
    for (const [name, value] of Object.entries(values))
      seen.samples[name as keyof typeof values].push({ minute, value });
    last = now;
    const [whole, before] = [Math.floor(minute / 10), Math.floor((minute - SAMPLE_MS / 60_000) / 10)];
    if (whole > before && whole > 0)
      console.log(`${whole * 10} minutes: ${seen.answered} answered, ${seen.errors.length} failed`);
  }, SAMPLE_MS);
  return () => clearInterval(sampler);
}

async function storedIn(stateDir: string): Promise<Stored> {
  const source = openSnapshot(requireDatabaseFile(stateDir));
  try {
    const tables = await source.query(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    const counts = tables.map(({ name }) => `(SELECT count(*) FROM "${name}")`);
    const [found] = await source.query(
      `SELECT ${counts.join(" + ")} AS rows, page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`,
    );
    return { rows: Number(found?.rows), bytes: Number(found?.bytes) };
  } finally {
    source.close();
  }
}

/** Sends requests for two halves, and counts the rows before, between and after them. */
async function watch(
  { pid, stateDir }: Running,
  next: ReturnType<typeof workingDay>,
  { perSecond, minutes }: { perSecond: number; minutes: number },
): Promise<Seen> {
  const seen: Seen = {
    ...{ minutes: [], errors: [], answered: 0, stored: [await storedIn(stateDir)] },
    samples: { memory: [], runtime: [], front: [], others: [] },
  };
  const start = performance.now();
  const minuteOf = (at: number) => Math.floor((at - start) / 60_000);
  const stopSampling = sample(seen, processTree(pid));
  const send = async (due: number) => {
    const { group, run } = next();
    await run().then(
      () => seen.answered++,
      ({ message }: Error) => seen.errors.push({ minute: minuteOf(performance.now()), message }),
    );
    const minute = minuteOf(due);
    seen.minutes[minute] ??= { read: [], search: [], write: [], tool: [] };
    seen.minutes[minute][group].push(performance.now() - due);
  };
  for (const _half of [1, 2]) {
    await offer({ perSecond, seconds: minutes * 30 }, send);
    seen.stored.push(await storedIn(stateDir));
  }
  stopSampling();
  // Only whole minutes can be compared.
  return { ...seen, minutes: seen.minutes.slice(0, Math.floor(minutes)) };
}

const arrow = (values: number[], digits = 0) => values.map((value) => value.toFixed(digits)).join(" → ");
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The median of each minute of the second half, so that a single garbage collection does not count. */
function secondHalf(samples: Sample[], minutes: number): Sample[] {
  const half = samples.filter(({ minute }) => minute > minutes / 2 && minute < minutes);
  return [...Map.groupBy(half, ({ minute }) => Math.floor(minute))].map(([minute, all]) => ({
    ...{ minute, value: median(all.map(({ value }) => value)) },
  }));
}

/** The slope per hour (least squares) and twice its standard error. */
function slopeOf(samples: Sample[]): { slope: number; noise: number } {
  const hours = samples.map(({ minute }) => minute / 60);
  const [at, value] = [mean(hours), mean(samples.map((one) => one.value))];
  const sum = (of: (sample: Sample, hour: number) => number) =>
    samples.reduce((all, one, place) => all + of(one, (hours[place] ?? 0) - at), 0);
  const spread = sum((_, hour) => hour ** 2);
  const slope = sum((one, hour) => hour * (one.value - value)) / spread;
  const left = sum((one, hour) => (one.value - value - slope * hour) ** 2);
  return { slope, noise: 2 * Math.sqrt(left / (samples.length - 2) / spread) };
}

function memoryChecked({ samples }: Seen, minutes: number): Checked[] {
  const { slope, noise } = slopeOf(secondHalf(samples.memory, minutes));
  const ends = (of: Sample[]) => {
    const half = secondHalf(of, minutes);
    return arrow([half[0]?.value ?? Number.NaN, half.at(-1)?.value ?? Number.NaN]);
  };
  return [
    ["memory, middle → end, MB", ends(samples.memory)],
    ["  of the runtime", ends(samples.runtime)],
    ["  of the front", ends(samples.front)],
    [
      "growth of memory in the second half, MB an hour",
      `${slope.toFixed(1)} ± ${noise.toFixed(1)}`,
      `at most ${GROWTH_MB} beyond the noise`,
      slope - noise <= GROWTH_MB,
    ],
  ];
}

function latencyChecked({ minutes, samples: { others } }: Seen): Checked[] {
  const warm = minutes.slice(Math.ceil(minutes.length * WARM_UP));
  const thirds = <Item>(all: Item[]) => [
    ...[all.slice(0, Math.floor(all.length / 3)), all.slice(-Math.floor(all.length / 3))],
  ];
  /** The median of the minutes' quantiles, in the first and the last third. */
  const inBoth = (share: number, groups: readonly Group[] = GROUPS) =>
    thirds(warm).map((part) =>
      median(
        part.map((minute) =>
          quantile(
            groups.flatMap((one) => minute[one]),
            share,
          ),
        ),
      ),
    );
  const [before = 0, after = 0] = inBoth(0.99);
  const drift = after / before - 1;
  return [
    ["p50, first → last third, ms", arrow(inBoth(0.5))],
    [
      "p99, first → last third, ms",
      `${arrow([before, after])} (${(drift * 100).toFixed(0)} %)`,
      `at most ${DRIFT * 100} % more`,
      drift <= DRIFT,
    ],
    ...GROUPS.map((group): Checked => [`  of each ${group}`, arrow(inBoth(0.99, [group]))]),
    [
      "processors that other programs used, first → last third",
      arrow(
        thirds(others).map((part) => mean(part.map(({ value }) => value))),
        1,
      ),
    ],
  ];
}

/** Compares the bytes per new row of the two halves, which write the same mix. */
function diskChecked({ stored }: Seen): Checked[] {
  const perNewRow = stored.slice(1).map(({ rows, bytes }, half) => {
    const before = stored[half] as Stored;
    return (bytes - before.bytes) / (rows - before.rows);
  });
  const [first = 0, second = 0] = perNewRow;
  return [
    ["rows at the beginning → in the middle → at the end", arrow(stored.map(({ rows }) => rows))],
    ["bytes on disk per row", arrow(stored.map(({ rows, bytes }) => bytes / rows))],
    [
      "bytes on disk per new row, first → second half",
      arrow(perNewRow),
      `at most ${DRIFT * 100} % more`,
      second <= first * (1 + DRIFT),
    ],
  ];
}

type Change = {
  kind: string;
  id: string | number;
  document?: { version: number };
  memory?: { version: number };
};
type Page = { items: Change[]; cursor?: string; next_cursor?: string; has_more?: boolean; total: number };

/** All pages of a list. */
async function pagesOf(account: Account, path: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | undefined = "", hasMore = true; hasMore; ) {
    const page: Page = await account.ask(
      "GET",
      `${path}limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    pages.push(page);
    cursor = page.next_cursor ?? page.cursor ?? "";
    hasMore = page.has_more ?? page.next_cursor != null;
  }
  return pages;
}

/** Describes acknowledged writes that are missing or were made twice. */
async function differencesOf(account: Account): Promise<string[]> {
  const { documents, records, resolved, trashed, email } = account;
  const memories = [...records, ...resolved];
  const expected = new Map([
    ...documents.map(({ id, version }) => [`document ${id}`, version] as const),
    ...memories.map(({ id, version }) => [`memory ${id}`, version] as const),
  ]);
  // The account as a program sees it that follows the changes.
  const listed = (await pagesOf(account, "/api/changes?")).flatMap(({ items }) => items);
  const copy = new Map(
    listed.map(({ kind, id, document, memory }) => [`${kind} ${id}`, (document ?? memory)?.version ?? 0]),
  );
  const trash = await pagesOf(account, "/api/trash?type=all&");
  const trashIds = trash.flatMap(({ items }) => items.map(({ id }) => id));
  const totalOf = async (path: string) => (await account.ask<Page>("GET", path)).total;
  const counts: [string, number, number | undefined][] = [
    ["documents", documents.length, await totalOf("/api/documents?limit=1")],
    ["records", memories.length, await totalOf("/api/memories?limit=1")],
    ["in the trash", trashed.length, trash[0]?.total],
    ["different in the trash", trashed.length, new Set([...trashIds, ...trashed]).size],
    ["in the copy", expected.size, copy.size],
    ["listed once", listed.length, copy.size],
  ];
  const wrong = counts.filter(([, said, found]) => said !== found);
  return [
    ...wrong.map(([what, said, found]) => `${email}: ${said} ${what} acknowledged, ${found} found`),
    ...[...expected].flatMap(([name, version]) =>
      copy.get(name) === version ? [] : [`${email}: ${name} at version ${version}, found ${copy.get(name)}`],
    ),
  ];
}

/** The number of failed requests by reason, and when they failed. */
const failuresShown = (errors: Seen["errors"]) =>
  [...Map.groupBy(errors, ({ message }) => message)].map(([message, all]) => {
    const minutes = all.map(({ minute }) => minute);
    return `${all.length} times, minutes ${Math.min(...minutes)} to ${Math.max(...minutes)}: ${message}`;
  });

/** Runs and prints the soak. Returns whether it is within its limits. The default rate is half of the highest one. */
export async function benchSoak(stateDir: string, minutes: number, rate?: number): Promise<boolean> {
  if (!(minutes >= SHORTEST)) throw new Error(`A soak takes at least ${SHORTEST} minutes`);
  const running = await startCopy(here, stateDir);
  console.log(`Filling ${PEOPLE} accounts…`);
  const accounts = await each(repeated(PEOPLE, String), async (number) => {
    const account = await newAccount(running, `person${number}`);
    await fill(account, SIZE);
    return account;
  });
  const next = workingDay(accounts);
  // Separately, so that no latency includes it.
  const renewing = setInterval(() => {
    for (const account of accounts)
      void account.renew().catch(({ message }: Error) => console.error(message));
  }, SAMPLE_MS);
  const highest = rate ? undefined : await highestHeld(() => next().run());
  if (highest?.perSecond === 0) throw new Error(`The machine is too busy: ${highest.endedBy}`);
  const perSecond = rate ?? (highest?.perSecond ?? 0) / 2;
  console.log(`${minutes} minutes at ${perSecond} requests per second…`);
  const printedBefore = running.output().length;
  const seen = await watch(running, next, { perSecond, minutes });
  const printed = running.output().slice(printedBefore).split("\n").filter(Boolean);
  const differences = (await each(accounts, differencesOf, 1)).flat();
  clearInterval(renewing);
  await running.stop();
  const found = accounts
    .flatMap((one) => [one.documents, one.records, one.resolved, one.trashed])
    .flat().length;
  const none = (name: string, { length }: unknown[]): Checked => [name, String(length), "0", length === 0];
  const checked: Checked[] = [
    [`requests per second with p99 within ${LIMIT_MS} ms`, String(highest?.perSecond ?? "not measured")],
    ["offered per second", String(perSecond)],
    ["answered", String(seen.answered)],
    ...memoryChecked(seen, minutes),
    ...latencyChecked(seen),
    ...diskChecked(seen),
    none("failed requests", seen.errors),
    none("lines that the service printed", printed),
    ["documents and records", String(found)],
    none("that differ from what was acknowledged", differences),
  ];
  const title = `A working day of ${PEOPLE} accounts in ${minutes} minutes`;
  const isKept = printChecked(title, ["", "limit"], checked);
  if (minutes < LONG_ENOUGH)
    console.log("\n  The slope of memory is only an indication: it takes two hours to see 1 MB an hour.");
  for (const line of [...failuresShown(seen.errors), ...printed, ...differences].slice(0, 3 * SHOWN))
    console.log(`  ${line}`);
  return isKept;
}
