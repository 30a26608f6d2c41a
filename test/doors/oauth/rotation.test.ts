import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { AuthorizationCodeExchange } from "../../../src/doors/oauth/authorization-code-exchange.ts";
import { listSecurityEventsRoute } from "../../../src/features/auth/event-routes.ts";
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
const wait = async (token: string, ms: number) =>
  runInDurableObject(await objectOf(token), (_, { storage: { kv } }) => {
    const kept = kv.get<{ at: number }>("answer");
    if (kept) kv.put("answer", { ...kept, at: kept.at - ms });
  });

const MINUTE = 60_000;

describe("a refresh that is asked for twice", () => {
  test("at once gets one answer, with which both go on", async () => {
    const { client_id, tokens } = await connected();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => refresh(client_id, tokens.refresh_token)),
    );
    expect(new Set(answers.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    for (const answer of answers) expect([answer.status, await statusOf(answer)]).toEqual([200, 200]);
    expect((await refresh(client_id, answers[0]?.refresh_token ?? "")).status).toBe(200);
  });

  test("because the answer was lost gets it again, for ten minutes", async () => {
    const { client_id, tokens } = await connected();
    const lost = await refresh(client_id, tokens.refresh_token);
    await wait(tokens.refresh_token, 9 * MINUTE);
    const again = await refresh(client_id, tokens.refresh_token);
    expect(again).toEqual(lost);
    expect(await statusOf(again)).toBe(200);
    expect((await refresh(client_id, again.refresh_token)).status).toBe(200);
  });

  test("goes on where one of an older version did: its last token is taken once more", async () => {
    const { client_id, tokens } = await connected();
    await refresh(client_id, tokens.refresh_token);
    await runInDurableObject(await objectOf(tokens.refresh_token), (_, { storage }) => storage.deleteAll());
    const again = await refresh(client_id, tokens.refresh_token);
    expect([again.status, await statusOf(again)]).toEqual([200, 200]);
    expect((await refresh(client_id, again.refresh_token)).status).toBe(200);
  });
});

describe("an old refresh token that somebody else has", () => {
  test.for([
    ["ten minutes later", async (token: string) => wait(token, 11 * MINUTE)],
    ["when the answer is erased", async (token: string) => runDurableObjectAlarm(await objectOf(token))],
  ] as const)("ends the connection %s (RFC 9700 section 4.14.2)", async ([, pass]) => {
    const { client_id, tokens } = await connected();
    const next = await refresh(client_id, tokens.refresh_token);
    await pass(tokens.refresh_token);
    expect(await refresh(client_id, tokens.refresh_token)).toMatchObject({
      status: 400,
      error: "invalid_grant",
    });
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
      expect(await refresh(client_id, tokens.refresh_token)).toMatchObject({
        status: 400,
        error: "invalid_grant",
      });
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

  test.for([
    ["a code beside it", { code: "a:b:c" }],
    ["an empty signature", { client_assertion: "" }],
    ["an invented signature", { client_assertion: "x", client_assertion_type: "y" }],
    ["another scope", { scope: "docs:read" }],
    ["another resource", { resource: "https://evil.example/mcp" }],
    ["another field", { x: "1" }],
  ] as const)("gets no token of its own by %s", async ([, fields]) => {
    const { client_id, tokens } = await connected();
    const { refresh_token } = tokens;
    const next = await refresh(client_id, refresh_token);
    const stolen = await askForTokens({ grant_type: "refresh_token", client_id, refresh_token, ...fields });
    expect(stolen.access_token).toBeUndefined();
    expect(await statusOf(next)).toBe(200);
    expect((await refresh(client_id, next.refresh_token)).status).toBe(200);
  });

  test("is of no use to another client", async () => {
    const { client_id, tokens } = await connected();
    const next = await refresh(client_id, tokens.refresh_token);
    const other = await registerClient({ client_name: "Other" });
    expect((await refresh(other.client_id, tokens.refresh_token)).access_token).toBeUndefined();
    expect(await statusOf(next)).toBe(200);
  });

  test("can be invented by nobody to end a connection", async () => {
    const { client_id, tokens } = await connected();
    const [user, grant] = tokens.access_token.split(":");
    for (const invented of [`${user}:${grant}:x`, `${user}:${grant}:${"a".repeat(32)}`])
      for (const _ of [1, 2]) expect((await refresh(client_id, invented)).status).toBe(400);
    expect(await statusOf(tokens)).toBe(200);
    expect((await refresh(client_id, tokens.refresh_token)).status).toBe(200);
  });
});

test("no token is kept in plain text, the answer for minutes, and nothing after thirty days", async () => {
  const { client_id, tokens } = await connected();
  const next = await refresh(client_id, tokens.refresh_token);
  const object = await objectOf(tokens.refresh_token);
  const kept = () =>
    runInDurableObject(object, async (_, { storage }) => JSON.stringify([...(await storage.list())]));
  for (const secret of [tokens.refresh_token, next.refresh_token, next.access_token])
    expect(await kept()).not.toContain(secret.split(":").at(-1));
  expect(await kept()).toContain("answer");
  expect(await runDurableObjectAlarm(object)).toBe(true);
  expect(await kept()).not.toContain("answer");
  expect(await runDurableObjectAlarm(object)).toBe(true);
  expect(await kept()).toBe("[]");
  expect(await runDurableObjectAlarm(object)).toBe(false);
});

test("a client with a secret has to show it again", async () => {
  await person({ email: ADA });
  const { client_id, tokens } = await connect(ADA);
  const next = await refresh(client_id, tokens.refresh_token);
  const basic = await visitor().fetch("/oauth/token", {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Authorization: `Basic ${btoa(`${client_id}:x`)}`,
    },
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token,
    }).toString(),
  });
  expect(basic.status).toBe(400);
  expect(await statusOf(next)).toBe(200);
});

test("an old refresh token is not forgotten for a code that is called like its connection", async () => {
  const { client_id, tokens } = await connected();
  const next = await refresh(client_id, tokens.refresh_token);
  const [user, grant] = tokens.refresh_token.split(":");
  await askForTokens({ grant_type: "authorization_code", client_id, code: `grant:${user}:${grant}` });
  expect(await refresh(client_id, tokens.refresh_token)).toEqual(next);
});
