import { expect, test } from "vitest";
import { enter, goOffline, violationsInBoth, WITH_WORKER } from "./app.ts";
import { drop, isDrawn, paste, png, runWith, text } from "./own-files.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument, textOf } from "./steps.ts";

// Files that cannot go up yet: without a network, broken off, refused. None is lost.

const stage = stageFor();

type File = { id: string; name: string; bytes: number; document_ids: string[] };

test("a picture that is taken without a network waits in its new document, survives a reload, and goes up later", async () => {
  const { page, context, ask } = await openAs(stage, "/", WITH_WORKER);
  await page.goto("/documents/new");
  await page.locator(".cm-content").waitFor();
  const goOnline = await goOffline(context);
  await page.getByRole("textbox", { name: "Title" }).fill("From the train");
  await page.locator(".cm-content").click();
  await paste(page.locator(".cm-content"), [png(1, "view.png")]);
  await page.locator(".live-picture").getByText("Waiting to upload").waitFor();
  await page.getByText("Offline – saved on this device").waitFor();
  await page.reload();
  await page.locator(".live-picture").getByText("Waiting to upload").waitFor();
  await expect.poll(() => isDrawn(page.locator(".live-picture img"))).toBe(true);
  await page.goto("/");
  await page.getByText(/\d changes? will sync/).waitFor();
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("dialog").getByText("File view.png").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.getByRole("button", { name: "Close" }).click();

  await goOnline();
  const files = async () => (await ask<{ items: File[] }>("GET", "/api/files")).items;
  const documents = async () =>
    (await ask<{ items: { id: string }[] }>("GET", "/api/documents")).items.map(({ id }) => id);
  await expect.poll(async () => (await files()).map(({ name }) => name)).toEqual(["view.png"]);
  await expect.poll(async () => (await documents()).length).toBe(1);
  const [id] = await documents();
  await expect.poll(() => textOf(ask, id ?? "")).toContain(`(file:${(await files())[0]?.id})`);
  await expect.poll(async () => (await files())[0]?.document_ids).toEqual([id]);
  await page.getByText(/\d changes? will sync/).waitFor({ state: "detached" });
});

test("a file that waits is sent when its owner signs in again, and no other account gets it", async () => {
  const person = await openAs(stage, "/", WITH_WORKER);
  const { page, context, ask } = person;
  const id = await createDocument(ask, "Mine", "x");
  await page.goto(`/documents/${id}`);
  const below = page.getByRole("region", { name: "Files" });
  await below.waitFor();
  await page.route("**/api/files?document_id=*", (route) =>
    route.request().method() === "POST" ? route.abort() : route.fallback(),
  );
  await drop(below, [png(2, "mine.png")]);
  await below.getByText("Waiting to upload").waitFor();
  await page.unrouteAll();
  await context.clearCookies();
  const other = await openAs(stage);
  await enter(person, other, "/files");
  await page.getByText("No files yet").waitFor();
  expect((await other.ask<{ total: number }>("GET", "/api/files")).total).toBe(0);
  await context.clearCookies();
  await enter(person, person, `/documents/${id}`);
  const names = async () =>
    (await ask<{ items: File[] }>("GET", `/api/files?document_id=${id}`)).items.map(({ name }) => name);
  await expect.poll(names).toEqual(["mine.png"]);
});

test("a large file goes up in parts, and after a break none is sent twice", async () => {
  const { page, ask } = await openAs(stage, "/", WITH_WORKER);
  await page.goto("/files");
  await page.getByText("No files yet").waitFor();
  const sent: string[] = [];
  let isBroken = true;
  await page.route("**/api/files/*/parts/*", (route) => {
    const part = route.request().url().split("/").at(-1) ?? "";
    if (part === "2" && isBroken) return route.abort();
    sent.push(part);
    return route.fallback();
  });
  await runWith(
    page.getByRole("heading", { name: "No files yet" }),
    `const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(9_000_000).fill(7), "end"], "film.bin"));
    const how = { dataTransfer: data, bubbles: true, cancelable: true };
    for (const kind of ["dragover", "drop"]) element.dispatchEvent(new DragEvent(kind, how));`,
  );
  await page.getByText(/\d changes? will sync/).waitFor();
  expect(sent).toEqual(["1"]);
  await page.reload();
  isBroken = false;
  await page.getByRole("button", { name: /^film\.bin/ }).waitFor();
  expect(sent).toEqual(["1", "2"]);
  expect((await ask<{ items: File[] }>("GET", "/api/files")).items).toMatchObject([
    { name: "film.bin", bytes: 9_000_003 },
  ]);
});

test("a file that is refused says why, is tried again, saved or left out", async () => {
  const { page, ask } = await openAs(stage, "/", WITH_WORKER);
  const id = await createDocument(ask, "Full", "x");
  await page.goto(`/documents/${id}`);
  const below = page.getByRole("region", { name: "Files" });
  await below.waitFor();
  const why = "Your storage is full: 100 MB of 100 MB are used";
  await page.route("**/api/files?document_id=*", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 403, json: { detail: why } })
      : route.fallback(),
  );
  await drop(below, [text("notes.txt", "a"), png(4, "kept.png")]);
  await expect.poll(() => below.getByText(why).count()).toBe(2);
  await page.getByText("2 changes need your attention").waitFor();
  await page.getByRole("button", { name: "Show" }).click();
  const list = page.getByRole("dialog");
  expect(await violationsInBoth(page)).toEqual([]);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    list.getByRole("button", { name: "Save notes.txt" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe("notes.txt");
  await list.getByRole("button", { name: "Discard File notes.txt" }).click();
  await page.unrouteAll();
  await list.getByRole("button", { name: "Try again: kept.png" }).click();
  await below.getByRole("button", { name: /^kept\.png/ }).waitFor({ state: "attached" });
  const { items } = await ask<{ items: File[] }>("GET", `/api/files?document_id=${id}`);
  expect(items.map(({ name }) => name)).toEqual(["kept.png"]);
});
