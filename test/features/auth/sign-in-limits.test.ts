import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { TokenAnswer } from "../../../src/contract/auth.ts";
import * as email from "../../../src/features/auth/email/routes.ts";
import { createInvitation } from "../../../src/features/auth/registration-store.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import type { RateLimiter } from "../../../src/platform/rate-limit/rate-limiter.ts";
import { AppPage } from "../../kit/app-page.ts";
import { atOnce } from "../../kit/at-once.ts";
import { Browser } from "../../kit/browser.ts";
import { Client, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { CHANGE, codeFor, RESET, UNDO } from "../../kit/mailbox.ts";
import { registerClient } from "../../kit/oauth.ts";

// How often a sign-in can be tried, and that nobody can use up another person's attempts.

const EMAIL = "ada@example.com";
const WRONG = "wrong password";

describe("limits", () => {
  const attempt = (address: string, email = "nobody@example.com") =>
    new Client(undefined, address).call(auth.loginRoute, { json: { email, password: WRONG } });

  test("exactly ten sign-ins a minute from one address, even for concurrent requests", async () => {
    const emails = Array.from({ length: 20 }, (_, index) => `nobody${index}@example.com`);
    const answers = await Promise.all(emails.map((email) => attempt("203.0.113.7", email)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(Number(refused[0]?.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await attempt("203.0.113.8")).status).toBe(401);
  });

  test("an IPv6 network counts as one address", async () => {
    const answers = await atOnce(12, (index) =>
      attempt(`2001:db8:1:2::${index + 1}`, `n${index}@example.com`),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    expect((await attempt("2001:db8:1:3::1")).status).toBe(401);
  });

  test("ten failed sign-ins to an account in fifteen minutes for strangers, from any address", async () => {
    const ada = await person({ email: EMAIL });
    for (let index = 0; index < 10; index++) {
      expect((await attempt(`203.0.114.${index}`, EMAIL)).status).toBe(401);
    }
    const late = new Client(undefined, "203.0.114.99");
    const right = await late.call(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD } });
    expect(right.status).toBe(429);

    // Known addresses and existing sessions are not limited.
    const home = new Client(undefined, ada.address);
    await home.ok(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD } });
    const json = { current_password: PASSWORD, new_password: "another good one" };
    await ada.ok(auth.changePasswordRoute, { json });
    expect((await late.call(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD } })).status).toBe(
      429,
    );
    // Nor does the owner's sign-in give strangers new attempts.
    await home.ok(auth.loginRoute, { json: { email: EMAIL, password: json.new_password } });
    expect((await attempt("203.0.114.98", EMAIL)).status).toBe(429);
  });

  test("ten failed sign-ins from an address known to the account, which limit nobody else", async () => {
    const ada = await person({ email: EMAIL });
    const other = await signIn(EMAIL);
    for (let index = 0; index < 10; index++) {
      // Ten attempts in one minute also use up the address's limit; this test is about the account's.
      expect((await attempt(ada.address, EMAIL)).status).toBe(401);
    }
    expect((await attempt(ada.address, EMAIL)).status).toBe(429);
    const away = new Client(undefined, other.address);
    await away.ok(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD } });
    expect((await attempt("203.0.116.1", EMAIL)).status).toBe(401);
  });

  test("an address is known only to its own account, and forgotten after half a year", async () => {
    const eve = await person();
    await person({ email: EMAIL });
    for (let index = 0; index < 10; index++) await attempt(`203.0.117.${index}`, EMAIL);
    expect((await attempt(eve.address, EMAIL)).status).toBe(429);
    const { results } = await env.DB.prepare("SELECT address FROM sign_in_addresses").all();
    expect(results).toHaveLength(2);
    expect(JSON.stringify(results)).not.toContain(eve.address);
    await env.DB.prepare("UPDATE sign_in_addresses SET last_used_at = '2020-01-01T00:00:00.000Z'").run();
    const { purge } = await import("../../../src/purge.ts");
    await purge(env);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM sign_in_addresses").first("n")).toBe(0);
  });

  describe("when client addresses are not trusted", () => {
    // The header is missing, as on a self-hosted instance.
    const nowhere = () => new Client(undefined, "");

    test("exhausting sign-in, registration or refresh for one account affects no other", async () => {
      await person({ email: EMAIL });
      await person({ email: "grace@example.com" });
      const wrong = { email: EMAIL, password: WRONG };
      const statuses: number[] = [];
      for (let index = 0; index < 12; index++) {
        statuses.push((await nowhere().call(auth.loginRoute, { json: wrong })).status);
      }
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
      const { refresh_token } = (await nowhere().ok(auth.loginRoute, {
        json: { email: "grace@example.com", password: PASSWORD },
      })) as TokenAnswer;
      for (let index = 0; index < 12; index++) {
        await nowhere().call(auth.registerRoute, { json: { email: EMAIL, password: PASSWORD } });
      }
      await nowhere().ok(auth.registerRoute, { json: { email: "new@example.com", password: PASSWORD } });
      for (let index = 0; index < 40; index++) {
        await nowhere().call(auth.refreshRoute, { json: { refresh_token: "guessed" } });
      }
      await nowhere().ok(auth.refreshRoute, { json: { refresh_token } });
      // A shared address never becomes known.
      expect((await nowhere().call(auth.loginRoute, { json: { ...wrong, password: PASSWORD } })).status).toBe(
        429,
      );
    });

    test("clients still register when others have registered too often", async () => {
      for (let index = 0; index < 12; index++) {
        await registerClient({ redirect_uris: ["https://noise.example/callback"] }, nowhere());
      }
      const noise = await registerClient({ redirect_uris: ["https://noise.example/callback"] }, nowhere());
      expect(noise.status).toBe(429);
      expect((await registerClient({}, nowhere())).status).toBe(201);
    });
  });

  test("a token whose session has ended uses up no attempts of an active one", async () => {
    const ended = await person({ email: EMAIL });
    const ada = await signIn(EMAIL);
    const refresh_token = ended.tokens?.refresh_token ?? "";
    await ended.call(auth.logoutRoute, { json: { refresh_token } });
    const json = { current_password: WRONG, new_password: "another good one" };
    for (let index = 0; index < 11; index++) {
      expect((await ended.call(auth.changePasswordRoute, { json })).status).toBe(401);
    }
    expect((await ada.call(auth.changePasswordRoute, { json })).status).toBe(403);
  });

  test("a counter that is cleared while others still count stores nothing", async () => {
    const counter = (env.RATE_LIMITER as DurableObjectNamespace<RateLimiter>).getByName("test");
    await counter.take({ attempts: 5, seconds: 60 });
    await counter.clear();
    await counter.release();
    const stored = await runInDurableObject(counter, (_, state) => state.storage.list());
    expect([...stored]).toEqual([]);
  });

  test("failed sign-ins stay counted when the account gets another email address", async () => {
    const ada = await person({ email: EMAIL });
    const guess = (of: string) =>
      new AppPage({ env: { RATE_LIMIT_ACCOUNT: "3/900" } }).call(auth.loginRoute, {
        json: { email: of, password: WRONG },
      });
    const statuses = [(await guess(EMAIL)).status, (await guess(EMAIL)).status];
    const next = "ada@new.example";
    await ada.ok(email.changeEmailRoute, { json: { email: next, password: PASSWORD } });
    const change_token = await codeFor(next, CHANGE);
    await ada.ok(email.confirmEmailChangeRoute, { json: { change_token } });
    statuses.push((await guess(next)).status, (await guess(next)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  describe("a person who has proved to read the account's mail signs in from there, whatever strangers do", () => {
    const STRICT = { RATE_LIMIT_ACCOUNT: "2/900" };
    const signInFrom = (page: AppPage, password: string, of = EMAIL) =>
      page.call(auth.loginRoute, { json: { email: of, password } });
    /** Strangers who have used up the attempts that strangers have. */
    const lockOut = async (of = EMAIL) => {
      for (const status of [401, 401, 429])
        expect((await signInFrom(new AppPage({ env: STRICT }), WRONG, of)).status).toBe(status);
    };

    test("after a new password by mail", async () => {
      await person({ email: EMAIL });
      await lockOut();
      const away = new AppPage({ env: STRICT });
      await away.ok(email.resetPasswordRoute, { json: { email: EMAIL } });
      const json = { reset_token: await codeFor(EMAIL, RESET), new_password: "another good one" };
      expect((await signInFrom(away, PASSWORD)).status).toBe(429);
      await away.ok(email.confirmPasswordResetRoute, { json });
      expect((await signInFrom(away, json.new_password)).status).toBe(200);
      expect((await signInFrom(new AppPage({ env: STRICT }), json.new_password)).status).toBe(429);
    });

    test("after a change of address was undone", async () => {
      const ada = await person({ email: EMAIL });
      await ada.ok(email.changeEmailRoute, { json: { email: "eve@example.com", password: PASSWORD } });
      const undo_token = await codeFor(EMAIL, UNDO);
      await lockOut();
      const away = new AppPage({ env: STRICT });
      const { reset_token } = await away.ok(email.undoEmailChangeRoute, { json: { undo_token } });
      // It counts from here on, not only once there is a new password.
      expect((await signInFrom(away, PASSWORD)).status).toBe(401);
      await away.ok(email.confirmPasswordResetRoute, {
        json: { reset_token, new_password: "another good one" },
      });
      expect((await signInFrom(away, "another good one")).status).toBe(200);
    });
  });

  test("a successful sign-in resets the failed ones", async () => {
    await person({ email: EMAIL });
    for (let index = 0; index < 9; index++) await attempt(`203.0.115.${index}`, EMAIL);
    await signIn(EMAIL);
    expect((await attempt("203.0.115.99", EMAIL)).status).toBe(401);
  });
});

// A password takes long to check, and all requests share a thread: what happens when many are to be checked at once.

/** Sign-ins of people who do not exist, each from an address of its own, all at once. */
const flood = (count: number) =>
  atOnce(count, (index) => {
    const json = { email: `nobody${index}@example.com`, password: WRONG };
    return visitor().call(auth.loginRoute, { json });
  });

/** How many are checked: twenty who wait, whose turn it is, and a few who come when the first have been answered. */
const CHECKED = expect.toSatisfy((count: number) => count >= 20 && count < 29);

const counted = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe("many sign-ins at once", () => {
  test("one is checked, twenty wait, and the others are told when to try again", async () => {
    const answers = await flood(60);
    expect(counted(answers, 401)).toEqual(CHECKED);
    expect(counted(answers, 401) + counted(answers, 503)).toBe(60);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers.get("Retry-After")).toBe("5");
    expect(refused?.text).toContain("Too many passwords are being checked right now");
    // And nobody waits for ever.
    expect(counted(await flood(3), 401)).toBe(3);
  });

  test("registrations are as many", async () => {
    const answers = await atOnce(30, (index) =>
      visitor().call(auth.registerRoute, {
        json: { email: `new${index}@example.com`, password: PASSWORD },
      }),
    );
    expect(counted(answers, 201)).toEqual(CHECKED);
    expect(counted(answers, 201) + counted(answers, 503)).toBe(30);
  });

  test("keep out nobody who is known: by an address, or by a session", async () => {
    const ada = await person({ email: EMAIL });
    const strangers = flood(60);
    const home = new Client(undefined, ada.address);
    const json = { email: EMAIL, password: PASSWORD };
    const signedIn = Promise.all([1, 2, 3].map(() => home.call(auth.loginRoute, { json })));
    const change = { current_password: PASSWORD, new_password: "another good one" };
    expect((await signedIn).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ada.call(auth.changePasswordRoute, { json: change })).status).toBe(204);
    expect(counted(await strangers, 401)).toEqual(CHECKED);
  });

  test("of people who are signed in keep out nobody else, and wait for each other", async () => {
    const ada = await person({ email: EMAIL });
    const change = { current_password: WRONG, new_password: "another good one" };
    const others = await Promise.all([1, 2, 3].map(() => person()));
    const floods = others.map((client) =>
      atOnce(9, () => client.call(auth.changePasswordRoute, { json: change })),
    );
    const home = new Client(undefined, ada.address);
    const signedIn = await home.call(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD } });
    expect(signedIn.status).toBe(200);
    for (const answers of await Promise.all(floods)) {
      // An account's requests queue before its passwords do, so none is refused.
      expect(counted(answers, 403)).toBe(9);
    }
    // One attempt is left.
    const [eve] = others;
    const again = { current_password: PASSWORD, new_password: "another good one" };
    expect((await eve?.call(auth.changePasswordRoute, { json: again }))?.status).toBe(204);
  });

  test("of the same invitation wait for each other", async () => {
    const code = await createInvitation(openBaseCtx(env.DB));
    const answers = await atOnce(20, (index) =>
      visitor().call(auth.registerRoute, {
        json: { email: `new${index}@example.com`, password: PASSWORD, code },
      }),
    );
    expect(counted(answers, 201)).toBe(1);
    expect(counted(answers, 429)).toBeGreaterThanOrEqual(5);
  });

  test("a sign-in that was not tried is no failed one", async () => {
    await person({ email: EMAIL });
    const json = { email: EMAIL, password: PASSWORD };
    const strangers = flood(40);
    const away = visitor();
    await atOnce(30, () => visitor().call(auth.loginRoute, { json }));
    await strangers;
    expect((await away.call(auth.loginRoute, { json })).status).toBe(200);
  });

  test("the page says so, and keeps the address", async () => {
    await person({ email: EMAIL });
    const browser = new Browser();
    const form = await browser.open("/sign-in");
    const strangers = flood(40);
    const page = await browser.submit(form, { email: EMAIL, password: PASSWORD });
    await strangers;
    expect(page.status).toBe(503);
    expect(page.headers.get("Retry-After")).toBe("5");
    expect(page.html).toContain("Too many passwords are being checked right now: try again in 5 seconds");
    expect(page.html).toContain(`value="${EMAIL}"`);
  });
});

describe("where client addresses are not trusted, strangers together", () => {
  const nowhere = () => new AppPage({ env: { TRUST_CLIENT_IP: "false", RATE_LIMIT_STRANGERS: "3/60" } });
  const signIn = (email: string, password: string) =>
    nowhere().call(auth.loginRoute, { json: { email, password } });

  test("learn nothing once they have tried too often, and keep nobody out", async () => {
    const ada = await person({ email: EMAIL });
    for (let index = 0; index < 5; index++) await signIn(`nobody${index}@example.com`, WRONG);
    const known = await signIn(EMAIL, WRONG);
    const unknown = await signIn("somebody@example.com", WRONG);
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    expect(unknown.status).toBe(401);
    expect((await signIn(EMAIL, PASSWORD)).status).toBe(200);
    expect((await ada.call(listDocumentsRoute)).status).toBe(200);
  });
});
