import { freePorts } from "../test/e2e/service.ts";
import { ask } from "./asking.ts";
import { here, startCopy } from "./copies.ts";
import { type Highest, highestHeld, LIMIT_MS } from "./offered.ts";
import { type OperationName, operationsOf } from "./operations.ts";
import { createPeople, type Person } from "./people.ts";
import { startFront } from "./processes.ts";
import { printTable } from "./table.ts";

// How many requests per second are answered in time, for each operation, in one account and in a thousand.

const ONE = { name: "one", count: 1, size: { documents: 1000, records: 500 } };
const MANY = { name: "many", count: 1000, size: { documents: 20, records: 20 } };

const OPERATIONS: [title: string, name: OperationName][] = [
  ["read a document", "read"],
  ["list 20 documents", "list"],
  ["search for 3 words", "search"],
  ["create a document", "create"],
  ["change a document", "update"],
  ["the tool list_memories", "tool"],
];

/** The first request with a key notes that it is in use, which is not what is measured. */
async function warmUp(apiUrl: string, people: Person[]): Promise<void> {
  for (const { key } of people)
    await ask(apiUrl, { path: "/api/documents?limit=1", headers: { Authorization: `Bearer ${key}` } });
}

/** Sends an operation as one person after the other. */
const inTurn = (people: Person[], run: (person: Person) => Promise<void>) => {
  let turn = 0;
  return () => run(people[turn++ % people.length] as Person);
};

/** Measures and prints the highest rates, each as a share of what a Worker that does nothing holds in the same run. */
export async function benchLoad(stateDir: string, only = ""): Promise<void> {
  console.log(`Filling ${ONE.count + MANY.count} accounts…`);
  const accounts = [await createPeople(stateDir, ONE), await createPeople(stateDir, MANY)];
  const bare = await startFront("bench/workers/ok.ts");
  console.log("Raising the load…");
  const most = await highestHeld(async () => void (await ask(bare.url, { path: "/" })));
  await bare.stop();
  const running = await startCopy(here, stateDir, await freePorts());
  const operations = operationsOf(running);
  const cells = ({ perSecond, p50, endedBy }: Highest) => [
    perSecond.toFixed(0),
    (perSecond / most.perSecond).toFixed(2),
    p50.toFixed(0),
    endedBy.slice(0, 40),
  ];
  const rows: string[][] = [["a Worker that does nothing", ...cells(most)]];
  await warmUp(running.apiUrl, accounts.flat());
  for (const [title, name] of OPERATIONS.filter(([, one]) => new RegExp(only).test(one)))
    for (const people of accounts)
      rows.push([
        `${title}, ${people.length} ${people.length === 1 ? "account" : "accounts"}`,
        ...cells(await highestHeld(inTurn(people, operations[name]))),
      ]);
  await running.stop();
  printTable(
    `Requests per second, offered at a fixed rate, with p99 within ${LIMIT_MS} ms`,
    ["", "per second", "ratio", "p50 ms", "ended by"],
    rows,
  );
}
