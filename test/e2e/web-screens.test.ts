import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { TITLED_SCREENS } from "../../src/contract/paths.ts";
import { complete, enter, openApp, overflow, violationsInBoth } from "./app.ts";
import { type Ask, askWith } from "./ask.ts";
import { newPerson, openAs, type Person, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// What holds on every screen: an account with records and documents, whose texts try to run something.

const HOSTILE = `<img src=x onerror="alert(1)"> "quoted" & [link](javascript:alert(1)) \${7*7} {{7*7}}`;
const SIZES = { phone: { width: 320, height: 640 }, desk: { width: 1280, height: 800 } };

/** How many are looked at below, and how long each may take, axe-core twice included. */
const [SCREENS, SCREEN_MS] = [TITLED_SCREENS.length + 11, 15_000];
let ada: Person;
/** The screens, with ids of the account's own things. */
let paths: string[];

type Made = { id: string | number };

/** Addresses that bring a text along. */
const addressed = (text: string) =>
  [
    "/search?q=",
    "/records?project=",
    "/documents/new?text=x&title=",
    "/documents/new?title=x&text=",
    "/share?text=x&url=https://example.com&title=",
  ].map((path) => path + encodeURIComponent(text));

async function fill(ask: Ask): Promise<string[]> {
  const post = (path: string, body: object) => ask<Made>("POST", path, body);
  const tag = HOSTILE.slice(0, 60);
  await ask("PATCH", "/api/auth/me", { name: HOSTILE });
  const { id: folder_id } = await post("/api/folders", { name: HOSTILE });
  const text = `# Packing\n\n${HOSTILE}\n\n- [ ] passport\n\n| a | b |\n|---|---|\n| 1 | 2 |`;
  const filed = { tags: ["travel", tag], folder_id };
  const document = await createDocument(ask, `Packing list ${HOSTILE}`, text, filed);
  await ask("PUT", `/api/documents/${document}`, { title: `Packing ${HOSTILE}` });
  const thrown = await post("/api/documents", { title: HOSTILE, content: { [HOSTILE]: HOSTILE } });
  await ask("DELETE", `/api/documents/${thrown.id}`);
  const kinds = ["commitment", "decision", "blocker", "pattern", "preference", "context"];
  const records = await Promise.all(
    kinds.map((memory_type, n) =>
      post("/api/memories", {
        ...{ memory_type, topic: `${memory_type} ${HOSTILE}`, content: HOSTILE },
        ...{ project: HOSTILE, tags: [tag] },
        ...(n === 0 && { due_date: "2020-01-31", document_id: document }),
      }),
    ),
  );
  await post(`/api/memories/${records[1]?.id}/resolve`, { resolution_note: HOSTILE });
  await post("/api/api-keys", { name: HOSTILE, scopes: ["docs:read"] });
  return [
    ...TITLED_SCREENS.map(({ path }) => path),
    "/search?q=passport+tag:travel",
    "/settings#notifications",
    "/documents?view=trash",
    `/projects/${encodeURIComponent(HOSTILE)}`,
    `/documents/${document}`,
    `/documents/${document}?edit`,
    `/documents/${document}?versions`,
    `/records/${records[0]?.id}`,
    `/records/${records[1]?.id}`,
    `/records/${records[1]?.id}?versions`,
    "/nowhere",
  ];
}

/** What opens above a screen, and scrolls. */
const OPENED: [path: RegExp, open: (page: Page) => Promise<void>][] = [
  [
    /^\/records$/,
    async function palette(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("menuitem").first().waitFor();
    },
  ],
];

const stage = stageFor({}, async ({ service }) => {
  ada = await newPerson(stage);
  paths = await fill(askWith(service.apiUrl, ada.token, { "X-Client-Name": HOSTILE.slice(0, 60) }));
});

// They wait for the last answers of each screen, so they do it at the same time.
test.concurrent.each(["desk", "phone"] as const)(
  "every screen on a %s is accessible in light and dark, fits, and complains about nothing",
  { timeout: SCREENS * SCREEN_MS },
  async (size) => {
    const app = await openApp(stage.browser, stage.service.apiUrl, { viewport: SIZES[size] });
    await enter(app, ada);
    const found: Record<string, string[]> = {};
    expect(paths).toHaveLength(SCREENS);
    for (const path of paths) {
      await app.page.goto(path);
      await complete(app.page);
      const problems = (await overflow(app.page)) > 0 ? ["scrolls sideways"] : [];
      problems.push(...(await violationsInBoth(app.page)));
      if (problems.length > 0) found[path] = problems;
    }
    await app.page.setViewportSize({ ...SIZES[size], height: 400 });
    for (const [path, open] of OPENED) {
      await app.page.goto(paths.find((one) => path.test(one)) ?? "/");
      await complete(app.page);
      await open(app.page);
      const problems = await violationsInBoth(app.page);
      if (problems.length > 0) found[open.name] = problems;
    }
    await app.close();
    expect(found).toEqual({});
    // The page that does not exist is a 404, which the browser reports as well.
    expect(app.complaints).toEqual([
      `404 ${stage.service.apiUrl}/nowhere`,
      "console: Failed to load resource: the server responded with a status of 404 (Not Found)",
    ]);
  },
);

test("what an address, a title or a file brings along runs nothing", async () => {
  const { page, complaints } = await openAs(stage, "/", { person: ada });
  for (const path of addressed(HOSTILE)) {
    await page.goto(path);
    await complete(page);
  }
  await page.goto("/");
  await complete(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Palette" }).locator("input:focus").waitFor();
  await page.keyboard.type("packing");
  await page
    .getByRole("menuitem", { name: /^Packing/ })
    .first()
    .waitFor();
  await page.goto("/settings/transfer");
  const name = `${HOSTILE.replaceAll("/", ":")}.md`;
  const files = [name, name.replace(".md", ".jpeg")].map((each) => ({
    ...{ name: each, mimeType: "text/markdown" },
    buffer: Buffer.from(`---\ntitle: '${HOSTILE}'\ntags: ['${HOSTILE.slice(0, 60)}']\n---\n${HOSTILE}`),
  }));
  await page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles(files);
  await page.getByRole("button", { name: "Import 1 document" }).click();
  await page.getByRole("heading", { name: /^Import finished/ }).waitFor();
  await page.getByRole("main").getByText("onerror").first().waitFor();
  expect(complaints).toEqual([]);
});

test.each([
  "zebra [x](#%ff)",
  "zebra ![x](/api/nothing) ![y](/authorize?client_id=x)",
  `zebra\n\n${"a\n=\n".repeat(50_000)}`,
  `zebra\n\n${">".repeat(100_000)}`,
  `zebra\n\n${"- a\n".repeat(500)}`,
])("a document can be read, and left, although it says %#", async (text) => {
  const id = await createDocument(ada.ask, "Hostile", text);
  const { page, complaints } = await openAs(stage, `/documents/${id}`, { person: ada });
  await page.getByRole("article").getByText("zebra").waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Documents" }).click();
  await page.waitForURL("**/documents");
  expect(complaints.filter((one) => /error:|\/api\/nothing|\/authorize|left/.test(one))).toEqual([]);
});
