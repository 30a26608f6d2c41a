import autocannon from "autocannon";
import { register, startService } from "../test/e2e/service.ts";
import { startScript } from "./processes.ts";
import { median, printTable } from "./table.ts";
import { makeDocument, makeQuery } from "./texts.ts";

const BARE = "bench/workers/wrangler.toml";
const DOCUMENTS = 10_000;
const WRITERS = 16;
const CONNECTIONS = 10;
const ROUNDS = 3;
const SECONDS = 2;

function bodyOf(number: number): string {
  const { title, tags, text } = makeDocument(number);
  return JSON.stringify({ title, tags, content: { format: "markdown", text } });
}

export type Load = { name: string; url: string; request?: () => autocannon.Request };
type Speed = { perSecond: number; p50: number; p99: number };

/** autocannon writes Content-Length into the headers that it is given: shared, they would be the next request's. */
const copyOf = (request: autocannon.Request) => ({ ...request, headers: { ...request.headers } });

async function runOnce({ url, request }: Load): Promise<Speed> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    ...(request && { requests: [{ setupRequest: (base) => copyOf({ ...base, ...request() }) }] }),
  });
  if (result.non2xx + result.errors > 0) throw new Error(`${url}: ${result.non2xx + result.errors} failed`);
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** Medians of a few rounds; the loads take turns, so that a slow minute of the machine meets them all. */
export async function runAll(loads: Load[]): Promise<Map<string, Speed>> {
  const runs = new Map<string, Speed[]>(loads.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const load of loads) runs.get(load.name)?.push(await runOnce(load));
  }
  const middle = (speeds: Speed[], key: keyof Speed) => median(speeds.map((speed) => speed[key]));
  return new Map(
    [...runs].map(([name, speeds]) => [
      name,
      { perSecond: middle(speeds, "perSecond"), p50: middle(speeds, "p50"), p99: middle(speeds, "p99") },
    ]),
  );
}

async function createDocuments(url: string, headers: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const write = async () => {
    while (next < DOCUMENTS) {
      const body = bodyOf(next++);
      const answer = await fetch(`${url}/api/documents`, { method: "POST", headers, body });
      if (answer.status !== 201) throw new Error(`create: ${answer.status} ${await answer.text()}`);
      ids.push(((await answer.json()) as { id: string }).id);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return ids;
}

/** Requests per second and latency of the service at 10,000 documents, beside two bare Workers in the same run. */
export async function benchSpeed(stateDir: string): Promise<void> {
  const service = await startService(stateDir);
  const ok = await startScript("bench/workers/ok.ts", BARE, `${stateDir}-ok`);
  const selectOne = await startScript("bench/workers/select-one.ts", BARE, `${stateDir}-select`);
  const token = await register(service.apiUrl, {
    email: "bench@example.com",
    password: "a password for the bench",
  });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  console.log(`Creating ${DOCUMENTS} documents…`);
  const ids = await createDocuments(service.apiUrl, headers);
  let turn = 0;
  const id = () => ids[(turn++ * 7919) % ids.length];
  const ask = (path: () => string) => () => ({ method: "GET", path: path(), headers }) as const;
  const send = (method: "POST" | "PUT", path: () => string) => () =>
    ({ method, path: path(), headers, body: bodyOf(1e5 + turn++) }) as const;
  const loads: Load[] = [
    { name: "bare Worker: ok", url: ok.url },
    { name: "bare Worker: SELECT 1", url: selectOne.url },
    { name: "health", url: `${service.apiUrl}/health` },
    { name: "create", url: service.apiUrl, request: send("POST", () => "/api/documents") },
    { name: "get", url: service.apiUrl, request: ask(() => `/api/documents/${id()}`) },
    { name: "update", url: service.apiUrl, request: send("PUT", () => `/api/documents/${id()}`) },
    { name: "list", url: service.apiUrl, request: ask(() => "/api/documents") },
    {
      name: "search",
      url: service.apiUrl,
      request: ask(() => `/api/search?q=${encodeURIComponent(makeQuery(turn++))}`),
    },
  ];
  const speeds = await runAll(loads);
  await Promise.all([service.stop(), ok.stop(), selectOne.stop()]);

  const [okSpeed = 1, selectSpeed = 1] = [...speeds.values()].map(({ perSecond }) => perSecond);
  printTable(
    `Speed at ${DOCUMENTS} documents, ${CONNECTIONS} connections (medians of ${ROUNDS} × ${SECONDS} s)`,
    ["request", "per second", "p50 ms", "p99 ms", "÷ ok", "÷ SELECT 1"],
    [...speeds].map(([name, { perSecond, p50, p99 }]) => [
      name,
      perSecond.toFixed(0),
      p50,
      p99,
      (perSecond / okSpeed).toFixed(3),
      (perSecond / selectSpeed).toFixed(2),
    ]),
  );
}
