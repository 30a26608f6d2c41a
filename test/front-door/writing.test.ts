import type { Page } from "@playwright/test";
import { enter, goOffline, overflow, violations, violationsInBoth, WITH_WORKER } from "../e2e/app.ts";
import type { Ask } from "../e2e/ask.ts";
import { expect, markdown, test } from "./fixtures.ts";

// Documents: written, read, shared, and never lost.

const MARKDOWN = `## What has to happen

- [x] Contract
- [ ] Slides

| Week | Open |
|-----:|-----:|
| 48 | 12 |

See [the list](/documents), [a page](https://example.com/a) and [this](javascript:alert(1)).

![pixel](https://example.com/pixel.png)

<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>

#### How we deploy

    npm run deploy
`;

type Found = { id: string; version: number; title: string; content: { text: string } };

/** The fields of an editor, and what the service has of the document. */
const writing = (page: Page, ask: Ask) => ({
  title: page.getByRole("textbox", { name: "Title" }),
  text: page.getByRole("textbox", { name: "Text", exact: true }),
  textOf: async (id: string) => (await ask<Found>("GET", `/api/documents/${id}`)).content.text,
  /** Creates a document, and opens it in the editor. */
  edit: async (title: string, text: string) => {
    const { id } = await ask<Found>("POST", "/api/documents", { title, content: markdown(text) });
    await page.goto(`/documents/${id}?edit`);
    await page.locator(".cm-content").waitFor();
    return id;
  },
});

test("a document is written and read, and what it contains runs nothing and asks nobody", async ({
  somebody,
  open,
}) => {
  const ada = await somebody();
  const app = await open();
  const { page } = app;
  await enter(app, ada, "/documents");
  const { title, text } = writing(page, ada.ask);
  await page.getByText("No documents yet").waitFor();
  await page.keyboard.press("n");
  await title.fill("Plan for the launch");
  await text.click();
  await page.keyboard.insertText(MARKDOWN);
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit$/);
  await text.waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Done" }).click();

  await page.getByRole("heading", { level: 1, name: "Plan for the launch" }).waitFor();
  await page.getByRole("heading", { level: 2, name: "What has to happen" }).waitFor();
  // The fourth level below the second would leave one out.
  await page.getByRole("heading", { level: 3, name: "How we deploy" }).waitFor();
  await page.getByRole("checkbox", { checked: true }).waitFor();
  await page.getByRole("cell", { name: "12" }).waitFor();
  const links = page.getByRole("article").getByRole("link");
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([
    "/documents",
    "https://example.com/a",
    "https://example.com/pixel.png",
  ]);
  expect(await page.getByRole("article").locator("img, script").count()).toBe(0);
  await expect.poll(() => page.title()).toBe("Plan for the launch – Commonplace");
  expect(await violationsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow(page)).toBe(0);
  expect(app.complaints).toEqual([]);
});

test("a new document is there from its first words, and an edit session leaves one version", async ({
  somebody,
  open,
}) => {
  const ada = await somebody();
  const app = await open();
  const { page } = app;
  await enter(app, ada, "/documents/new");
  const { title, textOf } = writing(page, ada.ask);
  const saved = page.getByText("Saved", { exact: true });
  await title.fill("Market");
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}\?edit/);
  await saved.waitFor();
  const id = page.url().match(/[0-9a-f-]{36}/)?.[0] ?? "";
  await page.keyboard.press("Enter");
  for (const words of ["honey", " and bread", " and salt"]) {
    await page.keyboard.insertText(words);
    await expect.poll(() => textOf(id).catch(() => "")).toContain(words);
    await saved.waitFor();
  }
  expect(await textOf(id)).toBe("honey and bread and salt");
  const { items } = await ada.ask<{ items: unknown[] }>("GET", `/api/documents/${id}/versions`);
  expect(items).toHaveLength(1);
  expect(app.complaints).toEqual([]);
});

test("two writers in one document: each has the other's passages at once, and the cursor stays", async ({
  somebody,
  open,
}) => {
  const ada = await somebody();
  const app = await open();
  const { page } = app;
  await enter(app, ada);
  const { title, text, textOf, edit } = writing(page, ada.ask);
  const id = await edit("Shared", "One\n\nTwo\n\nThree\n");
  await text.press("Control+End");
  await page.keyboard.insertText("Mine ");
  await ada.ask("PUT", `/api/documents/${id}`, {
    ...{ title: "Shared by two", tags: ["later"] },
    content: markdown("Theirs\n\nTwo\n\nThree\n"),
  });
  await expect.poll(() => textOf(id)).toBe("Theirs\n\nTwo\n\nThree\nMine ");
  await expect.poll(() => title.inputValue()).toBe("Shared by two");
  await page.keyboard.insertText("too");
  await expect.poll(() => textOf(id)).toBe("Theirs\n\nTwo\n\nThree\nMine too");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await expect.poll(() => textOf(id)).toBe("Theirs\n\nTwo\n\nThree\n");
  expect(await ada.ask("GET", `/api/documents/${id}`)).toMatchObject({ tags: ["later"] });
  await page.getByText("This passage was also changed").waitFor({ state: "hidden" });
  expect(app.complaints.filter((complaint) => !/412/.test(complaint))).toEqual([]);
});

test("what is written without a network is sent when it is back, whatever screen is open then", async ({
  somebody,
  open,
}) => {
  const ada = await somebody();
  const app = await open(WITH_WORKER);
  const { page } = app;
  await enter(app, ada);
  const { text, textOf, edit } = writing(page, ada.ask);
  await page.evaluate("navigator.serviceWorker.ready");
  await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
  const id = await edit("Train", "One\n");
  const goOnline = await goOffline(app.context);
  await text.press("Control+Home");
  await page.keyboard.insertText("In the tunnel. ");
  await page.getByText("Offline – saved on this device").waitFor();
  // Also what is typed in the moment before the page is loaded again.
  await page.keyboard.insertText("Dark. ");
  await page.reload();
  await text.getByText("In the tunnel. Dark. One").waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Records" }).click();
  await page.waitForURL(/\/records/);
  await ada.ask("PUT", `/api/documents/${id}`, { content: markdown("One\n\nFrom Claude\n") });
  await goOnline();
  await expect.poll(() => textOf(id)).toBe("In the tunnel. Dark. One\n\nFrom Claude\n");
});
