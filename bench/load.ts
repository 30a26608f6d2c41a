import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { type Account, each, fill, newAccount, repeated, send } from "./account.ts";
import { here, startBare, startCopy } from "./copies.ts";
import { printTable, quantile } from "./figures.ts";
import { OPERATIONS, type OperationName } from "./operations.ts";

// How many requests per second are answered in time, for each operation, in one account and in a thousand. They are sent at
// a fixed rate, whether or not those before have been answered, and a latency is counted from the moment at which a request
// was due: what waits for a slow answer before it is slow as well.

/** Calls `run` with the moment at which it is due, until the time is up or `isOver`; waits for all of them. */
export async function offer(
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

/** The highest rate that was held, its median latency in milliseconds, and what ended the search for a higher one. */
type Held = { perSecond: number; p50: number; endedBy: string };

export const LIMIT_MS = 250;
const FIRST_RATE = 32;
const STEP_SECONDS = 4;
/** So that a moment in which the machine does something else is not one request in a hundred. */
const FEWEST_REQUESTS = 400;
const REFINEMENTS = 3;
const LATE = 0.01;

/** Offers a rate for a while. It is not held if a request fails, or more than one in a hundred is late. */
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

/** The highest rate that is held: doubled until one is not, then halved between both. Each has a second try. */
export async function highestHeld(run: () => Promise<unknown>): Promise<Held> {
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

/** Sends an operation as one account after the other. */
function inTurn(accounts: Account[], name: OperationName): () => Promise<unknown> {
  let turn = 0;
  return () => OPERATIONS[name].run(accounts[turn++ % accounts.length] as Account);
}

/** Measures and prints the highest rates, each as a share of what a Worker that does nothing holds in the same run. */
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
        // The first request with a key notes that it is in use, which is not what is measured.
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
