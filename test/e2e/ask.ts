import type { App } from "./app.ts";

/** What sends a request to the API: resolves with its answer, or throws if it is refused. */
export type Ask = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

async function answerOf<Answer>(request: string, status: number, text: string): Promise<Answer> {
  if (status >= 400) throw new Error(`${request}: ${status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

/** Sends requests with a token. */
export const askWith =
  (apiUrl: string, token: string, headers: Record<string, string> = {}): Ask =>
  async (method, path, body) => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answerOf(`${method} ${path}`, answer.status, await answer.text());
  };

/** What marks a request as one of the app's own. */
export const OWN = { "Sec-Fetch-Site": "same-origin", "X-Requested-With": "commonplace" };

/** Sends requests as the app in a browser does. */
export const askAs =
  (app: App, apiUrl: string): Ask =>
  async (method, path, data) => {
    const answer = await app.context.request.fetch(apiUrl + path, { method, data, headers: OWN });
    return answerOf(`${method} ${path}`, answer.status(), await answer.text());
  };
