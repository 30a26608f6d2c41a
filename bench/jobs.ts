import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "../src/contract/jobs.ts";
import { fillAccount } from "../test/e2e/large.ts";
import { runtimeOf } from "../test/e2e/processes.ts";
import { openState } from "../test/e2e/state.ts";
import { type Account, fill, importFile, moveTo, newAccount, PASSWORD, repeated, send } from "./account.ts";
import { here, startCopy } from "./copies.ts";
import { type Figures, printTable, quantile } from "./figures.ts";
import { makeDocument, makeQuery } from "./texts.ts";
import { beside, type Waits } from "./waiting.ts";

// How long jobs on an account with very many documents take, and how long other accounts wait for a list and a search
// meanwhile.

const CHARACTERS = 300;
const QUIET_MS = 20_000;
const LOOK_MS = 500;
/** The limit of the additional wait. */
const GOAL_MS = 100;

/** Sends a request, and waits until the job it starts has ended. */
async function done(
  { apiUrl, headers }: Account,
  method: string,
  path: string,
  body?: string,
): Promise<void> {
  const type = { "Content-Type": "application/json" };
  const answer = await send({ url: apiUrl + path, method, headers: { ...headers(), ...type }, body });
  const job = String(answer.headers.location ?? "");
  while (job.startsWith("/api/jobs/")) {
    const { text } = await send({ url: `${apiUrl}${job}?wait=30`, headers: headers() });
    const { state, detail }: Job = JSON.parse(text);
    if (state === "done") return;
    if (state !== "running") throw new Error(`${job} is ${state}: ${detail}`);
  }
}

/** Deletes an account, and waits until everything in it is erased. */
async function erase(stateDir: string, account: Account): Promise<void> {
  const database = openState(stateDir);
  const closed = database.prepare("SELECT 1 FROM users WHERE deleted_at IS NOT NULL");
  await account.send("DELETE", "/api/auth/me", { password: PASSWORD });
  while (closed.get()) await sleep(LOOK_MS);
  database.close();
}

type Accounts = { large: Account; copy: Account; small: Account };

/** The jobs to measure, in this order. */
function worksOf(
  stateDir: string,
  { large, copy }: Accounts,
  folder: string,
): Record<string, () => Promise<unknown>> {
  let exported = "";
  return {
    "nothing else": () => sleep(QUIET_MS),
    "rename the tag of all": () => done(large, "PUT", "/api/tags/large", '{"name":"huge"}'),
    "export all": async () => {
      exported = await large.send("GET", "/api/export");
    },
    "delete a folder with half of them": () =>
      done(large, "DELETE", `/api/folders/${folder}?on_content=trash`),
    "empty the trash": () => done(large, "DELETE", "/api/trash"),
    "erase the account": () => erase(stateDir, large),
    "import what was exported": () => importFile(copy, exported),
  };
}

const SHARES = [0.5, 0.95, 0.99];

const figuresOf = (waits: Record<string, Waits>): Figures =>
  Object.fromEntries(
    Object.entries(waits).flatMap(([kind, { clock }]) =>
      SHARES.map((share) => [`${kind} p${share * 100}`, quantile(clock, share)]),
    ),
  );

/**
 * Measures and prints the jobs. Returns false if others wait too long.
 *
 * @param only a pattern for the names of the jobs; the import needs the export
 */
export async function benchJobs(stateDir: string, documents: number, only = ""): Promise<boolean> {
  const count = documents.toLocaleString("en");
  console.log(`Filling an account with ${count} documents…`);
  const first = await startCopy(here, stateDir);
  const [large, copy, small] = [
    ...[await newAccount(first, "large"), await newAccount(first, "copy"), await newAccount(first, "small")],
  ] as const;
  await fill(small, { documents: 200, records: 100 });
  await first.stop();
  const database = openState(stateDir);
  const folder = fillAccount(database, large.email, {
    ...{ documents, tags: ["large"], inFolder: { name: "Half of it", documents: documents / 2 } },
    textOf: (number) => makeDocument(number).text.slice(0, CHARACTERS),
  });
  database.close();
  const { apiUrl, mcpUrl, pid, stop } = await startCopy(here, stateDir, first.ports);
  for (const account of [large, copy, small]) await moveTo(account, { apiUrl, mcpUrl });
  const ask = (path: string) => ({
    url: `${apiUrl}${path}`,
    headers: { Authorization: `Bearer ${small.mcpToken}` },
  });
  const searches = repeated(1000, (turn) =>
    ask(`/api/search?q=${encodeURIComponent(makeQuery(turn))}&limit=10`),
  );
  const asked = { list: [ask("/api/documents?limit=10")], search: searches };
  const measured: { name: string; seconds: number; figures: Figures }[] = [];
  for (const [name, work] of Object.entries(worksOf(stateDir, { large, copy, small }, folder ?? ""))) {
    if (measured.length > 0 && !new RegExp(only).test(name)) continue;
    await Promise.all([large, copy].map((account) => account.renew().catch(() => undefined)));
    const { took, waits } = await beside({ asked, runtime: runtimeOf(pid), pause: 100 }, work);
    measured.push({ name, seconds: took / 1000, figures: figuresOf(waits) });
    console.log(`  ${name}: ${(took / 1000).toFixed(0)} s`);
  }
  await stop();
  const names = Object.keys(measured[0]?.figures ?? {});
  /** The largest additional wait: of the list's and the search's median and p95. */
  const later = (figures: Figures) =>
    Math.max(
      ...names
        .filter((name) => !name.endsWith("p99"))
        .map((name) => (figures[name] ?? 0) - (measured[0]?.figures[name] ?? 0)),
    );
  printTable(
    `Work on ${count} documents, and what others wait beside it, in ms`,
    ["", "s", ...names, `later (${GOAL_MS})`],
    measured.map(({ name, seconds, figures }) => [
      ...[name, seconds.toFixed(1), ...names.map((one) => figures[one]?.toFixed(0) ?? "")],
      later(figures).toFixed(0),
    ]),
  );
  return measured.every(({ figures }) => later(figures) <= GOAL_MS);
}
