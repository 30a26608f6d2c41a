import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { openCtx } from "../../../src/features/auth/caller-store.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { listConnectionsRoute } from "../../../src/features/connections/routes.ts";
import { createDocumentRoute, listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { openBaseCtx, openSession } from "../../../src/platform/db/session.ts";
import { atOnce } from "../../kit/at-once.ts";
import { Client, person, visitor } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";

// Access tokens and refresh tokens: what they prove, how long, and what is no token.

const EMAIL = "ada@example.com";

/** Simulates the passing of time: changes the sessions' rows to what they would be `seconds` later. */
async function ageTokens(seconds: number) {
  const past = `strftime('%Y-%m-%dT%H:%M:%fZ', rotated_at, '-${seconds} seconds')`;
  await env.DB.prepare(`UPDATE refresh_tokens SET rotated_at = ${past}`).run();
}

describe("an access token", () => {
  test("identifies its user, only for the API, for fifteen minutes", async () => {
    const ada = await person();
    const token = ada.tokens?.access_token ?? "";
    const claims = decodeJwt(token);
    expect(decodeProtectedHeader(token)).toMatchObject({
      alg: "HS256",
      typ: "at+jwt",
      kid: expect.any(String),
    });
    expect(claims).toMatchObject({ iss: "commonplace", aud: "commonplace-api", jti: expect.any(String) });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900);
  });

  const key = (): Uint8Array => new TextEncoder().encode(env.JWT_SECRET);

  /** The same token with other claims or header fields, signed. */
  const altered = (token: string, claims: JWTPayload, header: object = {}, secret = key()) =>
    new SignJWT({ ...decodeJwt(token), ...claims })
      .setProtectedHeader({ ...decodeProtectedHeader(token), ...header } as JWTHeaderParameters)
      .sign(secret);

  test("of an older version, without an account number, gives access to the same account until its session ends", async () => {
    const ada = await person({ email: EMAIL });
    const token = ada.tokens?.access_token ?? "";
    const { home, num } = decodeJwt(token);
    expect([home, num]).toEqual([1, await numberOf(ada)]);
    const access_token = await altered(token, { home: undefined, num: undefined });
    const before = new Client({ access_token, refresh_token: "", token_type: "bearer", expires_in: 900 });
    expect((await before.ok(auth.getMeRoute)).email).toBe(EMAIL);
    await ada.call(auth.logoutAllRoute);
    expect((await before.call(auth.getMeRoute)).status).toBe(401);
  });

  test("cannot name another person's account number, even with a valid signature", async () => {
    const [ada, eve] = [await person({ email: EMAIL }), await person()];
    const token = eve.tokens?.access_token ?? "";
    const access_token = await altered(token, { num: await numberOf(ada) });
    const wrong = new Client({ access_token, refresh_token: "", token_type: "bearer", expires_in: 900 });
    expect((await wrong.call(auth.getMeRoute)).status).toBe(401);
  });

  async function expectRefused(headers: Record<string, string>) {
    const answer = await visitor().call(auth.getMeRoute, { headers });
    expect(answer.status).toBe(401);
    expect(answer.text).toBe('{"detail":"Missing or invalid token"}');
    expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
  }

  test("is refused where there is none", async () => {
    await expectRefused({});
    for (const Authorization of ["Basic YTpi", "Bearer nonsense"]) await expectRefused({ Authorization });
  });

  test.for<[string, JWTPayload, header?: object, secret?: Uint8Array]>([
    ["another key", {}, {}, new Uint8Array(32)],
    ["an unknown key id", {}, { kid: "feedbeef" }],
    ["another algorithm", {}, { alg: "HS512" }, new Uint8Array([...key(), ...key()])],
    ["another type", {}, { typ: "JWT" }],
    ["another audience", { aud: "mcp" }],
    ["an end that has come", { exp: 1 }],
  ])("is refused: %s", async ([, ...changes]) => {
    const { tokens } = await person();
    await expectRefused({ Authorization: `Bearer ${await altered(tokens?.access_token ?? "", ...changes)}` });
  });
});

describe("a token that has ended", () => {
  /** Requests of every kind, including those that need no database: their form is refused, or KV answers. */
  const requests = (ada: Client): [string, () => Promise<{ status: number }>][] => [
    ["a read", () => ada.call(listDocumentsRoute)],
    ["a write", () => ada.call(createDocumentRoute, { json: { title: "Stolen" } })],
    ["the account", () => ada.call(auth.getMeRoute)],
    ["connections", () => ada.call(listConnectionsRoute)],
    ["a page that is none", () => ada.fetch("/api/documents?limit=x")],
    ["an id that is none", () => ada.fetch("/api/documents/nothing")],
    ["a body that is none", () => ada.fetch("/api/documents", { method: "POST", body: "{" })],
    ["an unknown path", () => ada.fetch("/api/unknown")],
    ["another sign-out", () => ada.call(auth.logoutAllRoute)],
  ];

  test("is a 401 for every request, even one that needs no database", async () => {
    const ada = await person();
    const before = requests(ada).slice(0, -1);
    for (const [name, send] of before) expect((await send()).status, name).not.toBe(401);
    await env.DB.prepare("DELETE FROM documents").run();
    await ada.call(auth.logoutAllRoute);
    for (const [name, send] of requests(ada)) expect((await send()).status, name).toBe(401);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM documents").first("n")).toBe(0);
  });

  test("is checked by each of many concurrent requests", async () => {
    const ada = await person();
    const many = () =>
      Promise.all(
        Array.from({ length: 5 }, () => requests(ada).slice(0, 4))
          .flat()
          .map(([, send]) => send()),
      );
    for (const { status } of await many()) expect(status).toBeLessThan(300);
    await env.DB.prepare("DELETE FROM documents").run();
    await env.DB.prepare("UPDATE sessions SET revoked_at = created_at").run();
    for (const { status } of await many()) expect(status).toBe(401);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM documents").first("n")).toBe(0);
  });

  test("is checked by each of the concurrent calls of one request", async () => {
    const ada = await person();
    const user = await ada.ok(auth.getMeRoute);
    const { sid } = decodeJwt(ada.tokens?.access_token ?? "");
    const credential = {
      kind: "session",
      shard: 1,
      owner: await numberOf(ada),
      user_id: user.id,
      session_id: String(sid),
    } as const;
    const open = () => openCtx(openBaseCtx(env.DB), openSession(env.DB), credential);
    const emails = (ctx: Ctx) => Array.from({ length: 3 }, () => ctx.db.all(sql`SELECT email FROM users`));
    expect(await Promise.all(emails(open()))).toEqual(Array(3).fill([{ email: user.email }]));
    await ada.call(auth.logoutAllRoute);
    const ctx = open();
    for (const answer of await Promise.allSettled([...emails(ctx), ctx.user(), ctx.admit()])) {
      expect(answer).toMatchObject({ status: "rejected", reason: { status: 401 } });
    }
  });
});

describe("a refresh token", () => {
  const refresh = (token: string | undefined) =>
    visitor().call(auth.refreshRoute, { json: { refresh_token: token ?? "" } });

  test("can be used once, and its successor continues", async () => {
    const ada = await person();
    const second = await refresh(ada.tokens?.refresh_token);
    const third = await refresh(second.body.refresh_token);
    expect(third.status).toBe(200);
    ada.tokens = third.body;
    expect((await ada.call(auth.getMeRoute)).status).toBe(200);
  });

  test("yields the same successor again when the answer was lost", async () => {
    const ada = await person();
    const first = await refresh(ada.tokens?.refresh_token);
    const again = await refresh(ada.tokens?.refresh_token);
    expect(again.body.refresh_token).toBe(first.body.refresh_token);
  });

  test("of a session that has ended yields nothing, not even its latest successor again", async () => {
    const ada = await person();
    const used = ada.tokens?.refresh_token;
    const next = await refresh(used);
    await ada.call(auth.logoutAllRoute);
    for (const token of [used, next.body.refresh_token]) expect((await refresh(token)).status).toBe(401);
  });

  test("has one valid successor after ten concurrent refreshes", async () => {
    const ada = await person();
    const answers = await atOnce(10, () => refresh(ada.tokens?.refresh_token));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
    const alive = await env.DB.prepare(
      "SELECT count(*) AS n FROM refresh_tokens WHERE rotated_at IS NULL",
    ).first();
    expect(alive).toEqual({ n: 1 });
  });

  test("that is reused late ends the whole session", async () => {
    const ada = await person();
    const stolen = ada.tokens?.refresh_token;
    const next = await refresh(stolen);
    await ageTokens(31);
    expect((await refresh(stolen)).status).toBe(401);
    expect((await refresh(next.body.refresh_token)).status).toBe(401);
    ada.tokens = next.body;
    expect((await ada.call(auth.getMeRoute)).status).toBe(401);
  });

  test("that was never issued is a 401", async () => {
    expect((await refresh("made up")).status).toBe(401);
  });
});
