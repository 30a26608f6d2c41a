import { afterAll, beforeAll, expect, test } from "vitest";
import { overflow, violationsInBoth } from "./app.ts";
import { runScript } from "./script.ts";
import { openAs, stageFor } from "./stage.ts";
import { type StripeApi, startStripeApi } from "./stripe.ts";

// A person pays for a plan in the app, on a copy whose Stripe is the stand-in; and what the operator does about it.

const stripe: StripeApi = await startStripeApi();
const stage = stageFor({ ...stripe.settings, PLAN_TIER: "free" });

beforeAll(() => stripe.tellTo(stage.service.apiUrl));
afterAll(() => stripe.close());

test("a person upgrades, comes back, sees the plan, cancels, and sees until when", async () => {
  const { page, ask, email, complaints } = await openAs(stage, "/settings");
  const status = () => ask("GET", "/api/billing/status");
  await page.getByRole("link", { name: "Plans and prices" }).click();
  await page.getByRole("heading", { level: 1, name: "Plan" }).waitFor();
  await page.getByText("Free of charge.").waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.getByRole("radio", { name: "Monthly" }).check({ force: true });
  await page.getByRole("button", { name: "Choose Pro" }).click();
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("You’re now on the Pro plan").waitFor();
  await page.getByText("Pro, paid monthly").waitFor();
  await page.getByText(/Renews on \w+ \d+, \d{4}\./).waitFor();
  expect(new URL(page.url()).search).toBe("");
  expect(await status()).toMatchObject({ plan_tier: "pro", status: "active" });

  await page.getByRole("button", { name: "Change or cancel" }).click();
  await page.getByRole("button", { name: "Cancel subscription" }).click();
  await page.getByText(/Ends on \w+ \d+, \d{4}\. After that you’re on the Free plan\./).waitFor();
  await page.getByRole("button", { name: "Keep plan" }).waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow(page)).toBe(0);
  expect(complaints).toEqual([]);

  const given = await runScript("admin", ["plan", email, "team"], { STATE_DIR: stage.stateDir });
  expect(given.output).toContain("Stripe sets the plan, which is pro");
  expect(await status()).toMatchObject({ plan_tier: "pro" });
  const kept = await runScript("admin", ["delete", email, "--yes"], {
    ...{ STATE_DIR: stage.stateDir, STRIPE_SECRET_KEY: "" },
  });
  expect(kept).toMatchObject({ code: 1, output: expect.stringContaining("set STRIPE_SECRET_KEY") });
  const deleted = await runScript("admin", ["delete", email, "--yes"], {
    ...{ ...stripe.settings, STATE_DIR: stage.stateDir },
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
