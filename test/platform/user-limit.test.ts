import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getMeRoute } from "../../src/features/auth/routes.ts";
import { getSubscriptionRoute } from "../../src/features/billing/routes.ts";
import { parseLimit } from "../../src/platform/rate-limit/rate-limiter.ts";
import { type Client, person, visitor } from "../kit/client.ts";
import { ask } from "../kit/mcp.ts";

const { attempts, seconds } = parseLimit("RATE_LIMIT_USER", env.RATE_LIMIT_USER);
const POLICY = `"user";q=${attempts};w=${seconds}`;
const AT_ONCE = 50;

/** Sends requests until one is refused; returns how many were not. */
async function exhaust(client: Client): Promise<number> {
  let allowed = 0;
  while (allowed < 2 * attempts + AT_ONCE) {
    const requests = Array.from({ length: AT_ONCE }, () => client.fetch("/api/auth/me"));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    allowed += statuses.filter((status) => status === 200).length;
    if (statuses.includes(429)) return allowed;
  }
  throw new Error("Nothing was refused");
}

/** Repeats the requests if the limit's window, which ends with each full minute, ended before they were answered. */
async function withinWindow<Answers>(ask: () => Promise<Answers>): Promise<Answers> {
  const currentWindow = () => Math.floor(Date.now() / (seconds * 1000));
  for (;;) {
    const window = currentWindow();
    const answers = await ask();
    if (currentWindow() === window) return answers;
  }
}

test("a user who exceeds the limit must wait, on both the API and MCP; another user does not", async () => {
  const bob = await person();
  const { allowed, refused, mcp } = await withinWindow(async () => {
    const ada = await person();
    return {
      allowed: await exhaust(ada),
      refused: await ada.call(getSubscriptionRoute),
      mcp: await ask(ada, "tools/list"),
    };
  });
  expect(allowed).toBeGreaterThanOrEqual(attempts);

  expect(JSON.parse(refused.text)).toEqual({ detail: expect.stringContaining(`in ${seconds} seconds`) });
  expect(refused.headers.get("RateLimit")).toBe(`"user";r=0;t=${seconds}`);
  for (const { status, headers } of [refused, mcp])
    expect([status, headers.get("Retry-After"), headers.get("RateLimit-Policy")]).toEqual([
      429,
      `${seconds}`,
      POLICY,
    ]);

  expect((await bob.call(getMeRoute)).status).toBe(200);
  expect((await ask(bob, "tools/list")).status).toBe(200);
});

test("every private answer states the policy, even a refusal, and browsers may read it", async () => {
  const ada = await person();
  const answers = [
    await ada.call(getMeRoute),
    await visitor().call(getMeRoute),
    await ada.fetch("/api/documents/nothing"),
    await ada.fetch("/api/unknown"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 422, 404]);
  for (const { headers } of answers) expect(headers.get("RateLimit-Policy")).toContain(POLICY);
  expect((await ask(ada, "tools/list")).headers.get("RateLimit-Policy")).toContain(POLICY);

  const browser = await ada.fetch("/api/auth/me", { headers: { Origin: "https://app.commonplace.test" } });
  const exposed = browser.headers.get("Access-Control-Expose-Headers")?.split(",");
  expect(exposed).toEqual(expect.arrayContaining(["RateLimit", "RateLimit-Policy", "Retry-After"]));
});
