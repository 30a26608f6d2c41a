import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { AuthorizationCodeExchange } from "../../../src/doors/oauth/authorization-code-exchange.ts";
import { listSecurityEventsRoute } from "../../../src/features/auth/me-routes.ts";
import { hashSecret } from "../../../src/platform/core/secret.ts";
import { person, visitor } from "../../kit/client.ts";
import { ask } from "../../kit/mcp.ts";
import { askForTokens, bearer, connect, refresh, registerClient, type Tokens } from "../../kit/oauth.ts";

// A refresh token is used once, and the same request again gets the same answer for ten minutes.

const ADA = "ada@example.com";

async function connected() {
  await person({ email: ADA });
  return connect(ADA);
}

const statusOf = async ({ access_token }: Tokens) => (await ask(bearer(access_token), "tools/list")).status;

const objectOf = async (token: string) => {
  const [user, grant] = token.split(":");
  const name = await hashSecret(`grant:${user}:${grant}`);
  return (env.CODE_TRADES as DurableObjectNamespace<AuthorizationCodeExchange>).getByName(name);
};

/** Lets time pass since the last refresh. */
const letPass = async (token: string, ms: number) =>
  runInDurableObject(await objectOf(token), (_, { storage: { kv } }) => {
    const kept = kv.get<{ at: number }>("answer");
    if (kept) kv.put("answer", { ...kept, at: kept.at - ms });
  });

const MINUTE = 60_000;

describe("a refresh that is asked for twice", () => {
  test("at once gets one answer, with which both go on", async () => {
    const { client_id, tokens } = await connected();
    const ask = () => refresh(client_id, tokens.refresh_token);
    const answers = await Promise.all([ask(), ask(), ask(), ask(), ask()]);
    expect(new Set(answers.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    for (const answer of answers) expect([answer.status, await statusOf(answer)]).toEqual([200, 200]);
    expect((await refresh(client_id, answers[0]?.refresh_token ?? "")).status).toBe(200);
  });

  test("because the answer was lost gets it again, for ten minutes", async () => {
    const { client_id, tokens } = await connected();
    const lost = await refresh(client_id, tokens.refresh_token);
    await letPass(tokens.refresh_token, 9 * MINUTE);
    const again = await refresh(client_id, tokens.refresh_token);
    expect(again).toEqual(lost);
    expect(await statusOf(again)).toBe(200);
    expect((await refresh(client_id, again.refresh_token)).status).toBe(200);
  });

  test("goes on for a connection of an older version: its last token is taken once more", async () => {
    const { client_id, tokens } = await connected();
    await refresh(client_id, tokens.refresh_token);
    await runInDurableObject(await objectOf(tokens.refresh_token), (_, { storage }) => storage.deleteAll());
    const again = await refresh(client_id, tokens.refresh_token);
    expect([again.status, await statusOf(again)]).toEqual([200, 200]);
    expect((await refresh(client_id, again.refresh_token)).status).toBe(200);
  });
});

const INVALID = { status: 400, error: "invalid_grant" };

describe("an old refresh token in other hands", () => {
  test.for([
    ["ten minutes later", async (token: string) => letPass(token, 11 * MINUTE)],
    ["when the answer is erased", async (token: string) => runDurableObjectAlarm(await objectOf(token))],
  ] as const)("ends the connection %s (RFC 9700 section 4.14.2)", async ([, pass]) => {
    const { client_id, tokens } = await connected();
    const next = await refresh(client_id, tokens.refresh_token);
    await pass(tokens.refresh_token);
    expect(await refresh(client_id, tokens.refresh_token)).toMatchObject(INVALID);
    expect(await statusOf(next)).toBe(401);
    expect((await refresh(client_id, next.refresh_token)).status).toBe(400);
  });

  test("ends it as soon as the next token has been used, and its account is told once", async () => {
    const ada = await person({ email: ADA });
    const { client_id, tokens } = await connect(ADA);
    const next = await refresh(client_id, tokens.refresh_token);
    const last = await refresh(client_id, next.refresh_token);
    for (const _ of [1, 2]) expect((await refresh(client_id, tokens.refresh_token)).status).toBe(400);
    expect(await statusOf(last)).toBe(401);
    const { body } = await ada.call(listSecurityEventsRoute, { query: { limit: 2 } });
    expect(body.items.map(({ event, detail }) => [event, detail])).toEqual([
      ["connection_token_reused", expect.any(String)],
      ["connection_made", body.items[0]?.detail],
    ]);
  });

  test("ends it although its account cannot be told, which is logged", async () => {
    const { client_id, tokens } = await connected();
    const next = await refresh(client_id, tokens.refresh_token);
    await refresh(client_id, next.refresh_token);
    await env.DB.exec(
      "CREATE TRIGGER busy BEFORE INSERT ON security_events BEGIN SELECT raise(ABORT, 'busy'); END",
    );
    const logged = vi.spyOn(console, "error").mockReturnValue();
    try {
      expect(await refresh(client_id, tokens.refresh_token)).toMatchObject(INVALID);
      expect(await statusOf(next)).toBe(401);
      expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)))).toContainEqual({
        security_event: "connection_token_reused",
        error: expect.stringContaining("busy"),
      });
    } finally {
      logged.mockRestore();
      await env.DB.exec("DROP TRIGGER busy");
    }
  });

  test("gets no token of its own by other fields, as another client or with an invented token, and ends nothing", async () => {
    const { client_id, tokens } = await connected();
    const { refresh_token } = tokens;
    const next = await refresh(client_id, refresh_token);
    const [user, grant] = refresh_token.split(":");
    for (const fields of [
      { code: "a:b:c" },
      { client_assertion: "" },
      { client_assertion: "x", client_assertion_type: "y" },
      { scope: "docs:read" },
      { resource: "https://evil.example/mcp" },
      { x: "1" },
      { client_id: (await registerClient({ client_name: "Other" })).client_id },
      { refresh_token: `${user}:${grant}:x` },
      { refresh_token: `${user}:${grant}:${"a".repeat(32)}` },
    ]) {
      const asked = { grant_type: "refresh_token", client_id, refresh_token, ...fields };
      for (const _ of [1, 2])
        expect((await askForTokens(asked)).access_token, JSON.stringify(fields)).toBeUndefined();
      expect(await statusOf(next), JSON.stringify(fields)).toBe(200);
    }
    // A client with a secret has to show it again.
    const headers = { Authorization: `Basic ${btoa(`${client_id}:x`)}` };
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token });
    expect((await visitor().fetch("/oauth/token", { method: "POST", headers, body })).status).toBe(400);
    // A code with the name of its connection does not end it either.
    const code = `grant:${user}:${grant}`;
    await askForTokens({ grant_type: "authorization_code", client_id, code });
    expect(await refresh(client_id, refresh_token)).toEqual(next);
    expect((await refresh(client_id, next.refresh_token)).status).toBe(200);
  });
});

test("no token is kept in plain text, the answer for minutes, and nothing after thirty days", async () => {
  const { client_id, tokens } = await connected();
  const next = await refresh(client_id, tokens.refresh_token);
  const object = await objectOf(tokens.refresh_token);
  const kept = () =>
    runInDurableObject(object, async (_, { storage }) => JSON.stringify([...(await storage.list())]));
  const { keys } = await env.OAUTH_KV.list();
  const stored = await Promise.all(keys.map(async ({ name }) => name + (await env.OAUTH_KV.get(name))));
  for (const token of [tokens.access_token, tokens.refresh_token, next.refresh_token, next.access_token]) {
    expect(await kept()).not.toContain(token.split(":").at(-1));
    expect(stored.join()).not.toContain(token.split(":").at(-1));
  }
  expect(await kept()).toContain("answer");
  expect(await runDurableObjectAlarm(object)).toBe(true);
  expect(await kept()).not.toContain("answer");
  expect(await runDurableObjectAlarm(object)).toBe(true);
  expect(await kept()).toBe("[]");
  expect(await runDurableObjectAlarm(object)).toBe(false);
});
