import { afterEach, beforeEach, expect, test } from "vitest";
import { STRIPE_EVENTS } from "../../src/contract/stripe-events.ts";
import { API_VERSION, accountAt } from "../kit/stripe/stand-in.ts";
import { type CloudflareApi, startCloudflareApi } from "./cloudflare-api.ts";
import { runScript } from "./script.ts";
import { type StripeApi, startStripeApi } from "./stripe.ts";

// `npm run deploy` with a key of Stripe's: its webhook is set up, and its secret stored.

const KEY = "sk_test_deployed";
const WEBHOOK = "https://commonplace.ada.workers.dev/api/billing/webhook";

let api: CloudflareApi;
let stripe: StripeApi;

beforeEach(async () => {
  [api, stripe] = await Promise.all([startCloudflareApi(), startStripeApi()]);
});

afterEach(() => Promise.all([api.close(), stripe.close()]));

const deploy = (...args: string[]) =>
  runScript("deploy", args, {
    ...api.environment,
    ...{ STRIPE_API_URL: stripe.url, STRIPE_SECRET_KEY: KEY },
  });

const endpoints = () => [...accountAt(KEY).endpoints.values()];
const secret = () => api.worker?.get("STRIPE_WEBHOOK_SECRET")?.text;

test("the webhook is made once, and again when this version wants another one", {
  timeout: 300_000,
}, async () => {
  const step = `create the webhook at Stripe for ${WEBHOOK}, and store its secret`;
  expect((await deploy("--dry-run")).output).toContain(`  - ${step}`);
  expect(endpoints()).toEqual([]);
  const done = await deploy("--yes");
  expect(done, done.output).toMatchObject({ code: 0 });
  expect(endpoints()).toMatchObject([
    { url: WEBHOOK, api_version: API_VERSION, enabled_events: [...STRIPE_EVENTS] },
  ]);
  expect(secret()).toBe(`whsec_${endpoints()[0]?.id}`);
  expect(api.worker?.get("STRIPE_SECRET_KEY")?.text).toBe(KEY);
  expect((await deploy("--dry-run")).output).not.toContain("webhook");

  // That of an earlier version, which heard of less.
  Object.assign(endpoints()[0] ?? {}, { enabled_events: ["invoice.paid"] });
  const again = await deploy("--yes");
  expect(again.output).toContain(`replace the webhook at Stripe for ${WEBHOOK}`);
  expect(endpoints()).toMatchObject([{ enabled_events: [...STRIPE_EVENTS] }]);
  expect(secret()).toBe(`whsec_${endpoints()[0]?.id}`);
});
