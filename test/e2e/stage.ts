import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { App } from "./app.ts";
import { launch } from "./browser.ts";
import { type Service, startService, temporaryFolder } from "./service.ts";

/** A service of its own and a browser, for the stories of one file. */
export type Stage = { service: Service; browser: Browser };

/** Sets the stage before the tests of a file, and clears it after them. `more` runs once it is set. */
export function stageFor(
  settings: Record<string, string> = {},
  more?: (stage: Stage) => Promise<void>,
): Stage {
  const stage = {} as Stage;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    stage.service = await startService(folder.path, settings);
    stage.browser = await launch();
    await more?.(stage);
  });
  afterAll(async () => {
    await stage.browser?.close();
    await stage.service?.stop();
    await folder?.remove();
  });
  return stage;
}

/** What sends a request to the API: resolves with its answer, or throws if it is refused. */
export type Ask = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

/** Asks with somebody's token. */
export const askWith =
  (apiUrl: string, token: string, headers: Record<string, string> = {}): Ask =>
  async <Answer>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect(answer.ok, `${method} ${path}: ${answer.status} ${text}`).toBe(true);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  };

/** What marks a request as one of the app's own. */
export const OWN = { "Sec-Fetch-Site": "same-origin", "X-Requested-With": "commonplace" };

/** Asks as the app does, in whose browser somebody is signed in. */
export const askAs =
  (app: App, apiUrl: string): Ask =>
  async <Answer>(method: string, path: string, data?: unknown) => {
    const answer = await app.context.request.fetch(apiUrl + path, { method, data, headers: OWN });
    expect(answer.ok(), await answer.text()).toBe(true);
    return (await answer.json()) as Answer;
  };
