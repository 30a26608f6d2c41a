import { setTimeout as sleep } from "node:timers/promises";
import { processorTimeOf, runtimeOf } from "../test/e2e/processes.ts";
import { freePorts } from "../test/e2e/service.ts";
import { here, startCopy } from "./copies.ts";
import { heavyOwner, ownOwner, smallOwner } from "./flood-account.ts";
import { OF_STRANGERS, OF_THE_ACCOUNT } from "./flood-hostile.ts";
import { keepExport } from "./flood-needs.ts";
import { OPERATIONS, type Special } from "./flood-operations.ts";
import { type Owner, repeated } from "./flood-owner.ts";
import { type Description, describe, type Operation, requestOf } from "./flood-requests.ts";
import { callOf, publishedTools, TOOLS } from "./flood-tools.ts";
import { type Flooded, flood, type Sent } from "./flooding.ts";
import { printTable } from "./table.ts";

// How long others wait while somebody sends the same request many times at once: every published operation, every tool,
// and what hostile strangers send. All share one thread, so a wait is counted in the processor time of the runtime, which
// does not depend on what else this machine does.

const OF_ACCOUNT = 60;
const OF_STRANGER = 30;
/** The most processor time that passes before somebody else is answered. */
const GOAL_MS = 500;
/** A row begins when the runtime has computed less than so much in so long, or at last after so many looks. */
const REST = { busy: 40, look: 300, looks: 40 };

/** Limits count what a program of one account does in a minute, and would end a flood before it is one. */
const MANY = "100000/60";
const UNLIMITED = {
  WEBHOOK_PRIVATE: "allow",
  ...Object.fromEntries(
    [
      ...["LOGIN", "REGISTER", "REFRESH", "ACCOUNT", "STRANGERS", "PASSWORD_RESET", "MAIL", "MCP_LOGIN"],
      ...["CLIENT_REGISTRATION", "CLIENT_METADATA", "WEBHOOK_TEST"],
    ].map((name) => [`RATE_LIMIT_${name}`, MANY]),
  ),
};

/** A kind of request, and how to make all of a flood. */
type Row = { name: string; make: () => Promise<Sent[]> };

function rowOfOperation(operation: Operation, description: Description, heavy: Owner): Row {
  const { operationId } = operation;
  const special: Special = OPERATIONS[operationId] ?? {};
  const count = special.count ?? (operation.isOpen ? OF_STRANGER : OF_ACCOUNT);
  const make = async () => {
    const owner = special.isFinal ? await ownOwner(heavy, operationId) : heavy;
    await special.prepare?.(owner);
    return repeated(count, (number) =>
      requestOf(operation, owner, special.parts?.(owner, number) ?? {}, description),
    );
  };
  return { name: operationId, make };
}

/** Throws if the tables say something about what is not published. */
function checkNames(known: string[], said: object): void {
  const unknown = Object.keys(said).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`Nothing published is called ${unknown.join(", ")}`);
}

const lateness = ({ operationId }: Operation) => {
  const { isLate, isFinal } = OPERATIONS[operationId] ?? {};
  return isFinal ? 2 : isLate ? 1 : 0;
};

async function rowsOf(heavy: Owner): Promise<Row[]> {
  const description = await describe(heavy.apiUrl);
  const tools = await publishedTools(heavy);
  checkNames(
    description.operations.map(({ operationId }) => operationId),
    OPERATIONS,
  );
  checkNames(
    tools.map(({ name }) => name),
    TOOLS,
  );
  const hostile = [
    ...OF_STRANGERS.map((kind) => ({ count: OF_STRANGER, ...kind })),
    ...OF_THE_ACCOUNT.map((kind) => ({ count: OF_ACCOUNT, ...kind })),
  ].map(({ name, count, make }) => ({
    name: `hostile: ${name}`,
    make: async () => repeated(count, (number) => make(heavy, number)),
  }));
  const calls = tools.map((tool) => ({
    name: `tool: ${tool.name}`,
    make: async () => repeated(OF_ACCOUNT, () => callOf(tool, heavy)),
  }));
  const operations = description.operations.map((operation) => ({
    when: lateness(operation),
    ...rowOfOperation(operation, description, heavy),
  }));
  const at = (moment: number) => operations.filter(({ when }) => when === moment);
  return [...at(0), ...calls, ...hostile, ...at(1), ...at(2)];
}

type Measured = { name: string; count: number } & Flooded;

const isOver = ({ list, health }: Flooded) =>
  Math.max(list.longest, health.longest) > GOAL_MS || list.problems.length + health.problems.length > 0;

const shownStatuses = (statuses: Map<string, number>) =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ");

function shown(measured: Measured): (string | number)[] {
  const { name, count, list, health, took, statuses } = measured;
  const problems = [...list.problems, ...health.problems];
  return [
    ...[name, count, list.longest, health.longest, took.toFixed(0), shownStatuses(statuses)],
    isOver(measured) ? `over${problems.length > 0 ? `, refused: ${problems.join(" ")}` : ""}` : "ok",
  ];
}

/** Waits until what earlier floods left behind has been done. */
async function untilRest(processorTime: () => number): Promise<void> {
  for (let look = 0; look < REST.looks; look++) {
    const before = processorTime();
    await sleep(REST.look);
    if (processorTime() - before < REST.busy) return;
  }
}

/** Measures and prints how long others wait beside each flood. False if anybody waits too long. */
export async function benchFloods(stateDir: string, only = ""): Promise<boolean> {
  const { pid, stop, ...urls } = await startCopy(here, stateDir, await freePorts(), UNLIMITED);
  const runtime = runtimeOf(pid);
  const [heavy, small] = [await heavyOwner(urls), await smallOwner(urls)];
  const donor = await ownOwner(urls, "donor");
  keepExport(await donor.ask<string>("GET", "/api/export"));
  const measured: Measured[] = [];
  const failed: string[] = [];
  const measure = async ({ name, make }: Row) => {
    for (const owner of [heavy, small]) await owner.renew();
    const requests = await make();
    await untilRest(() => processorTimeOf(runtime));
    const token = (small.headers().Authorization ?? "").replace("Bearer ", "");
    const flooded = await flood(requests, { apiUrl: urls.apiUrl, token, runtime });
    const one = { name, count: requests.length, ...flooded };
    measured.push(one);
    console.log(`  ${shown(one).join("  ")}`);
  };
  for (const row of (await rowsOf(heavy)).filter(({ name }) => new RegExp(only).test(name)))
    await measure(row).catch((problem: Error) => failed.push(`${row.name}: ${problem.message}`));
  await stop();
  printTable(
    `The longest that others wait beside a flood, in ms of the runtime's processor time (at most ${GOAL_MS})`,
    ["", "at once", "a list", "/health", "clock until all are answered", "answers", ""],
    measured.map(shown),
  );
  const over = measured.filter(isOver).length;
  console.log(`\n${over} of ${measured.length} rows are over ${GOAL_MS} ms.`);
  if (failed.length > 0) throw new Error(`Not measured:\n${failed.join("\n")}`);
  return over === 0;
}
