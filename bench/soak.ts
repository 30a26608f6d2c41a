import { memoryOfAll, type Process, processTree } from "../test/e2e/processes.ts";
import { freePorts } from "../test/e2e/service.ts";
import { compareAll } from "./acknowledged.ts";
import { here, type Running, startCopy } from "./copies.ts";
import { highestHeld, LIMIT_MS, offer } from "./offered.ts";
import { operationsOf } from "./operations.ts";
import { createPeople, type Person } from "./people.ts";
import { keepSignedIn } from "./sessions.ts";
import {
  type Checked,
  diskChecked,
  failuresShown,
  latencyChecked,
  memoryChecked,
  type Seen,
} from "./soak-checks.ts";
import { newMinute, processorTime, storedIn } from "./soak-figures.ts";
import { printTable } from "./table.ts";
import { workingDay } from "./working-day.ts";

// People and assistants in the proportions of a working day, for as long as wanted, at half of what the machine can do:
// whether memory, latency and disk stay what they were, and nothing is lost.

const PEOPLE = { name: "person", count: 100, size: { documents: 200, records: 100 } };
const SAMPLE_MS = 5000;
const SHOWN = 10;
const SHORTEST = 10;
const TOLD_EVERY_MS = 600_000;
const LONG_ENOUGH = 120;

type Prepared = {
  running: Running;
  people: Person[];
  next: ReturnType<typeof workingDay>;
  stateDir: string;
};

/** Notes the memory of these processes, and how busy others keep the machine, until it is stopped. */
function sample({ memory, runtime, front, others }: Seen, processes: Process[]): () => void {
  const start = performance.now();
  const pids = processes.map(({ pid }) => pid);
  const those = (name: RegExp) => processes.filter(({ command }) => name.test(command));
  const [runtimes, fronts] = [those(/workerd\S* serve/), those(/start\/start\.js/)];
  let [last, lastAt] = [processorTime(pids), start];
  const sampler = setInterval(() => {
    const at = performance.now();
    const hours = (at - start) / 3_600_000;
    const now = processorTime(pids);
    memory.push({ hours, value: memoryOfAll(processes) });
    runtime.push({ hours, value: memoryOfAll(runtimes) });
    front.push({ hours, value: memoryOfAll(fronts) });
    others.push({ hours, value: (now.all - now.own - last.all + last.own) / ((at - lastAt) / 1000) });
    [last, lastAt] = [now, at];
  }, SAMPLE_MS);
  return () => clearInterval(sampler);
}

/** Says every ten minutes how it goes, until it is stopped. */
function tell(seen: Seen): () => void {
  const teller = setInterval(() => {
    const { answered, errors, memory } = seen;
    const { hours = 0, value = 0 } = memory.at(-1) ?? {};
    console.log(
      `${(hours * 60).toFixed(0)} minutes: ${answered} answered, ${errors.length} failed, ${value.toFixed(0)} MB`,
    );
  }, TOLD_EVERY_MS);
  return () => clearInterval(teller);
}

/** Sends at a fixed rate for half of the run, twice; the rows are counted before, between and after. */
async function watch(prepared: Prepared, perSecond: number, minutes: number): Promise<Seen> {
  const { running, people, next, stateDir } = prepared;
  const nothing = { minutes: [], memory: [], runtime: [], front: [], others: [], errors: [], answered: 0 };
  const seen: Seen = { ...nothing, stored: [await storedIn(stateDir)] };
  const start = performance.now();
  const minuteOf = (at: number) => Math.floor((at - start) / 60_000);
  const failed = ({ message }: Error) =>
    void seen.errors.push({ minute: minuteOf(performance.now()), message });
  const stopSessions = await keepSignedIn(running.apiUrl, people, failed);
  const processes = processTree(running.pid);
  const stopSampling = sample(seen, processes);
  const stopTelling = tell(seen);
  const send = async (due: number) => {
    const { group, send: ask } = next();
    await ask().then(() => seen.answered++, failed);
    const minute = minuteOf(due);
    seen.minutes[minute] ??= newMinute();
    seen.minutes[minute][group].push(performance.now() - due);
  };
  for (const _half of [1, 2]) {
    await offer({ perSecond, seconds: minutes * 30 }, send);
    seen.stored.push(await storedIn(stateDir));
  }
  stopSampling();
  stopTelling();
  await stopSessions();
  // What follows the last whole minute is too little to compare.
  return { ...seen, minutes: seen.minutes.slice(0, Math.floor(minutes)) };
}

const list = (problems: string[]) => {
  for (const problem of problems.slice(0, SHOWN)) console.log(`  ${problem}`);
};

async function prepare(stateDir: string): Promise<Prepared> {
  console.log(`Filling ${PEOPLE.count} accounts…`);
  const people = await createPeople(stateDir, PEOPLE);
  const running = await startCopy(here, stateDir, await freePorts());
  return { people, stateDir, running, next: workingDay(people, operationsOf(running)) };
}

/** How long it takes, and how much is sent: without a rate, half of what the machine can do. */
export type Length = { minutes: number; perSecond?: number | undefined };

/** The rate that is held, and half of it, unless a rate is given. */
async function rateOf({ next }: Prepared, { perSecond }: Length): Promise<[string, number]> {
  if (perSecond) return ["not measured", perSecond];
  console.log("Measuring what the machine can do…");
  const highest = await highestHeld(() => next().send());
  if (highest.perSecond === 0) throw new Error(`The machine is too busy: ${highest.endedBy}`);
  return [String(highest.perSecond), highest.perSecond / 2];
}

/** Prints what a long run is like; false unless all of it is within its limits. */
export async function benchSoak(stateDir: string, length: Length): Promise<boolean> {
  const { minutes } = length;
  if (!(minutes >= SHORTEST)) throw new Error(`A soak takes at least ${SHORTEST} minutes`);
  const prepared = await prepare(stateDir);
  const { running, people } = prepared;
  const [held, perSecond] = await rateOf(prepared, length);
  console.log(`${minutes} minutes at ${perSecond} requests per second…`);
  const printedBefore = running.output().length;
  const seen = await watch(prepared, perSecond, minutes);
  const printed = running.output().slice(printedBefore).split("\n").filter(Boolean);
  const { found, differences } = await compareAll(running.apiUrl, people);
  await running.stop();
  const checked: Checked[] = [
    [`requests per second with p99 within ${LIMIT_MS} ms`, held, "", undefined],
    ["offered per second", String(perSecond), "", undefined],
    ["answered", String(seen.answered), "", undefined],
    ...memoryChecked(seen, minutes),
    ...latencyChecked(seen),
    ...diskChecked(seen),
    ["failed requests", String(seen.errors.length), "0", seen.errors.length === 0],
    ["lines that the service printed", String(printed.length), "0", printed.length === 0],
    ["documents and records", String(found), "", undefined],
    ["that differ from what was acknowledged", String(differences.length), "0", differences.length === 0],
  ];
  printTable(
    `A working day of ${PEOPLE.count} accounts in ${minutes} minutes`,
    ["", "", "limit", ""],
    checked.map(([name, figure, limit, isKept]) => [
      name,
      figure,
      limit,
      isKept === undefined ? "" : isKept ? "ok" : "missed",
    ]),
  );
  if (minutes < LONG_ENOUGH)
    console.log("\n  The slope of memory is only an indication: it takes two hours to see 1 MB an hour.");
  list([...failuresShown(seen.errors), ...printed, ...differences]);
  return checked.every(([, , , isKept]) => isKept !== false);
}
