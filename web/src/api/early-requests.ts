// Requests sent while the app's scripts are still loading (web/src/shell/early.ts).

declare global {
  var begun: Map<string, Promise<Response>> | undefined;
}

/** Sends GET requests whose responses `takeEarlyResponse` returns later. */
export function sendEarlyRequests(addresses: readonly string[]): void {
  const headers = { "X-Requested-With": "commonplace" };
  globalThis.begun = new Map(addresses.map((address) => [address, fetch(address, { headers })]));
  // Errors are handled by the code that takes the response.
  for (const answer of globalThis.begun.values()) answer.catch(() => undefined);
}

/** The response to an early request. Returned only once. */
export function takeEarlyResponse(address: string): Promise<Response> | undefined {
  const answer = globalThis.begun?.get(address);
  globalThis.begun?.delete(address);
  return answer;
}

/** Cancels responses that were never taken: an unread response holds its connection. */
export function cancelEarlyRequests(): void {
  for (const answer of globalThis.begun?.values() ?? [])
    void answer.then(({ body }) => body?.cancel()).catch(() => undefined);
  globalThis.begun = undefined;
}
