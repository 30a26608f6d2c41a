import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, enter, openApp, overflow, violationsInBoth } from "./app.ts";
import { type Account, launch } from "./browser.ts";
import { runScript } from "./script.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";
import { type StripeApi, startStripeApi } from "./stripe.ts";

// A person pays for a plan in the app, on a copy whose Stripe is the stand-in; and what the operator does about it.

const ADA: Account = { email: "ada@example.com", password: "correct horse battery" };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;
let stripe: StripeApi;

beforeAll(async () => {
  [folder, stripe] = await Promise.all([temporaryFolder(), startStripeApi()]);
  service = await startService(folder.path, { ...stripe.settings, PLAN_TIER: "free" });
  stripe.tellTo(service.apiUrl);
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
  await stripe?.close();
});

const statusOf = async (token: string) => {
  const headers = { Authorization: `Bearer ${token}` };
  return (await fetch(`${service.apiUrl}/api/billing/status`, { headers })).json() as Promise<{
    plan_tier: string;
    status: string;
  }>;
};

async function openPlan(): Promise<App> {
  const app = await openApp(browser, service.apiUrl);
  await enter(app, ADA, "/settings");
  await app.page.getByRole("link", { name: "Plans and prices" }).click();
  await app.page.getByRole("heading", { level: 1, name: "Plan" }).waitFor();
  return app;
}

test("a person upgrades, comes back, sees the plan, cancels, and sees until when", async () => {
  const token = await register(service.apiUrl, ADA);
  const app = await openPlan();
  const { page, complaints } = app;
  await page.getByText("Free of charge.").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.getByRole("radio", { name: "Monthly" }).check({ force: true });
  await page.getByRole("button", { name: "Choose Pro" }).click();
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("You’re now on the Pro plan").waitFor();
  await page.getByText("Pro, paid monthly").waitFor();
  await page.getByText(/Renews on \w+ \d+, \d{4}\./).waitFor();
  expect(new URL(page.url()).search).toBe("");
  expect(await statusOf(token)).toMatchObject({ plan_tier: "pro", status: "active" });

  await page.getByRole("button", { name: "Change or cancel" }).click();
  await page.getByRole("button", { name: "Cancel subscription" }).click();
  await page.getByText(/Ends on \w+ \d+, \d{4}\. After that you’re on the Free plan\./).waitFor();
  await page.getByRole("button", { name: "Keep plan" }).waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow(page)).toBe(0);
  expect(complaints).toEqual([]);
  await app.close();

  const given = await runScript("admin", ["plan", ADA.email, "team"], { STATE_DIR: folder.path });
  expect(given.output).toContain("Stripe sets the plan, which is pro");
  expect(await statusOf(token)).toMatchObject({ plan_tier: "pro" });
  const kept = await runScript("admin", ["delete", ADA.email, "--yes"], {
    ...{ STATE_DIR: folder.path, STRIPE_SECRET_KEY: "" },
  });
  expect(kept).toMatchObject({ code: 1, output: expect.stringContaining("set STRIPE_SECRET_KEY") });
  const deleted = await runScript("admin", ["delete", ADA.email, "--yes"], {
    ...{ ...stripe.settings, STATE_DIR: folder.path },
  });
  expect(deleted, deleted.output).toMatchObject({ code: 0 });
  const log = await stripe.happen<string[]>({ do: "log", customer: "" });
  expect(log.filter((line) => line.startsWith("DELETE /v1/subscriptions/"))).toHaveLength(1);
});

test("the prices are made at Stripe from one table, shown first, and made once", async () => {
  const settings = { ...stripe.settings, STRIPE_SECRET_KEY: "sk_test_new" };
  const prices = (more: Record<string, string>, ...args: string[]) =>
    runScript("billing", ["prices", ...args], { ...settings, ...more });
  const shown = await prices({}, "--dry-run");
  expect(shown.output.match(/^ {2}- .*$/gm)).toEqual([
    "  - create the product Commonplace pro",
    "  - create the product Commonplace team",
    "  - create the price pro_monthly: €5.00 a month",
    "  - create the price pro_yearly: €50.00 a year",
    "  - create the price team_monthly: €15.00 a month",
    "  - create the price team_yearly: €150.00 a year",
    "  - let customers change and cancel their plan in Stripe's portal",
  ]);
  expect(await prices({})).toMatchObject({ code: 1, output: expect.stringContaining("add --yes") });
  const made = await prices({}, "--yes");
  expect(made, made.output).toMatchObject({ code: 0 });
  expect((await prices({})).output).toContain("everything matches PLAN_PRICES");
  const dearer = { PLAN_PRICES: '{"pro": {"month": 600}}' };
  const changed = await prices(dearer, "--yes");
  expect(changed.output).toContain(
    "replace the price pro_monthly: €5.00 a month becomes €6.00 a month; current subscribers keep the old price",
  );
  expect(changed.output).toContain("offer these prices in Stripe's portal");
  expect((await prices(dearer)).output).toContain("everything matches PLAN_PRICES");
  const wrong = await prices({ PLAN_PRICES: '{"pru": {}}' });
  expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining("did you mean pro?") });
  const none = await runScript("billing", ["prices"], { STRIPE_SECRET_KEY: "" });
  expect(none).toMatchObject({ code: 1, output: expect.stringContaining("Set STRIPE_SECRET_KEY") });
});
