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
