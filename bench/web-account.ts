import type { Browser, BrowserContext } from "playwright-core";
import { createMany, documentOf, newAccount, PASSWORD, recordOf, repeated } from "./account.ts";
import type { Running } from "./copies.ts";

// The account of somebody who has used the app for years, and its browser.

const DOCUMENTS = 4000;
const RECORDS = 2000;
const LONG_TEXT = 200_000;
const VIEWPORT = { width: 1280, height: 800 };

/** A copy of the service whose app is measured; `long` is its document of 200 kB. */
export type Subject = { name: string; url: string; long: string };

const SENTENCE =
  "Some words are **strong**, others *soft* or `code`; [the plan](https://example.com/plan) says more. ";

const section = (number: number) =>
  `## Section ${number}\n\n${SENTENCE.repeat(4)}\n\n- first item\n- [ ] a task of ${number}\n  - inner\n\n> A quote.\n\n`;

function longText(): string {
  const parts: string[] = [];
  for (let length = 0; length < LONG_TEXT; length += (parts.at(-1) ?? "").length)
    parts.push(section(parts.length));
  return parts.join("");
}

/** Fills a copy of the service. All records are due today, so that Today shows as many as it can. */
export async function fillApp(running: Running): Promise<Subject> {
  const account = await newAccount(running, "bench");
  await createMany(account, "documents", repeated(DOCUMENTS, documentOf));
  const due_date = new Date().toISOString().slice(0, 10);
  const records = repeated(RECORDS, (number) => ({ ...recordOf(number), due_date }));
  await createMany(account, "memories", records);
  const content = { format: "markdown", text: longText() };
  const { id } = await account.ask<{ id: string }>("POST", "/api/documents", { title: "Long", content });
  return { name: running.copy.name, url: running.apiUrl, long: id };
}

/** Posts something as the app does, in the session of a browser. */
export async function asApp<T>(context: BrowserContext, url: string, path: string, data: object): Promise<T> {
  const headers = { Origin: new URL(url).origin, "X-Requested-With": "commonplace" };
  const answer = await context.request.post(path, { data, headers });
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
}

/** A browser that has nothing of the app but the session. */
export async function signedIn(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT });
  await asApp(context, url, "/api/auth/login", {
    email: "bench@example.com",
    password: PASSWORD,
    session: "cookie",
  });
  return context;
}
