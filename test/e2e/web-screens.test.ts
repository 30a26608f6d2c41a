import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enter, openApp, overflow, violations } from "./app.ts";
import { type Account, launch } from "./browser.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// What holds on every screen: an account with records and documents, whose texts try to run something.

const HOSTILE = `<img src=x onerror="alert(1)"> "quoted" & [link](javascript:alert(1)) \${7*7} {{7*7}}`;
const ACCOUNT: Account = { email: "ada@example.com", password: "correct horse battery" };
const SIZES = { phone: { width: 320, height: 640 }, desk: { width: 1280, height: 800 } };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;
/** The screens, with ids of the account's own things. */
let paths: string[];

async function post(path: string, token: string, body: unknown): Promise<{ id: string | number }> {
  const answer = await fetch(`${service.apiUrl}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string | number };
}

async function fill(): Promise<string[]> {
  const token = await register(service.apiUrl, ACCOUNT);
  const { id: folder_id } = await post("/api/folders", token, { name: HOSTILE });
  const document = await post("/api/documents", token, {
    title: `Packing list ${HOSTILE}`,
    tags: ["travel", HOSTILE.slice(0, 60)],
    folder_id,
    content: {
      format: "markdown",
      text: `# Packing\n\n${HOSTILE}\n\n- [ ] passport\n\n| a | b |\n|---|---|\n| 1 | 2 |`,
    },
  });
  const kinds = ["commitment", "decision", "blocker", "pattern", "preference", "context"];
  const records = await Promise.all(
    kinds.map((memory_type, n) =>
      post("/api/memories", token, {
        memory_type,
        topic: `${memory_type} ${HOSTILE}`,
        content: HOSTILE,
        project: "Apollo",
        tags: ["x"],
        ...(n === 0 && { due_date: "2020-01-31", document_id: document.id }),
      }),
    ),
  );
  await post("/api/api-keys", token, { name: HOSTILE, scopes: ["docs:read"] });
  return [
    "/",
    "/search",
    "/search?q=passport",
    "/documents",
    "/documents?view=trash",
    `/documents/${document.id}`,
    "/records",
    `/records/${records[0]?.id}`,
    "/history",
    "/settings",
    "/settings/connections",
    "/settings/transfer",
    "/nowhere",
  ];
}

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path);
  browser = await launch();
  paths = await fill();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each(["desk", "phone"] as const)(
    "every screen on a %s is accessible, fits, and complains about nothing",
    async (size) => {
      const app = await openApp(browser, service.apiUrl, { colorScheme, viewport: SIZES[size] });
      await enter(app, ACCOUNT);
      const found: Record<string, string[]> = {};
      for (const path of paths) {
        await app.page.goto(path, { waitUntil: "networkidle" });
        await app.page.getByRole("heading", { level: 1 }).first().waitFor();
        const problems = await violations(app.page);
        if ((await overflow(app.page)) > 0) problems.push("scrolls sideways");
        if (problems.length > 0) found[path] = problems;
      }
      await app.close();
      expect(found).toEqual({});
      expect(app.complaints).toEqual([]);
    },
  );
});
