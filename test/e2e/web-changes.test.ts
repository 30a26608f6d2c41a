import { expect, test } from "vitest";
import { goOffline, violations, WITH_WORKER } from "./app.ts";
import { openAs, stageFor } from "./stage.ts";
import { bar, isNow, markdown, moveTo, readPackingList, rename, row, tag } from "./steps.ts";

// Documents are renamed, moved, tagged, trashed and restored without a network, and the service has it once there is one.

const stage = stageFor();

async function reader() {
  const person = await openAs(stage, "/", WITH_WORKER);
  return { ...person, ...(await readPackingList(person.page, person.ask)) };
}

test("what has not been sent is taken back without a trace, and what comes out of the trash is there", async () => {
  const { page, context, ask, packing, diary } = await reader();
  await ask("DELETE", `/api/documents/${diary}`);
  await page.goto("/documents?view=trash");
  await row(page, "Diary").waitFor();
  const goOnline = await goOffline(context);
  await row(page, "Diary").getByRole("button", { name: "Restore" }).click();
  await page.getByText("“Diary” restored; will sync").waitFor();
  await row(page, "Diary").waitFor({ state: "hidden" });
  await page.goto(`/documents/${packing}`);
  await page.getByRole("article").getByText("Passport").waitFor();
  await page.keyboard.press("#");
  await page.getByText("“Packing list” moved to the trash; will sync").waitFor();
  await page.keyboard.press("u");
  await row(page, "Packing list").waitFor();
  await page.goto(`/documents/${packing}`);
  await rename(page, "Packing list", "What to take");
  await page.keyboard.press("u");
  await page.getByRole("button", { name: "Packing list", exact: true }).waitFor();
  await bar(page).getByText("1 change will sync").waitFor();
  await goOnline();
  await bar(page).waitFor({ state: "hidden" });
  expect(await isNow(ask, packing)).toMatchObject({ title: "Packing list", version: 1 });
  expect(await isNow(ask, diary)).toMatchObject({ title: "Diary" });
});

test("changes of different fields go together; the same field, a rewritten text and what is gone are asked about", async () => {
  const { page, context, ask, trips, packing, diary } = await reader();
  const goOnline = await goOffline(context);
  await rename(page, "Packing list", "What to take");
  await moveTo(page, "Trips");
  await page.goto(`/documents/${diary}`);
  await page.getByRole("article").getByText("A fine day").waitFor();
  await page.keyboard.press("#");
  await page.getByText("“Diary” moved to the trash").waitFor();
  await ask("PUT", `/api/documents/${packing}`, { title: "Luggage", tags: ["heavy"] });
  await ask("PUT", `/api/documents/${diary}`, { content: markdown("A better day") });

  await goOnline();
  await bar(page)
    .getByText(/1 change will sync .*; 2 changes need your attention/)
    .waitFor();
  await bar(page).getByRole("button", { name: "Show" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It was renamed to “Luggage” in the meantime").waitFor();
  await dialog.getByText("It was edited in the meantime").waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: /^Apply anyway: Rename/ }).click();
  await dialog.getByText("It was renamed").waitFor({ state: "hidden" });
  await dialog.getByRole("button", { name: /^Discard Move “Diary”/ }).click();
  await bar(page).waitFor({ state: "hidden" });
  expect(await isNow(ask, packing)).toMatchObject({
    ...{ title: "What to take", folder_id: trips, tags: ["heavy"] },
  });
  expect(await isNow(ask, diary)).toMatchObject({ title: "Diary" });

  const again = await goOffline(context);
  await page.goto(`/documents/${packing}`);
  await tag(page, "summer");
  await page.goto(`/documents/${diary}`);
  await page.getByRole("article").getByText("A fine day").waitFor();
  await moveTo(page, "Trips");
  await ask("DELETE", `/api/documents/${packing}?permanent=true`);
  await ask("DELETE", `/api/folders/${trips}`);
  await again();
  await bar(page).getByText("2 changes need your attention").waitFor();
  await bar(page).getByRole("button", { name: "Show" }).click();
  await dialog.getByText("It was permanently deleted").waitFor();
  await dialog.getByText("The folder “Trips” was deleted in the meantime. Choose another folder").waitFor();
  await dialog.getByRole("link", { name: "Move “Diary” to Trips" }).click();
  await page.waitForURL(`**/documents/${diary}`);
});

test("a document that is pinned without a network stands on top, and is sent although the browser has no room left", async () => {
  const { page, context, ask, packing } = await reader();
  await page.evaluate(`IDBObjectStore.prototype.put = () => {
    throw new DOMException("There is no room left", "QuotaExceededError");
  }`);
  const goOnline = await goOffline(context);
  await page.keyboard.press("p");
  await page.getByText("“Packing list” pinned; will sync").waitFor();
  await page.getByRole("list", { name: "Pinned" }).getByText("Packing list").waitFor();
  await bar(page).getByText("1 change will sync").waitFor();
  await goOnline();
  await bar(page).waitFor({ state: "hidden" });
  expect(await isNow(ask, packing)).toMatchObject({ tags: ["pinned"] });
});
