// Requests that were sent while the app's scripts were still on their way (web/src/shell/early.ts).

declare global {
  var begun: Map<string, Promise<Response>> | undefined;
}

/** Sends requests whose answers somebody is going to take. */
export function begin(addresses: readonly string[]): void {
  const headers = { "X-Requested-With": "commonplace" };
  globalThis.begun = new Map(addresses.map((address) => [address, fetch(address, { headers })]));
  // Whoever takes one hears that it failed.
  for (const answer of globalThis.begun.values()) answer.catch(() => undefined);
}

/** The answer to a request that was sent early, once. */
export function takeBegun(address: string): Promise<Response> | undefined {
  const answer = globalThis.begun?.get(address);
  globalThis.begun?.delete(address);
  return answer;
}

/** Lets go of answers that nobody has taken: an answer that is not read keeps its connection. */
export function dropBegun(): void {
  for (const answer of globalThis.begun?.values() ?? [])
    void answer.then(({ body }) => body?.cancel()).catch(() => undefined);
  globalThis.begun = undefined;
}
