import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { afterEach } from "vitest";
import { asUser } from "./accounts.ts";
import { type Service, startService, temporaryFolder } from "./service.ts";

// Instances of the service that belong to one test each.

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A folder that is deleted after the test. */
export async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder();
  cleanups.push(remove);
  return path;
}

/** Starts an instance that is stopped after the test. */
export async function start(...options: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(...options);
  cleanups.push(service.stop);
  return service;
}

/** Runs an `npm start` that is expected to fail, and returns its output. */
export async function failedStart(
  environment: Record<string, string>,
): Promise<{ code: number | null; said: string }> {
  const child = spawn("npm", ["start"], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = text(child.stderr);
  const code = await new Promise<number | null>((ended) => child.once("exit", ended));
  return { code, said: await said };
}

export const create = (apiUrl: string, token: string, title: string) =>
  fetch(`${apiUrl}/api/documents`, {
    method: "POST",
    headers: asUser(token),
    body: JSON.stringify({ title }),
  });

/** The titles of all documents, in order. */
export async function titles(apiUrl: string, token: string): Promise<string[]> {
  const answer = await fetch(`${apiUrl}/api/documents?sort=title&limit=100`, { headers: asUser(token) });
  const { items } = (await answer.json()) as { items: { title: string }[] };
  return items.map(({ title }) => title);
}
