import { setTimeout as sleep } from "node:timers/promises";
import { freePorts, register } from "../test/e2e/service.ts";
import { here, startCopy } from "./copies.ts";
import { median, printTable } from "./table.ts";
import { frequentWords, makeLongText } from "./texts.ts";

// How long others wait while somebody sends what costs the most, all at once: sign-ins of nobody, registrations,
// downloads of the largest public text, and searches for a phrase in an account of 15 long texts.

const SIGN_INS = 100;
const REGISTRATIONS = 60;
const SEARCHES = 20;
const DOWNLOADS = 100;
const DOCUMENTS = 15;
const CHARACTERS = 900_000;
const TIMES = 3;
const QUIET_MS = 1000;
const PASSWORD = "a password for the bench";

const JSON_TYPE = { "Content-Type": "application/json" };

/** Sends requests at once, and returns how many were answered with each status. */
async function flood(requests: (() => Promise<Response>)[]): Promise<Map<number, number>> {
  const statuses = await Promise.all(
    requests.map(async (send) => {
      const answer = await send();
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

const repeated = <Item>(count: number, make: (number: number) => Item) =>
  Array.from({ length: count }, (_, number) => make(number));

/** Asks for the same again and again until it is stopped, and notes how many milliseconds each answer took. */
function keepAsking(ask: () => Promise<Response>) {
  const waits: number[] = [];
  let isStopped = false;
  const asking = (async () => {
    while (!isStopped) {
      const start = performance.now();
      const answer = await ask();
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
      waits.push(performance.now() - start);
      await sleep(10);
    }
  })();
  const stop = () => {
    isStopped = true;
    return asking;
  };
  return { take: () => waits.splice(0), stop };
}

/** What is sent at once, by name. */
function floodsOf(
  url: string,
  token: string,
): Record<string, (turn: number) => Promise<Map<number, number>>> {
  const post = (path: string, body: object) => () =>
    fetch(url + path, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
  const account = (name: string) => ({ email: `${name}@example.com`, password: PASSWORD });
  const query = `${url}/api/search?q=${encodeURIComponent(`"${frequentWords(9)}"`)}&limit=100`;
  return {
    "nothing else": async () => {
      await sleep(QUIET_MS);
      return new Map();
    },
    [`${SIGN_INS} sign-ins of nobody`]: (turn) =>
      flood(repeated(SIGN_INS, (number) => post("/api/auth/login", account(`nobody${turn}-${number}`)))),
    [`${REGISTRATIONS} registrations`]: (turn) =>
      flood(repeated(REGISTRATIONS, (number) => post("/api/auth/register", account(`new${turn}-${number}`)))),
    [`${DOWNLOADS} downloads of the API's description`]: () =>
      flood(repeated(DOWNLOADS, () => () => fetch(`${url}/openapi.json`))),
    [`${SEARCHES} searches for a phrase in ${DOCUMENTS} texts of 900 kB`]: () =>
      flood(repeated(SEARCHES, () => () => fetch(query, { headers: { Authorization: `Bearer ${token}` } }))),
  };
}

/** A short list of an account with one document. */
async function smallList(url: string): Promise<() => Promise<Response>> {
  const headers = {
    Authorization: `Bearer ${await register(url, { email: "small@example.com", password: PASSWORD })}`,
  };
  const body = JSON.stringify({ title: "Small" });
  await fetch(`${url}/api/documents`, { method: "POST", headers: { ...headers, ...JSON_TYPE }, body });
  return () => fetch(`${url}/api/documents?limit=1`, { headers });
}

/** The token of a new account with the long texts. */
async function largeAccount(url: string): Promise<string> {
  const token = await register(url, { email: "large@example.com", password: PASSWORD });
  for (let number = 0; number < DOCUMENTS; number++) {
    const content = { format: "markdown", text: makeLongText(number, CHARACTERS) };
    const answer = await fetch(`${url}/api/documents`, {
      method: "POST",
      headers: { ...JSON_TYPE, Authorization: `Bearer ${token}` },
      body: JSON.stringify({ title: `Long ${number}`, content }),
    });
    if (!answer.ok) throw new Error(`Creating a long text: ${answer.status}`);
  }
  return token;
}

/** Measures and prints how long others wait while somebody sends many costly requests at once. */
export async function benchFloods(stateDir: string): Promise<void> {
  const { apiUrl, stop } = await startCopy(here, stateDir, await freePorts());
  const list = keepAsking(await smallList(apiUrl));
  const health = keepAsking(() => fetch(`${apiUrl}/health`));
  const rows: (string | number)[][] = [];
  for (const [name, send] of Object.entries(floodsOf(apiUrl, await largeAccount(apiUrl)))) {
    const longest: { list: number; health: number; took: number }[] = [];
    let statuses = new Map<number, number>();
    for (let turn = 0; turn < TIMES; turn++) {
      await sleep(QUIET_MS);
      for (const asked of [list, health]) asked.take();
      const start = performance.now();
      statuses = await send(turn);
      const took = performance.now() - start;
      await sleep(QUIET_MS);
      longest.push({ list: Math.max(...list.take()), health: Math.max(...health.take()), took });
    }
    const shown = (of: "list" | "health" | "took") => {
      const all = longest.map((one) => one[of]);
      return `${median(all).toFixed(0)} (${Math.max(...all).toFixed(0)})`;
    };
    const answered = [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
    rows.push([name, shown("list"), shown("health"), shown("took"), answered]);
  }
  await Promise.all([list.stop(), health.stop()]);
  await stop();
  printTable(
    `The longest that others wait, in ms: median (maximum) of ${TIMES} turns`,
    ["at once", "a list", "/health", "until all are answered", "the last turn's answers"],
    rows,
  );
}
