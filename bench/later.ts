import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { requireDatabaseFile } from "../scripts/common/local-database.ts";
import type { Job } from "../src/contract/jobs.ts";
import { fillAccount } from "../test/e2e/large.ts";
import { freePorts } from "../test/e2e/service.ts";
import { here, startCopy } from "./copies.ts";
import { createPeople, PASSWORD, type Person } from "./people.ts";
import { printTable, quantile } from "./table.ts";
import { makeDocument, makeQuery } from "./texts.ts";

// Long work on an account with very many documents: how long it takes, and what somebody else's short list and search
// take beside it.

const SMALL = { documents: 200, records: 100 };
const CHARACTERS = 300;
const FOLDER = "Half of it";
const QUIET_MS = 20_000;
const PAUSE_MS = 100;
const LOOK_MS = 500;
/** How much later somebody else is answered, at most. */
const GOAL_MS = 100;

type Send = (
  method: string,
  path: string,
  init?: { body?: string | Blob; type?: string },
) => Promise<Response>;

/** Sends somebody's requests. Throws unless they succeed. */
const sender =
  (apiUrl: string, token: string): Send =>
  async (method, path, { body, type = "application/json" } = {}) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
    const answer = await fetch(apiUrl + path, { method, headers, ...(body !== undefined && { body }) });
    if (!answer.ok)
      throw new Error(`${method} ${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
    return answer;
  };

type Waits = Record<"list" | "search", number[]>;

/** Asks for a short list and a search again and again until it is stopped, and notes what each took, in ms. */
function keepAsking(send: Send): () => Promise<Waits> {
  const waits: Waits = { list: [], search: [] };
  let isStopped = false;
  const ask = async (kind: keyof Waits, path: string) => {
    const began = performance.now();
    await (await send("GET", path)).arrayBuffer();
    waits[kind].push(performance.now() - began);
  };
  const asking = (async () => {
    for (let turn = 0; !isStopped; turn++) {
      await ask("list", "/api/documents?limit=10");
      await ask("search", `/api/search?q=${encodeURIComponent(makeQuery(turn))}&limit=10`);
      await sleep(PAUSE_MS);
    }
  })();
  return async () => {
    isStopped = true;
    await asking;
    return waits;
  };
}

type Measured = { name: string; seconds: number; waits: Waits };

async function measure(name: string, other: Send, work: () => Promise<unknown>): Promise<Measured> {
  const stop = keepAsking(other);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  const waits = await stop();
  const [list, search] = [waits.list, waits.search].map((of) => quantile(of, 0.95).toFixed(0));
  console.log(`  ${name}: ${seconds.toFixed(0)} s; p95 of a list ${list} ms, of a search ${search}`);
  return { name, seconds, waits };
}

/** Asks for work, and waits for its end. */
async function done(send: Send, ...asked: Parameters<Send>): Promise<void> {
  const job = (await send(...asked)).headers.get("Location");
  while (job?.startsWith("/api/jobs/")) {
    const { state, detail } = (await (await send("GET", `${job}?wait=30`)).json()) as Job;
    if (state === "done") return;
    if (state !== "running") throw new Error(`${job} is ${state}: ${detail}`);
  }
}

type Place = { apiUrl: string; stateDir: string };

const signIn = async ({ apiUrl }: Place, { email }: Person): Promise<Send> => {
  const answer = await sender(apiUrl, "")("POST", "/api/auth/login", {
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return sender(apiUrl, ((await answer.json()) as { access_token: string }).access_token);
};

/** Closes an account, and waits until nothing of it is left. */
async function erase(place: Place, person: Person): Promise<void> {
  const database = new DatabaseSync(requireDatabaseFile(place.stateDir), { readOnly: true, timeout: 30_000 });
  const closed = database.prepare("SELECT 1 FROM users WHERE deleted_at IS NOT NULL");
  await (await signIn(place, person))("DELETE", "/api/auth/me", {
    body: JSON.stringify({ password: PASSWORD }),
  });
  while (closed.get()) await sleep(LOOK_MS);
  database.close();
}

type People = { large: Person; copy: Person; small: Person };

/** What is measured, in this order. */
function worksOf(place: Place, { large, copy }: People, folder: string) {
  const [send, sendCopy] = [sender(place.apiUrl, large.token), sender(place.apiUrl, copy.token)];
  let file = new Blob();
  return {
    "rename the tag of all": () => done(send, "PUT", "/api/tags/large", { body: '{"name":"huge"}' }),
    "export all": async () => {
      file = await (await send("GET", "/api/export")).blob();
    },
    "delete a folder with half of them": () =>
      done(send, "DELETE", `/api/folders/${folder}?on_content=trash`),
    "empty the trash": () => done(send, "DELETE", "/api/trash"),
    "erase the account": () => erase(place, large),
    "import what was exported": () =>
      done(sendCopy, "POST", "/api/import", { body: file, type: "application/x-ndjson" }),
  };
}

async function prepare(stateDir: string, documents: number): Promise<{ people: People; folder: string }> {
  const nobody = { documents: 0, records: 0 };
  const [small] = await createPeople(stateDir, { name: "small", count: 1, size: SMALL });
  const [large, copy] = await createPeople(stateDir, { name: "large", count: 2, size: nobody });
  if (!small || !large || !copy) throw new Error("There are no accounts");
  const database = new DatabaseSync(requireDatabaseFile(stateDir));
  const folder = fillAccount(database, large.email, {
    ...{ documents, tags: ["large"], inFolder: { name: FOLDER, documents: documents / 2 } },
    textOf: (number) => makeDocument(number).text.slice(0, CHARACTERS),
  });
  database.close();
  return { people: { small, large, copy }, folder: folder ?? "" };
}

const SHARES = [0.5, 0.95, 0.99];

/**
 * Prints how long work on so many documents takes, and others beside it. False if others wait too long.
 *
 * @param only a pattern of the names of the works to measure; an import needs the export before it
 */
export async function benchLater(stateDir: string, documents: number, only = ""): Promise<boolean> {
  console.log(`Filling an account with ${documents.toLocaleString("en")} documents…`);
  const { people, folder } = await prepare(stateDir, documents);
  const { apiUrl, stop } = await startCopy(here, stateDir, await freePorts());
  const other = sender(apiUrl, people.small.token);
  const works = { "nothing else": () => sleep(QUIET_MS), ...worksOf({ apiUrl, stateDir }, people, folder) };
  const measured: Measured[] = [];
  for (const [name, work] of Object.entries(works))
    if (measured.length === 0 || new RegExp(only).test(name)) measured.push(await measure(name, other, work));
  await stop();
  const figures = ({ list, search }: Waits) =>
    [list, search].flatMap((waits) => SHARES.map((share) => quantile(waits, share)));
  const atRest = figures(measured[0]?.waits ?? { list: [], search: [] });
  const later = (waits: Waits) => figures(waits).map((value, place) => value - (atRest[place] ?? 0));
  // Of the list and the search, the median and the p95.
  const most = (waits: Waits) => Math.max(...later(waits).filter((_, place) => place % SHARES.length < 2));
  printTable(
    `Work on ${documents.toLocaleString("en")} documents, and what others wait beside it, in ms`,
    ["", "s", "list p50", "p95", "p99", "search p50", "p95", "p99", `later (${GOAL_MS})`],
    measured.map(({ name, seconds, waits }) => [
      ...[name, seconds.toFixed(1)],
      ...figures(waits).map((value) => value.toFixed(0)),
      most(waits).toFixed(0),
    ]),
  );
  return measured.every(({ waits }) => most(waits) <= GOAL_MS);
}
