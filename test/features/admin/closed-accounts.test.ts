import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as email from "../../../src/features/auth/email/routes.ts";
import { hashSecret } from "../../../src/platform/core/secret.ts";
import { AppPage } from "../../kit/app-page.ts";
import { person } from "../../kit/client.ts";
import { codeFor, mailService, mailTo, RESET, VERIFY } from "../../kit/mailbox.ts";
import { authorize, connect, exchange, refresh, registerClient } from "../../kit/oauth.ts";

// An account that the operator has closed is sent nothing, and nobody gets access to it.

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const close = (of: string) =>
  env.DB.prepare("UPDATE users SET closed_at = '2026-01-01T00:00:00.000Z' WHERE email = ?").bind(of).run();
const erase = (of: string) =>
  env.DB.prepare("UPDATE users SET deleted_at = '2026-01-01T00:00:00.000Z' WHERE email = ?").bind(of).run();

describe("a closed account", () => {
  test("is mailed no link for a new password", async () => {
    const [ada, page] = [newEmail(), new AppPage()];
    await person({ email: ada });
    await mailTo(ada, VERIFY);
    await close(ada);
    expect((await page.call(email.resetPasswordRoute, { json: { email: ada } })).status).toBe(202);
    expect(await mailService.count(ada)).toBe(0);
  });

  test("is told nothing when a link from before is used", async () => {
    const [ada, page] = [newEmail(), new AppPage()];
    await person({ email: ada });
    await mailTo(ada, VERIFY);
    await page.ok(email.resetPasswordRoute, { json: { email: ada } });
    const reset_token = await codeFor(ada, RESET);
    await close(ada);
    await page.ok(email.confirmPasswordResetRoute, {
      json: { reset_token, new_password: "another good one" },
    });
    expect(await mailService.count(ada)).toBe(0);
  });

  test.for([
    ["closed", close],
    ["erased", erase],
  ] as const)("that is %s gets no new tokens for its connections", async ([, end]) => {
    const ada = newEmail();
    await person({ email: ada });
    const { client_id, tokens } = await connect(ada);
    const other = await registerClient();
    const redirected = await authorize(ada, other.client_id);
    await end(ada);
    expect(await refresh(client_id, tokens.refresh_token)).toMatchObject({
      status: 400,
      error: "invalid_grant",
    });
    const code = redirected.searchParams.get("code");
    expect(await exchange(other.client_id, code)).toMatchObject({ status: 400, error: "invalid_grant" });
  });
});

describe("what is remembered of a code", () => {
  const storedFor = async (code: string | null) => {
    const object = env.CODE_TRADES.getByName(await hashSecret(code ?? ""));
    return runInDurableObject(object, async (_, { storage }) => ({
      alarm: await storage.getAlarm(),
      values: [...(await storage.list())].length,
    }));
  };

  test("that was traded ends by itself, and of one that was refused there is nothing", async () => {
    const ada = newEmail();
    await person({ email: ada });
    const { client_id } = await registerClient();
    const code = (await authorize(ada, client_id)).searchParams.get("code");
    expect((await exchange(client_id, code, { code_verifier: "wrong".repeat(10) })).status).toBe(400);
    expect(await storedFor(code)).toEqual({ alarm: null, values: 0 });
    const another = (await authorize(ada, client_id)).searchParams.get("code");
    expect((await exchange(client_id, another)).status).toBe(200);
    expect(await storedFor(another)).toEqual({ alarm: expect.any(Number), values: 1 });
  });
});
