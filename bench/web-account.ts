import type { Browser, BrowserContext } from "playwright-core";
import { createDocuments } from "../test/e2e/many.ts";
import { register } from "../test/e2e/service.ts";
import { makeDocument } from "./texts.ts";

// The account of somebody who has used the app for years, and its browser.

const DOCUMENTS = 4000;
const RECORDS = 2000;
const AT_ONCE = 100;
const ACCOUNT = { email: "bench@example.com", password: "a password for the bench" };
const LONG_TEXT = 200_000;
const VIEWPORT = { width: 1280, height: 800 };

/** A copy of the service whose app is measured; `long` is its document of 200 kB. */
export type Subject = { name: string; url: string; long: string };

async function post<T>(url: string, token: string, body: unknown): Promise<T> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Records that are due today, so that Today shows as many as it can. */
async function createRecords(url: string, token: string): Promise<void> {
  const due_date = new Date().toISOString().slice(0, 10);
  for (let created = 0; created < RECORDS; created += AT_ONCE) {
    const operations = Array.from({ length: AT_ONCE }, (_, number) => {
      const { title, text } = makeDocument(created + number);
      return { operation: "create", memory_type: "commitment", topic: title, content: text, due_date };
    });
    await post(`${url}/api/memories/bulk`, token, { operations });
  }
}

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

/** Fills a copy of the service. */
export async function fill(name: string, url: string): Promise<Subject> {
  const token = await register(url, ACCOUNT);
  const documents = Array.from({ length: DOCUMENTS }, (_, number) => makeDocument(number));
  await createDocuments(url, token, documents);
  await createRecords(url, token);
  const content = { format: "markdown", text: longText() };
  const { id } = await post<{ id: string }>(`${url}/api/documents`, token, { title: "Long", content });
  return { name, url, long: id };
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
  await asApp(context, url, "/api/auth/login", { ...ACCOUNT, session: "cookie" });
  return context;
}
