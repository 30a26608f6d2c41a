import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { register, type Service, startService, temporaryFolder } from "./service.ts";
import { openState } from "./state.ts";

const run = promisify(execFile);

const ADMIN = { email: "admin@example.com", password: "a long password" };
const DOCUMENTS = 500;
const AT_ONCE = 100;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
});

afterEach(async () => {
  await service?.stop();
  await folder.remove();
});

type Ask = (path: string, body?: unknown) => Promise<Record<string, unknown>>;

const asUser = (apiUrl: string, token: string): Ask => {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return async (path, body) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${apiUrl}/api${path}`, { headers, ...init });
    expect(answer.status, path).toBe(200);
    return (await answer.json()) as Record<string, unknown>;
  };
};

async function fill(ask: Ask): Promise<void> {
  for (let first = 0; first < DOCUMENTS; first += AT_ONCE) {
    const operations = Array.from({ length: AT_ONCE }, (_, index) => ({
      operation: "create",
      title: `Note ${first + index}`,
      content: { text: `shared word${first + index}` },
    }));
    await ask("/documents/bulk", { operations });
  }
}

const total = async (ask: Ask, q: string) => (await ask(`/search?q=${q}`)).total;

test("reindexing that is killed is resumed, and search keeps working meanwhile", async () => {
  service = await startService(folder.path);
  const token = await register(service.apiUrl, ADMIN);
  const ask = asUser(service.apiUrl, token);
  await fill(ask);

  expect(await ask("/search/reindex", { all: true })).toEqual({ indexed: 50, remaining: DOCUMENTS - 50 });
  expect(await total(ask, "shared")).toBe(DOCUMENTS);
  const cutOff = ask("/search/reindex", {}).catch(() => undefined);
  expect(await total(ask, "shared")).toBe(DOCUMENTS);
  await service.kill();
  await cutOff;

  const stopped = openState(folder.path);
  stopped.exec("INSERT INTO search_index (search_index) VALUES ('integrity-check')");
  const due = stopped.prepare("SELECT count(*) AS n FROM search_entries WHERE index_version = 0").get()?.n;
  stopped.close();
  expect(due).toBeGreaterThan(0);

  service = await startService(folder.path);
  const { url, email, password } = { url: service.apiUrl, ...ADMIN };
  const flags = ["--url", url, "--email", email, "--password", password];
  const { stdout } = await run("npm", ["run", "reindex", "--silent", "--", ...flags]);
  expect(stdout).toContain("none left");
  const again = asUser(service.apiUrl, token);
  expect(await total(again, "shared")).toBe(DOCUMENTS);
  for (let number = 0; number < DOCUMENTS; number += 25) expect(await total(again, `word${number}`)).toBe(1);
  await service.stop();
  service = undefined;

  const database = openState(folder.path);
  database.exec("INSERT INTO search_index (search_index) VALUES ('integrity-check')");
  const behind = database.prepare("SELECT count(*) AS n FROM search_entries WHERE index_version = 0").get();
  expect(behind).toEqual({ n: 0 });
  database.close();
});
