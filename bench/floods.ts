import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { processorTimeOf, runtimeOf } from "../test/e2e/processes.ts";
import {
  type Account,
  bodyOf,
  exchange,
  type Headers,
  importFile,
  isRefusal,
  JSON_TYPE,
  newAccount,
  PASSWORD,
  recordOf,
  repeated,
  type Sent,
} from "./account.ts";
import { type Copy, type Running, startEach } from "./copies.ts";
import { type Figures, type Measured, measureInTurns, printTable, ratioOf, shown } from "./figures.ts";
import { heavyOwner, largeOwner, type Owner, ownOwner } from "./flood-account.ts";
import {
  type Description,
  describe,
  FEWER,
  FINAL,
  keepExport,
  LATE,
  OF_STRANGERS,
  OF_THE_ACCOUNT,
  PREPARED,
  partsOf,
  requestOf,
  SAID_OF,
  TOOLS,
  toolsOf,
} from "./flood-requests.ts";
import { frequentWords, makeLongText, makeText } from "./texts.ts";
import { beside } from "./waiting.ts";

// How long other accounts wait. `floods` sends the same request many times at once, for each published operation, tool and
// hostile request. `blocking` sends single requests of an account with 41 MB of text. All accounts share one thread, so a
// wait is measured in its processor time, which does not depend on the load of this machine.

const OF_ACCOUNT = 60;
const OF_STRANGER = 30;
const FEW = 20;
/** The limit of a wait in processor time. */
const GOAL_MS = 500;
/** A row starts when the runtime was busy for less than `busy` of `look` milliseconds, or after `looks` attempts. */
const REST = { busy: 40, look: 300, looks: 40 };
const PATIENCE_MS = 20_000;
/** A connection for each request, as from separate programs. */
const agent = new Agent({ keepAlive: false });

/** A running copy, the account that sends the floods (`owner`), and the one that waits (`small`). */
type Subject = { running: Running; runtime: number; owner: Owner; small: Account; description: Description };

/** Requests to send at once, `rounds` times. Each is aborted after `patience` milliseconds. */
type Row = {
  name: string;
  rounds: number;
  patience: number;
  make: (subject: Subject, round: number) => Promise<Sent[]>;
};

/** Sends a request. Returns its status, or why it has none. */
async function statusOf(sent: Sent, patience: number): Promise<string> {
  const signal = AbortSignal.timeout(patience);
  const isTool = sent.url.endsWith("/mcp");
  return exchange(sent, { agent, signal, ignoresBody: !isTool }).then(
    ({ status, text }) => `${status}${isTool && isRefusal(text) ? " refused" : ""}`,
    (problem: NodeJS.ErrnoException) =>
      signal.aborted ? `unfinished in ${patience / 1000} s` : (problem.code ?? problem.message),
  );
}

/** Waits until the work of earlier floods has ended. */
async function untilRest(runtime: number): Promise<void> {
  for (let look = 0; look < REST.looks; look++) {
    const before = processorTimeOf(runtime);
    await sleep(REST.look);
    if (processorTimeOf(runtime) - before < REST.busy) return;
  }
}

type Seen = { count: number; answers: string; problems: string[] };

async function flood(row: Row, subject: Subject, round: number, see: (seen: Seen) => void): Promise<Figures> {
  const { owner, small, runtime } = subject;
  for (const one of [owner, small]) await one.renew();
  const requests = await row.make(subject, round);
  await untilRest(runtime);
  const [url, headers] = [small.apiUrl, small.headers()];
  const asked = {
    list: [{ url: `${url}/api/memories?limit=1`, headers }],
    health: [{ url: `${url}/health` }],
  };
  const { result, took, waits } = await beside({ asked, runtime, pause: 5 }, () =>
    Promise.all(requests.map((sent) => statusOf(sent, row.patience))),
  );
  const counts = Map.groupBy(result, (status) => status);
  const answers = [...counts].map(([status, all]) => `${all.length} × ${status}`).join(", ");
  const { list, health } = waits;
  see({ count: requests.length, answers, problems: [list, health].flatMap((of) => of?.problems ?? []) });
  const most = (values: number[] = []) => Math.max(0, ...values);
  return {
    ...{ "a list": most(list?.processor), "/health": most(health?.processor) },
    ...{ "a list, clock": most(list?.clock), "clock until all are answered": took },
  };
}

const COLUMNS = ["a list", "/health", "a list, clock", "clock until all are answered"];

/** Measures and prints the rows. Returns false if a wait is too long. */
async function printRows(title: string, rows: Row[], subjects: Subject[]): Promise<boolean> {
  const cells: (string | number)[][] = [];
  const failed: string[] = [];
  const isOver = ({ figures }: Measured) =>
    (figures.at(-1) ?? []).some((one) => Math.max(one["a list"] ?? 0, one["/health"] ?? 0) > GOAL_MS);
  const measure = async (row: Row) => {
    let last: Seen = { count: 0, answers: "", problems: [] };
    let round = 0;
    const measures = subjects.map(
      (subject) => () =>
        flood(row, subject, round, (seen) => {
          last = seen;
        }),
    );
    const [measured] = await measureInTurns([{ name: row.name, measures }], row.rounds, async () => round++);
    if (!measured) return;
    const problems = last.problems.length > 0 ? `, refused: ${last.problems.join(" ")}` : "";
    const verdict = isOver(measured) || problems ? `over${problems}` : "ok";
    const ratio = ratioOf(measured, "a list")?.toFixed(2) ?? "";
    const figures = COLUMNS.map((column) => shown(measured, column));
    cells.push([row.name, last.count, ...figures, ratio, last.answers, verdict]);
    console.log(`  ${cells.at(-1)?.join("  ")}`);
  };
  for (const row of rows)
    await measure(row).catch((problem: Error) => failed.push(`${row.name}: ${problem.message}`));
  printTable(title, ["", "at once", ...COLUMNS, "ratio", "answers", ""], cells);
  const over = cells.filter((row) => row.at(-1) !== "ok").length;
  console.log(`\n${over} of ${cells.length} rows are over ${GOAL_MS} ms.`);
  if (failed.length > 0) throw new Error(`Not measured:\n${failed.join("\n")}`);
  return over === 0;
}

/** Throws if one of the names is not published. */
function checkNames(published: { name: string }[], said: string[]): void {
  const unknown = said.filter((name) => !published.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`Nothing published is called ${[...new Set(unknown)].join(", ")}`);
}

const lateness = (name: string) => (FINAL.has(name) ? 2 : LATE.has(name) ? 1 : 0);

/** A row for each operation and tool that this commit publishes, and each hostile request. */
async function floodRows({ owner, description }: Subject): Promise<Row[]> {
  const tools = await toolsOf(owner);
  const names = description.operations.map(({ operationId }) => ({ name: operationId }));
  checkNames(names, SAID_OF);
  checkNames(tools, Object.keys(TOOLS));
  const rowOf = (name: string, count: number, make: (owner: Owner) => Sent): Row => ({
    ...{ name, rounds: 1, patience: PATIENCE_MS },
    make: async ({ owner: sender }) => repeated(count, () => make(sender)),
  });
  const countOf = (name: string, isOpen: boolean) =>
    FEWER.has(name) ? FEW : isOpen ? OF_STRANGER : OF_ACCOUNT;
  const operations = description.operations.map(({ operationId: name, isOpen }): Row & { when: number } => ({
    ...{ name, rounds: 1, patience: PATIENCE_MS, when: lateness(name) },
    make: async ({ running, owner: usual, description: published }) => {
      const sender = FINAL.has(name) ? await ownOwner(running, name) : usual;
      const operation = published.operations.find(({ operationId }) => operationId === name);
      if (!operation) throw new Error(`${running.copy.name} does not have it`);
      await PREPARED[name]?.(sender);
      return repeated(countOf(name, isOpen), (number) =>
        requestOf(operation, sender, partsOf(name, sender, number), published),
      );
    },
  }));
  const at = (moment: number) => operations.filter(({ when }) => when === moment);
  return [
    ...at(0),
    ...tools.map(({ name, make }) => rowOf(`tool: ${name}`, OF_ACCOUNT, make)),
    ...OF_STRANGERS.map(({ name, make }) => rowOf(`hostile: ${name}`, OF_STRANGER, make)),
    ...OF_THE_ACCOUNT.map(({ name, count, make }) => rowOf(`hostile: ${name}`, count ?? OF_ACCOUNT, make)),
    ...[...at(1), ...at(2)],
  ];
}

const CHARACTERS = 1_000_000;
const TIMES = 3;
/** The number of texts that one request can change. */
const MANY = 7;

type Made = { method: string; path: string; body?: unknown; headers?: Headers; by?: Account };

/** Makes requests of an account with 41 MB. What these functions send themselves is not measured. */
const OF_41_MB: Record<string, (owner: Owner, turn: number) => Made | Promise<Made>> = {
  "create 1 MB": (_, turn) => newDocument(makeLongText(1000 + turn, CHARACTERS)),
  "create 1 MB of 150,000 different words": (_, turn) => newDocument(makeText(CHARACTERS + turn)),
  "change the title of 1 MB": (owner, turn) => ({
    ...{ method: "PUT", path: pathOf(owner), body: { title: `Changed ${turn}` } },
  }),
  "append to 1 MB": (owner) => ({
    ...{
      method: "POST",
      path: `${pathOf(owner)}/edit`,
      body: { operation: "append", text: "one more line" },
    },
  }),
  "restore a version of 1 MB": async (owner) => {
    const path = pathOf(owner);
    await owner.send("PUT", path, { title: "To be restored" });
    return { method: "POST", path: `${path}/versions/1/restore` };
  },
  "read 1 MB": (owner) => ({ method: "GET", path: pathOf(owner) }),
  list: () => ({ method: "GET", path: "/api/documents?limit=100" }),
  "search for 3 frequent words": () => searching(frequentWords(12)),
  "… of a text of 300 characters": () => searching(makeLongText(3, 300)),
  "… all frequent words that fit": () => searching(frequentWords(500)),
  "… with OR between them": () => searching(frequentWords(500, " OR ")),
  "… a phrase, 100 results, explained": () => searching('"ba de"', "&limit=100&explain=true"),
  "… four beginnings": () => searching("b* d* f* g*"),
  suggest: () => ({ method: "GET", path: "/api/search/suggest?q=ba" }),
  export: () => ({ method: "GET", path: "/api/export" }),
  "rename the tag of 41 documents": async (owner, turn) => {
    const { items } = await owner.ask<{ items: { name: string }[] }>("GET", "/api/tags");
    return { method: "PUT", path: `/api/tags/${items[0]?.name}`, body: { name: `large${turn + 1}` } };
  },
  "change 7 titles at once": (owner, turn) =>
    inOne(owner, { operation: "update", title: `Together ${turn}` }),
  "tag 7 at once": (owner, turn) => inOne(owner, { operation: "add_tags", tags: [`together${turn}`] }),
  "undo 7 changes": async (owner) => {
    const { items } = await owner.ask<{ items: { id: number }[] }>("GET", `/api/activity?limit=${MANY}`);
    return { method: "POST", path: "/api/activity/undo", body: { ids: items.map(({ id }) => id) } };
  },
  "move to the trash": (owner) => ({ method: "DELETE", path: pathOf(owner) }),
  "restore from the trash": async (owner) => {
    const path = pathOf(owner);
    await owner.send("DELETE", path);
    return { method: "POST", path: `${path}/restore` };
  },
  "delete a folder of 7": async (owner) => {
    const { id } = await owner.ask<{ id: string }>("POST", "/api/folders", { name: "Long" });
    const { path, body } = inOne(owner, { operation: "move", folder_id: id });
    await owner.send("POST", path, body);
    return { method: "DELETE", path: `/api/folders/${id}?on_content=trash` };
  },
  "empty the trash": () => ({ method: "DELETE", path: "/api/trash" }),
  "import 41 MB": async (owner, turn) => {
    const body = await owner.send("GET", "/api/export");
    const by = await newAccount(owner, `import${turn}`);
    return {
      by,
      method: "POST",
      path: "/api/import",
      body,
      headers: { "Content-Type": "application/x-ndjson" },
    };
  },
  "erase an account with 41 MB": async (owner, turn) => {
    const by = await newAccount(owner, `erased${turn}`);
    await importFile(by, await owner.send("GET", "/api/export"));
    return { by, method: "DELETE", path: "/api/auth/me", body: { password: PASSWORD } };
  },
};

const newDocument = (text: string): Made => ({
  ...{
    method: "POST",
    path: "/api/documents",
    body: { title: "New", content: { format: "markdown", text } },
  },
});
const pathOf = (owner: Owner) => `/api/documents/${owner.next("document_id")}`;
const searching = (q: string, more = ""): Made => ({
  ...{ method: "GET", path: `/api/search?q=${encodeURIComponent(q)}${more}` },
});
const inOne = (owner: Owner, operation: object): Made => {
  const operations = repeated(MANY, () => ({ id: owner.next("document_id"), ...operation }));
  return { method: "POST", path: "/api/documents/bulk", body: { operations } };
};

const blockingRows = (): Row[] =>
  Object.entries(OF_41_MB).map(([name, of]) => ({
    ...{ name, rounds: TIMES, patience: 600_000 },
    make: async ({ owner }, turn) => {
      const { by = owner, method, path, body, headers } = await of(owner, turn);
      const all = { ...JSON_TYPE, ...by.headers(), ...headers };
      return [{ url: by.apiUrl + path, method, headers: all, body: bodyOf(body) }];
    },
  }));

const startSubjects = (
  copies: Copy[],
  stateDir: string,
  newSender: (running: Running) => Promise<Owner>,
): Promise<Subject[]> =>
  startEach(copies, stateDir, async (running) => {
    const owner = await newSender(running);
    const small = await newAccount(running, "small");
    await small.send("POST", "/api/memories", recordOf(1));
    const description = await describe(running.apiUrl);
    return { running, runtime: runtimeOf(running.pid), owner, small, description };
  });

const matching = (rows: Row[], only: string) => rows.filter(({ name }) => new RegExp(only).test(name));

/** Measures and prints the waits during each flood. Returns false if one is too long. */
export async function benchFloods(copies: Copy[], stateDir: string, only = ""): Promise<boolean> {
  const subjects = await startSubjects(copies, stateDir, heavyOwner);
  const [first, now = first] = subjects;
  if (!first || !now) return true;
  // From the older commit, because a commit can read the exports of earlier ones.
  keepExport(await (await ownOwner(first.running, "donor")).send("GET", "/api/export"));
  const title = `The longest that others wait beside a flood, in ms of the runtime's processor time (at most ${GOAL_MS})`;
  const isKept = await printRows(title, matching(await floodRows(now), only), subjects);
  for (const { running } of subjects) await running.stop();
  return isKept;
}

/** Measures and prints the waits during single requests of an account with 41 MB of text. */
export async function benchBlocking(copies: Copy[], stateDir: string, only = ""): Promise<void> {
  const subjects = await startSubjects(copies, stateDir, largeOwner);
  const title = `The longest that others wait while an account with 41 MB sends a request, in ms (median of ${TIMES})`;
  await printRows(title, matching(blockingRows(), only), subjects);
  for (const { running } of subjects) await running.stop();
}
