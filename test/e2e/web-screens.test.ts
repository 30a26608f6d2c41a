import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TITLED_SCREENS } from "../../src/contract/paths.ts";
import { complete, enter, openApp, overflow, violationsInBoth } from "./app.ts";
import { type Account, launch } from "./browser.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// What holds on every screen: an account with records and documents, whose texts try to run something.

const HOSTILE = `<img src=x onerror="alert(1)"> "quoted" & [link](javascript:alert(1)) \${7*7} {{7*7}}`;
const ACCOUNT: Account = { email: "ada@example.com", password: "correct horse battery" };
const SIZES = { phone: { width: 320, height: 640 }, desk: { width: 1280, height: 800 } };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;
/** How many are looked at below, and how long each may take, axe-core twice included. */
const [SCREENS, SCREEN_MS] = [TITLED_SCREENS.length + 10, 15_000];
/** The screens, with ids of the account's own things. */
let paths: string[];

type Made = { id: string | number };

async function send(method: string, path: string, token: string, body?: unknown): Promise<Made> {
  const answer = await fetch(`${service.apiUrl}${path}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${token}`,
      "X-Client-Name": HOSTILE.slice(0, 60),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (answer.status === 204 ? undefined : await answer.json()) as Made;
}

const post = (path: string, token: string, body: unknown) => send("POST", path, token, body);

/** Addresses that bring a text along. */
const addressed = (text: string) =>
  [
    "/search?q=",
    "/records?project=",
    "/documents/new?text=x&title=",
    "/documents/new?title=x&text=",
    "/share?text=x&url=https://example.com&title=",
  ].map((path) => path + encodeURIComponent(text));

async function fill(): Promise<string[]> {
  const token = await register(service.apiUrl, ACCOUNT);
  await send("PATCH", "/api/auth/me", token, { name: HOSTILE });
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
  await send("PUT", `/api/documents/${document.id}`, token, { title: `Packing ${HOSTILE}` });
  const thrown = await post("/api/documents", token, { title: HOSTILE, content: { [HOSTILE]: HOSTILE } });
  await send("DELETE", `/api/documents/${thrown.id}`, token);
  const kinds = ["commitment", "decision", "blocker", "pattern", "preference", "context"];
  const records = await Promise.all(
    kinds.map((memory_type, n) =>
      post("/api/memories", token, {
        memory_type,
        topic: `${memory_type} ${HOSTILE}`,
        content: HOSTILE,
        project: HOSTILE,
        tags: [HOSTILE.slice(0, 60)],
        ...(n === 0 && { due_date: "2020-01-31", document_id: document.id }),
      }),
    ),
  );
  await post(`/api/memories/${records[1]?.id}/resolve`, token, { resolution_note: HOSTILE });
  await post("/api/api-keys", token, { name: HOSTILE, scopes: ["docs:read"] });
  return [
    ...TITLED_SCREENS.map(({ path }) => path),
    "/search?q=passport",
    "/documents?view=trash",
    `/projects/${encodeURIComponent(HOSTILE)}`,
    `/documents/${document.id}`,
    `/documents/${document.id}?edit`,
    `/documents/${document.id}?versions`,
    `/records/${records[0]?.id}`,
    `/records/${records[1]?.id}`,
    `/records/${records[1]?.id}?versions`,
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

// They wait for the last answers of each screen, so they do it at the same time.
test.concurrent.each(["desk", "phone"] as const)(
  "every screen on a %s is accessible in light and dark, fits, and complains about nothing",
  { timeout: SCREENS * SCREEN_MS },
  async (size) => {
    const app = await openApp(browser, service.apiUrl, { viewport: SIZES[size] });
    await enter(app, ACCOUNT);
    const found: Record<string, string[]> = {};
    expect(paths).toHaveLength(SCREENS);
    for (const path of paths) {
      await app.page.goto(path);
      await complete(app.page);
      const problems = (await overflow(app.page)) > 0 ? ["scrolls sideways"] : [];
      problems.push(...(await violationsInBoth(app.page)));
      if (problems.length > 0) found[path] = problems;
    }
    await app.close();
    expect(found).toEqual({});
    // The page that does not exist is a 404, which the browser reports as well.
    expect(app.complaints).toEqual([
      `404 ${service.apiUrl}/nowhere`,
      "console: Failed to load resource: the server responded with a status of 404 (Not Found)",
    ]);
  },
);

test("what an address or a file brings along runs nothing", async () => {
  const app = await openApp(browser, service.apiUrl);
  await enter(app, ACCOUNT);
  for (const path of addressed(HOSTILE)) {
    await app.page.goto(path);
    await complete(app.page);
  }
  await app.page.goto("/settings/transfer");
  const name = `${HOSTILE.replaceAll("/", ":")}.md`;
  const files = [name, name.replace(".md", ".jpeg")].map((each) => ({
    name: each,
    mimeType: "text/markdown",
    buffer: Buffer.from(`---\ntitle: '${HOSTILE}'\ntags: ['${HOSTILE.slice(0, 60)}']\n---\n${HOSTILE}`),
  }));
  await app.page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles(files);
  await app.page.getByRole("button", { name: "Import 1 document" }).click();
  await app.page.getByRole("heading", { name: /^Import finished/ }).waitFor();
  await app.page.getByRole("main").getByText("onerror").first().waitFor();
  await app.close();
  expect(app.complaints).toEqual([]);
});
